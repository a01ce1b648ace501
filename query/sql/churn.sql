-- doc: entries whose content changed most often from build to build
-- param: limit integer 20 how many
-- param: under text '' only below this folder
-- example: pakdb query @churn
-- example: pakdb query @churn 50 Game/Content
WITH below AS MATERIALIZED (
    SELECT p.path_id, d.prefix || p.name AS path
    FROM dir d
    JOIN path p ON p.dir_id = d.dir_id
    WHERE (:under = '' OR substr(d.prefix, 1, length(rtrim(:under, '/')) + 1) = rtrim(:under, '/') || '/')
      AND p.path_id IN (SELECT r.path_id -- most paths never had another content
                        FROM entry_row r
                        WHERE r.content_id IS NOT NULL
                        GROUP BY r.path_id
                        HAVING min(r.content_id) <> max(r.content_id))
), copy AS (
    SELECT e.path_id, ba.build_id, e.content_id, e.stored,
           row_number() OVER (PARTITION BY e.path_id, ba.build_id ORDER BY ba.place, e.row) AS rank
    FROM below
    CROSS JOIN entry e ON e.path_id = below.path_id
    CROSS JOIN build_archive ba ON ba.archive_id = e.archive_id
    JOIN build b ON b.build_id = ba.build_id AND b.complete = 1
    WHERE e.flags & 2 = 0
      AND NOT EXISTS (SELECT 1
                      FROM build_shadow s
                      WHERE s.build_id = ba.build_id AND s.mount = ba.ordinal AND s.row = e.row)
), step AS (
    SELECT path_id, build_id, stored, content_id,
           lag(content_id) OVER w AS was, lag(build_id) OVER w AS before
    FROM copy
    WHERE rank = 1
    WINDOW w AS (PARTITION BY path_id ORDER BY build_id)
)
SELECT path, sum(content_id <> was) AS changes, count(*) AS builds,
       sum(CASE WHEN content_id <> was THEN stored END) AS stored_changed
FROM step
JOIN below USING (path_id)
WHERE before IS NULL OR content_id IS NOT NULL
GROUP BY path_id
HAVING sum(content_id <> was) > 0
ORDER BY changes DESC, stored_changed DESC, path
LIMIT :limit;
