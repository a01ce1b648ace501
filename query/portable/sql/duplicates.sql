-- doc: contents that a build holds more than once, by the stored bytes they waste
-- param: limit integer 20 how many
-- param: build build newest label of the build
-- example: pakdb query --on clickhouse://localhost/game @duplicates
WITH g AS (
    SELECT content, count(*) AS n, max(size) AS bytes, sum(stored) - max(stored) AS waste, min(path) AS one
    FROM entries
    WHERE build = :build AND content IS NOT NULL
    GROUP BY content
    HAVING count(*) > 1
)
SELECT n AS copies, bytes AS size, waste AS wasted, one AS first_path, content
FROM g
ORDER BY waste DESC, content
LIMIT :limit;
