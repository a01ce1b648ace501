-- doc: how large each build is, and what each kind of file takes of it
-- param: ext text '' only this extension
-- bytes: size, stored, stored_growth
-- example: pakdb query @size-history
-- example: pakdb query @size-history umap
WITH sum_of AS (
    SELECT build_id, build, ext, sum(entries) AS entries, sum(size) AS size, sum(stored) AS stored
    FROM totals
    WHERE deleted = 0 AND (:ext = '' OR ext = lower(:ext))
    GROUP BY build_id, ext
)
SELECT build, ext, entries, size, stored,
       stored - lag(stored) OVER (PARTITION BY ext ORDER BY build_id) AS stored_growth
FROM sum_of
ORDER BY build_id, stored DESC, ext;
