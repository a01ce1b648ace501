-- doc: decoded bytes of the objects in the Unreal packages of a build by class
-- param: build build newest label of the build
-- example: pakdb query @size-by-class
SELECT n.name AS class, count(*) AS objects, sum(x.size) AS size, human_size(sum(x.size)) AS size_human,
       round(100.0 * sum(x.size) / nullif(sum(sum(x.size)) OVER (), 0), 1) AS percent, max(x.size) AS largest
FROM build b
CROSS JOIN build_archive ba ON ba.build_id = b.build_id
CROSS JOIN entry e ON e.archive_id = ba.archive_id
CROSS JOIN package_export x ON x.content_id = e.content_id
CROSS JOIN name n ON n.name_id = x.class_id
WHERE b.label = :build AND b.complete = 1
GROUP BY x.class_id
ORDER BY sum(x.size) DESC, class;
