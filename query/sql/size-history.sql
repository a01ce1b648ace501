-- doc: how large each build is, and what each kind of file takes of it
-- param: ext text '' only this extension
-- example: pakdb query @size-history
-- example: pakdb query @size-history umap
WITH span AS MATERIALIZED ( -- rows are added up once, not once for each build that has them
    SELECT r.lineage_id, r.since, r.until, p.ext_id, count(*) AS entries, sum(r.size) AS size, sum(r.stored) AS stored
    FROM entry_row r
    LEFT JOIN path p ON p.path_id = r.path_id
    WHERE r.flags & 2 = 0
      AND (:ext = '' OR p.ext_id = (SELECT word_id FROM word WHERE word = lower(:ext)))
    GROUP BY r.lineage_id, r.since, r.until, p.ext_id
), sum_of AS (
    SELECT b.build_id, b.label AS build, x.word AS ext, sum(s.entries) AS entries, sum(s.size) AS size, sum(s.stored) AS stored
    FROM build b
    JOIN build_archive ba ON ba.build_id = b.build_id
    JOIN archive a ON a.archive_id = ba.archive_id
    JOIN span s ON s.lineage_id = a.lineage_id AND s.since <= a.edition AND (s.until = 0 OR s.until > a.edition)
    LEFT JOIN word x ON x.word_id = s.ext_id
    WHERE b.complete = 1
    GROUP BY b.build_id, s.ext_id
)
SELECT build, ext, entries, size, stored,
       stored - lag(stored) OVER (PARTITION BY ext ORDER BY build_id) AS stored_growth
FROM sum_of
ORDER BY build_id, stored DESC, ext;
