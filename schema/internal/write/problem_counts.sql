-- How many problems the view "problems" shows of each archive: its own, and those
-- of the contents that it holds. Other facts of a content, and contents that
-- become known, change the counts of archives of any build.
UPDATE archive
SET problem_count = counted.n
FROM (SELECT a.archive_id, count(found.archive_id) AS n
      FROM archive a
      LEFT JOIN (SELECT archive_id
                 FROM problem
                 UNION ALL
                 SELECT e.archive_id
                 FROM content_problem cp
                 CROSS JOIN entry e ON e.content_id = cp.content_id) AS found ON found.archive_id = a.archive_id
      GROUP BY a.archive_id) AS counted
WHERE archive.archive_id = counted.archive_id AND archive.problem_count <> counted.n;
