-- doc: decoded bytes of the objects in the Unreal packages of a build by class
-- param: build build newest label of the build
-- bytes: size, largest
-- example: pakdb query @size-by-class
SELECT n.name AS class, sum(g.objects) AS objects, sum(g.size) AS size,
       round(100.0 * sum(g.size) / nullif(sum(sum(g.size)) OVER (), 0), 1) AS percent, max(g.largest) AS largest
FROM (SELECT x.class_id, count(*) AS objects, sum(x.size) AS size, max(x.size) AS largest
      FROM x_build b
      CROSS JOIN x_build_archive ba ON ba.build_id = b.build_id
      CROSS JOIN x_entry e ON e.archive_id = ba.archive_id
      CROSS JOIN x_package_export x ON x.content_id = e.content_id
      WHERE b.label = :build AND b.complete = 1
      GROUP BY x.class_id) g
CROSS JOIN x_name n ON n.name_id = g.class_id
GROUP BY n.name COLLATE NOCASE -- two spellings are one class
ORDER BY sum(g.size) DESC, class;
