-- doc: the first and the last build that have each path below a folder
-- param: under text '' only below this folder
-- example: pakdb query @first-seen Game/Maps
SELECT d.prefix || p.name AS path, f.build AS first_build, l.build AS last_build, e.builds
FROM (SELECT path_id, min(build_id) AS first, max(build_id) AS last, count(DISTINCT build_id) AS builds
      FROM entries
      WHERE deleted = 0 AND path_id IS NOT NULL
      GROUP BY path_id) e
CROSS JOIN x_path p ON p.path_id = e.path_id
CROSS JOIN x_dir d ON d.dir_id = p.dir_id
JOIN builds f ON f.build_id = e.first
JOIN builds l ON l.build_id = e.last
WHERE :under = '' OR substr(d.prefix, 1, length(rtrim(:under, '/')) + 1) = rtrim(:under, '/') || '/'
ORDER BY e.first, 1;
