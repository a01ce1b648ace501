-- doc: a path through all builds: where it is, and when its content changed
-- param: path text - path of a file, as it is stored
-- example: pakdb query --on clickhouse://localhost/game @history Calligraphy/Curve.directory
WITH f AS (
    SELECT build, archive, size, content, row_number() OVER (PARTITION BY build ORDER BY archive, ordinal) AS place
    FROM files
    WHERE path = :path
), one AS (
    SELECT build, archive, size, content
    FROM f
    WHERE place = 1
), seen AS (
    SELECT b.build AS build, b.created_at AS created_at, o.archive AS archive, o.size AS size, o.content AS content,
           CASE WHEN o.archive IS NULL THEN 0 ELSE 1 END AS here
    FROM builds b
    LEFT JOIN one o ON o.build = b.build
), step AS (
    SELECT build, created_at, archive, size, content, here,
           lag(here, 1, 0) OVER (ORDER BY created_at, build) AS was_here,
           lag(content) OVER (ORDER BY created_at, build) AS was_content
    FROM seen
)
SELECT build,
       CASE WHEN here = 1 AND was_here = 0 THEN 'added'
            WHEN here = 1 AND coalesce(content, '') <> coalesce(was_content, '') THEN 'changed'
            WHEN here = 1 THEN 'same'
            WHEN was_here = 1 THEN 'removed'
            ELSE 'absent' END AS change,
       archive, size, content
FROM step
ORDER BY created_at, build;
