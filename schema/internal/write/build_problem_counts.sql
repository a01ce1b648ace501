-- How many problems the view "problems" shows of the archives that build ?1 is the first
-- to mount: those of others do not change by it.

-- One that follows an edition which is counted differs from it by its rows, and by what
-- concerns archives and not contents.
UPDATE x_archive
SET problem_count = counted.n
FROM (SELECT a.archive_id,
             o.problem_count
                 + (SELECT count(*) FROM x_problem p WHERE p.archive_id = a.archive_id)
                 - (SELECT count(*) FROM x_problem p WHERE p.archive_id = o.archive_id)
                 + (SELECT count(*)
                    FROM x_entry_row r INDEXED BY entry_since
                    CROSS JOIN x_content_problem cp ON cp.content_id = r.content_id
                    WHERE r.lineage_id = a.lineage_id AND r.since = a.edition AND r.since > 0)
                 - (SELECT count(*)
                    FROM x_entry_row r INDEXED BY entry_until
                    CROSS JOIN x_content_problem cp ON cp.content_id = r.content_id
                    WHERE r.lineage_id = a.lineage_id AND r.until = a.edition AND r.until > 0) AS n
      FROM (SELECT DISTINCT archive_id FROM x_build_archive WHERE build_id = ?1) ba
      CROSS JOIN x_archive a ON a.archive_id = ba.archive_id
      CROSS JOIN x_archive o ON o.lineage_id = a.lineage_id
          AND o.edition = (SELECT max(x.edition) FROM x_archive x WHERE x.lineage_id = a.lineage_id AND x.edition < a.edition)
      WHERE NOT EXISTS (SELECT 1
                        FROM x_build_archive xa
                        JOIN x_build x ON x.build_id = xa.build_id AND x.complete = 1
                        WHERE xa.archive_id = a.archive_id)
        AND EXISTS (SELECT 1
                    FROM x_build_archive xa
                    JOIN x_build x ON x.build_id = xa.build_id AND x.complete = 1
                    WHERE xa.archive_id = o.archive_id)) AS counted
WHERE x_archive.archive_id = counted.archive_id;

UPDATE x_archive
SET problem_count = counted.n
FROM (SELECT a.archive_id,
             (SELECT count(*) FROM x_problem p WHERE p.archive_id = a.archive_id)
                 + (SELECT count(*)
                    FROM x_content_problem cp
                    CROSS JOIN x_entry e ON e.content_id = cp.content_id AND e.archive_id = a.archive_id) AS n
      FROM (SELECT DISTINCT archive_id FROM x_build_archive WHERE build_id = ?1) ba
      CROSS JOIN x_archive a ON a.archive_id = ba.archive_id
      WHERE NOT EXISTS (SELECT 1
                        FROM x_build_archive xa
                        JOIN x_build x ON x.build_id = xa.build_id AND x.complete = 1
                        WHERE xa.archive_id = a.archive_id)
        AND NOT EXISTS (SELECT 1
                        FROM x_archive o
                        JOIN x_build_archive xa ON xa.archive_id = o.archive_id
                        JOIN x_build x ON x.build_id = xa.build_id AND x.complete = 1
                        WHERE o.lineage_id = a.lineage_id
                          AND o.edition = (SELECT max(y.edition) FROM x_archive y WHERE y.lineage_id = a.lineage_id AND y.edition < a.edition))) AS counted
WHERE x_archive.archive_id = counted.archive_id;
