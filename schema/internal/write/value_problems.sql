-- How many problems of values the view "problems" shows of each archive of build ?1, or of
-- all builds if that is NULL.
UPDATE x_build_archive
SET value_problems = counted.n
FROM (SELECT ba.build_id, ba.ordinal, count(*) AS n
      FROM x_value_problem vp
      CROSS JOIN x_value_set s ON s.set_id = vp.set_id
      CROSS JOIN x_entry e ON e.content_id = s.content_id
      CROSS JOIN x_value_entry ve ON ve.lineage_id = e.lineage_id AND ve.row = e.row AND ve.header = s.header
      CROSS JOIN x_build_archive ba ON ba.archive_id = e.archive_id AND (?1 IS NULL OR ba.build_id = ?1)
      WHERE CASE s.context
              WHEN 0 THEN NOT EXISTS (SELECT 1
                                      FROM x_value_set o
                                      JOIN x_build_value bv ON bv.build_id = ba.build_id AND bv.set_id = o.set_id
                                      WHERE o.content_id = s.content_id AND o.header = s.header)
              ELSE EXISTS (SELECT 1 FROM x_build_value bv WHERE bv.build_id = ba.build_id AND bv.set_id = s.set_id)
          END
      GROUP BY ba.build_id, ba.ordinal) AS counted
WHERE x_build_archive.build_id = counted.build_id AND x_build_archive.ordinal = counted.ordinal;
