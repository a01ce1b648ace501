-- doc: files whose content changed most often from build to build
-- param: limit integer 20 how many
-- param: under text '' only below this folder, which has no slash at its end
-- example: pakdb query --on clickhouse://localhost/game @churn 50 Game/Content
WITH b AS (
    SELECT build, row_number() OVER (ORDER BY created_at, build) AS n
    FROM builds
), several AS ( -- the others need no look at their builds
    SELECT path
    FROM files
    WHERE path IS NOT NULL AND content IS NOT NULL
      AND (:under = '' OR substr(path, 1, length(:under) + 1) = :under || '/')
    GROUP BY path
    HAVING min(content) <> max(content)
), one AS (
    SELECT f.path AS path, b.n AS n, min(f.content) AS content, max(f.size) AS size
    FROM files f
    JOIN b ON b.build = f.build
    WHERE f.path IN (SELECT path FROM several) AND f.content IS NOT NULL
    GROUP BY f.path, b.n
), step AS (
    SELECT path, content, size, lag(content) OVER (PARTITION BY path ORDER BY n) AS was
    FROM one
), g AS (
    SELECT path, sum(CASE WHEN was IS NOT NULL AND was <> content THEN 1 ELSE 0 END) AS changes, count(*) AS builds,
           sum(CASE WHEN was IS NOT NULL AND was <> content THEN size ELSE 0 END) AS size_changed
    FROM step
    GROUP BY path
)
SELECT path, changes, builds, size_changed
FROM g
WHERE changes > 0
ORDER BY changes DESC, size_changed DESC, path
LIMIT :limit;
