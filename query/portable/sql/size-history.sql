-- doc: how large each build is, and what each kind of file takes of it
-- param: ext text '' only this extension
-- example: pakdb query --on clickhouse://localhost/game @size-history umap
WITH g AS (
    SELECT build, ext, count(*) AS n, sum(size) AS bytes, sum(stored) AS disk
    FROM entries
    WHERE deleted = 0 AND (:ext = '' OR ext = lower(:ext))
    GROUP BY build, ext
), step AS (
    SELECT b.created_at AS created_at, g.build AS build, g.ext AS ext, g.n AS n, g.bytes AS bytes, g.disk AS disk,
           lag(g.disk) OVER (PARTITION BY g.ext ORDER BY b.created_at, b.build) AS was,
           row_number() OVER (PARTITION BY g.ext ORDER BY b.created_at, b.build) AS place
    FROM g
    JOIN builds b ON b.build = g.build
)
SELECT build, ext, n AS entries, bytes AS size, disk AS stored,
       CASE WHEN place > 1 THEN disk - was END AS stored_growth
FROM step
ORDER BY created_at, build, disk DESC, ext NULLS FIRST;
