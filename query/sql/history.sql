-- doc: a path through all builds: where it is, and when its content changed
-- param: path text - path of an entry, as it is stored
-- example: pakdb query @history Calligraphy/Curve.directory
WITH wanted AS MATERIALIZED (
    SELECT p.path_id
    FROM path_key k
    JOIN path p ON p.path_id = k.path_id
    JOIN dir d ON d.dir_id = p.dir_id
    WHERE k.key = key_of_path(:path) AND d.prefix || p.name = :path
), copy AS (
    SELECT e.build_id, e.archive, e.size, e.stored, e.content, e.content_id, e.deleted OR s.mount IS NOT NULL AS deleted,
           count(*) OVER (PARTITION BY e.build_id) AS copies,
           row_number() OVER (PARTITION BY e.build_id ORDER BY e.deleted OR s.mount IS NOT NULL, ba.place, e.row_id) AS rank
    FROM wanted
    CROSS JOIN entries e ON e.path_id = wanted.path_id
    JOIN build_archive ba ON ba.build_id = e.build_id AND ba.archive_id = e.archive_id AND ba.name = e.archive
    LEFT JOIN build_shadow s ON s.build_id = e.build_id AND s.mount = ba.ordinal AND s.row = e.row_id
), seen AS (
    SELECT b.build, b.build_id, c.archive, c.size, c.stored, c.content, c.copies, c.content_id,
           c.archive IS NOT NULL AND c.deleted = 0 AS here
    FROM builds b
    LEFT JOIN copy c ON c.build_id = b.build_id AND c.rank = 1
), step AS (
    SELECT *, lag(here, 1, 0) OVER w AS was_here, lag(content_id) OVER w AS was_content
    FROM seen
    WINDOW w AS (ORDER BY build_id)
)
SELECT build,
       CASE WHEN here AND NOT was_here THEN 'added'
            WHEN here AND content_id IS NOT was_content THEN 'changed'
            WHEN here THEN 'same'
            WHEN was_here THEN 'removed'
            ELSE 'absent' END AS change,
       archive, copies, size, stored, content
FROM step
WHERE EXISTS (SELECT 1 FROM wanted)
ORDER BY build_id;
