-- doc: how many objects of each class the Unreal packages of a build hold, and in how many packages
-- param: build build newest label of the build
-- example: pakdb query @class-histogram
SELECT n.name AS class, sum(g.objects) AS objects, sum(g.packages) AS packages
FROM (SELECT x.class_id, count(*) AS objects, count(DISTINCT (e.archive_id << 40) + e.row) AS packages
      FROM x_build b
      CROSS JOIN x_build_archive ba ON ba.build_id = b.build_id
      CROSS JOIN x_entry e ON e.archive_id = ba.archive_id
      CROSS JOIN x_package_export x ON x.content_id = e.content_id
      WHERE b.label = :build AND b.complete = 1
      GROUP BY x.class_id) g
CROSS JOIN x_name n ON n.name_id = g.class_id
GROUP BY n.name COLLATE NOCASE -- two spellings are one class
ORDER BY objects DESC, class;
