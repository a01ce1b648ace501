-- doc: entries and bytes of a build by folder
-- param: depth integer 1 how many parts of the path make a folder
-- param: under text '' only below this folder, which has no slash at its end
-- param: build build newest label of the build
-- example: pakdb query --on clickhouse://localhost/game @size-by-dir 2 Game/Content
WITH below AS (
    SELECT size, stored, CASE WHEN :under = '' THEN dir ELSE substr(dir, length(:under) + 2) END AS rest
    FROM entries
    WHERE build = :build AND (:under = '' OR dir = :under OR substr(dir, 1, length(:under) + 1) = :under || '/')
), g AS (
    SELECT path_head(rest, :depth) AS head, count(*) AS n, sum(size) AS bytes, sum(stored) AS disk
    FROM below
    GROUP BY path_head(rest, :depth)
)
SELECT CASE WHEN :under = '' THEN head ELSE :under || '/' || head END AS dir, n AS entries, bytes AS size, disk AS stored
FROM g
ORDER BY disk DESC, head NULLS FIRST;
