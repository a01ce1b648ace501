-- doc: the first and the last build that have each path below a folder
-- param: under text '' only below this folder, which has no slash at its end
-- example: pakdb query --on clickhouse://localhost/game @first-seen Game/Maps
WITH b AS (
    SELECT build, row_number() OVER (ORDER BY created_at, build) AS n
    FROM builds
), s AS (
    SELECT e.path AS path, min(b.n) AS first_n, max(b.n) AS last_n, count(DISTINCT b.n) AS builds
    FROM entries e
    JOIN b ON b.build = e.build
    WHERE e.path IS NOT NULL AND e.deleted = 0 AND (:under = '' OR substr(e.path, 1, length(:under) + 1) = :under || '/')
    GROUP BY e.path
)
SELECT s.path AS path, f.build AS first_build, l.build AS last_build, s.builds AS builds
FROM s
JOIN b f ON f.n = s.first_n
JOIN b l ON l.n = s.last_n
ORDER BY s.first_n, s.path;
