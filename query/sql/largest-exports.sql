-- doc: the largest objects in the Unreal packages of a build
-- param: limit integer 20 how many
-- param: build build newest label of the build
-- bytes: size
-- example: pakdb query @largest-exports
-- example: pakdb query @largest-exports 100 --build 1.52
WITH top AS MATERIALIZED (
    SELECT x.size, x.class_id, x.outer_path_id, x.object_id, x.number,
           b.build_id, e.archive_id, e.ordinal AS entry
    FROM x_build b
    CROSS JOIN x_build_archive ba ON ba.build_id = b.build_id
    CROSS JOIN x_entry e ON e.archive_id = ba.archive_id
    CROSS JOIN x_package_export x ON x.content_id = e.content_id
    WHERE b.label = :build AND b.complete = 1
    ORDER BY x.size DESC
    LIMIT :limit
)
SELECT top.size, c.name AS class,
       coalesce(o.name, '') || n.name || coalesce('_' || top.number, '') AS object,
       k.path
FROM top
JOIN packages k ON k.build_id = top.build_id AND k.archive_id = top.archive_id AND k.entry = top.entry
JOIN x_name c ON c.name_id = top.class_id
JOIN x_name n ON n.name_id = top.object_id
LEFT JOIN x_name o ON o.name_id = top.outer_path_id
ORDER BY top.size DESC, k.archive, k.path, object;
