-- How many problems the view "problems" shows of each archive: its own, and those
-- of the contents that it holds. Other facts of a content, and contents that
-- become known, change the counts of archives of any build.
UPDATE x_archive
SET problem_count = counted.n
FROM (SELECT a.archive_id, count(found.archive_id) AS n
      FROM x_archive a
      LEFT JOIN (SELECT archive_id
                 FROM x_problem
                 UNION ALL
                 SELECT e.archive_id
                 FROM x_content_problem cp
                 CROSS JOIN x_entry e ON e.content_id = cp.content_id) AS found ON found.archive_id = a.archive_id
      GROUP BY a.archive_id) AS counted
WHERE x_archive.archive_id = counted.archive_id AND x_archive.problem_count <> counted.n;
