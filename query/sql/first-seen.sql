-- doc: the first and the last build that have each path below a folder
-- param: under text '' only below this folder
-- example: pakdb query @first-seen Game/Maps
SELECT d.prefix || p.name AS path, b.first_build, b.last_build, b.builds
FROM path_builds(0) b
CROSS JOIN x_path p ON p.path_id = b.path_id
CROSS JOIN x_dir d ON d.dir_id = p.dir_id
WHERE :under = '' OR substr(d.prefix, 1, length(rtrim(:under, '/')) + 1) = rtrim(:under, '/') || '/'
ORDER BY b.first_build_id, 1;
