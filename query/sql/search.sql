-- doc: entries whose path matches: a glob (with * ? or [), else any part of the path, whatever its case
-- param: pattern text - glob or part of a path
-- param: build build newest label of the build; null for all
-- bytes: size, stored
-- example: pakdb query @search 'Calligraphy/*.curve'
-- example: pakdb query @search ironman --build 1.52
WITH hit AS MATERIALIZED (
    SELECT p.path_id
    FROM x_path p
    JOIN x_dir d ON d.dir_id = p.dir_id
    WHERE CASE WHEN :pattern GLOB '*[*?[]*' THEN d.prefix || p.name GLOB :pattern
               ELSE instr(lower(d.prefix || p.name), lower(:pattern)) > 0 END
)
SELECT e.build, e.archive, e.path, e.size, e.stored, e.method, e.content
FROM hit
CROSS JOIN entries e ON e.path_id = hit.path_id
WHERE :build IS NULL OR e.build = :build
ORDER BY e.path, e.build_id, e.archive;
