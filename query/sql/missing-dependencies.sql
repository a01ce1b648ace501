-- doc: Unreal packages that a build refers to and does not have, by how many packages want them
-- param: build build newest label of the build
-- example: pakdb query @missing-dependencies
-- example: pakdb query @missing-dependencies --build 1.48 --format csv
SELECT min(target) AS package, count(DISTINCT path_id) AS wanted_by,
       replace(group_concat(DISTINCT kind), ',', ', ') AS kinds,
       min(editor) AS editor_only, min(path) AS first_path
FROM (SELECT d.target, d.target_key, d.path_id, d.path, d.kind, r.flags >> 2 & 1 AS editor
      FROM dependencies d
      JOIN x_ref r ON r.content_id = d.content_id AND r.seq = d.seq
      WHERE d.build = :build AND d.target_kind = 'package' AND d.status = 'missing'
      ORDER BY d.kind)
GROUP BY target_key
ORDER BY wanted_by DESC, package;
