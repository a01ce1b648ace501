-- doc: entries and bytes of a build by folder
-- param: depth integer 1 how many parts of the path make a folder
-- param: under text '' only below this folder
-- param: build build newest label of the build
-- bytes: size, stored
-- example: pakdb query @size-by-dir
-- example: pakdb query @size-by-dir 2 Game/Content
WITH folder AS (
    SELECT dir, count(*) AS entries, sum(size) AS size, sum(stored) AS stored
    FROM entries
    WHERE build = :build
    GROUP BY dir
), below AS (
    SELECT *, CASE WHEN :under = '' THEN dir ELSE ltrim(substr(dir, length(:under) + 1), '/') END AS rest
    FROM folder
    WHERE :under = '' OR dir = :under OR substr(dir, 1, length(:under) + 1) = rtrim(:under, '/') || '/'
)
SELECT CASE WHEN :under = '' THEN '' ELSE rtrim(:under, '/') || '/' END || path_head(rest, :depth) AS dir,
       sum(entries) AS entries, sum(size) AS size, sum(stored) AS stored
FROM below
GROUP BY path_head(rest, :depth)
ORDER BY sum(stored) DESC, dir;
