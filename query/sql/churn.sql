-- doc: entries whose content changed most often from build to build; the files of an Unreal asset are one
-- param: limit integer 20 how many
-- param: under text '' only below this folder
-- example: pakdb query @churn
-- example: pakdb query @churn 50 Game/Content
WITH changed AS MATERIALIZED (
    SELECT d.prefix || p.name AS path, coalesce(asset(d.prefix || p.name), '/' || p.path_id) AS asset, c.builds, c.stored_changed, c.changed_in
    FROM path_changes c
    CROSS JOIN x_path p ON p.path_id = c.path_id
    CROSS JOIN x_dir d ON d.dir_id = p.dir_id
    WHERE :under = '' OR substr(d.prefix, 1, length(rtrim(:under, '/')) + 1) = rtrim(:under, '/') || '/'
), times AS (
    SELECT c.asset, count(DISTINCT j.value) AS changes
    FROM changed c
    CROSS JOIN json_each(c.changed_in) j
    GROUP BY c.asset
)
SELECT substr(min((c.path NOT LIKE '%.umap') || c.path), 2) AS path, -- the file with the tables, where it changed
       t.changes, max(c.builds) AS builds, sum(c.stored_changed) AS stored_changed
FROM changed c
JOIN times t ON t.asset = c.asset
GROUP BY c.asset
ORDER BY t.changes DESC, stored_changed DESC, 1
LIMIT :limit;
