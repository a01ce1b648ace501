-- doc: entries whose content changed most often from build to build
-- param: limit integer 20 how many
-- param: under text '' only below this folder
-- example: pakdb query @churn
-- example: pakdb query @churn 50 Game/Content
SELECT d.prefix || p.name AS path, c.changes, c.builds, c.stored_changed
FROM path_changes c
CROSS JOIN path p ON p.path_id = c.path_id
CROSS JOIN dir d ON d.dir_id = p.dir_id
WHERE :under = '' OR substr(d.prefix, 1, length(rtrim(:under, '/')) + 1) = rtrim(:under, '/') || '/'
ORDER BY c.changes DESC, c.stored_changed DESC, 1
LIMIT :limit;
