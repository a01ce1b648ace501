-- doc: functions whose code means something else most often, over all builds
-- param: limit integer 50 how many
-- example: pakdb query @most-changed-functions
WITH known AS MATERIALIZED (
    SELECT package, function, build_id, min(hash_key) AS hash, max(statements) AS statements
    FROM functions
    WHERE hash_key IS NOT NULL
    GROUP BY package, function, build_id
), following AS (
    SELECT package, function, hash, statements, lag(hash) OVER (PARTITION BY package, function ORDER BY build_id) AS before
    FROM known
)
SELECT package, function, sum(before IS NOT NULL AND before <> hash) AS changes, count(*) AS builds, max(statements) AS statements
FROM following
GROUP BY package, function
HAVING changes > 0
ORDER BY changes DESC, statements DESC, package, function
LIMIT :limit;
