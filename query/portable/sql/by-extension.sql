-- doc: entries and bytes of a build by extension
-- param: build build newest label of the build
-- example: pakdb query --on clickhouse://localhost/game @by-extension
WITH g AS (
    SELECT ext, count(*) AS n, sum(size) AS bytes, sum(stored) AS disk
    FROM entries
    WHERE build = :build
    GROUP BY ext
)
SELECT ext, n AS entries, bytes AS size, disk AS stored
FROM g
ORDER BY disk DESC, ext NULLS FIRST;
