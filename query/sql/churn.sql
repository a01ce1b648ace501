-- doc: entries whose content changed most often from build to build; the files of an Unreal asset are one
-- param: limit integer 20 how many
-- param: under text '' only below this folder
-- bytes: stored_changed
-- example: pakdb query @churn
-- example: pakdb query @churn 50 Game/Content
WITH twice AS MATERIALIZED ( -- most paths never had another content
    SELECT path_id
    FROM x_entry_row
    GROUP BY path_id
    HAVING min(content_id) <> max(content_id)
), line AS (
    SELECT e.path_id, e.build_id, e.content_id, e.stored,
           row_number() OVER (PARTITION BY e.path_id, e.build_id ORDER BY ba.place, e.row) AS rank
    FROM twice
    CROSS JOIN x_stored e ON e.path_id = twice.path_id
    JOIN x_build_archive ba ON ba.build_id = e.build_id AND ba.ordinal = e.mount
    LEFT JOIN x_build_shadow s ON s.build_id = e.build_id AND s.mount = e.mount AND s.row = e.row
    WHERE e.flags & 2 = 0 AND s.mount IS NULL -- a game does not see the others
), step AS (
    SELECT path_id, build_id, stored, content_id <> lag(content_id) OVER (PARTITION BY path_id ORDER BY build_id) AS changed
    FROM line
    WHERE rank = 1
), changed AS MATERIALIZED (
    SELECT d.prefix || p.name AS path, coalesce(asset(d.prefix || p.name), '/' || p.path_id) AS asset, c.builds, c.stored_changed, c.changed_in
    FROM (SELECT path_id, count(*) AS builds, sum(stored) FILTER (WHERE changed) AS stored_changed,
                 json_group_array(build_id) FILTER (WHERE changed) AS changed_in
          FROM step
          GROUP BY path_id
          HAVING max(changed)) c
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
