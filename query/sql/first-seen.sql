-- doc: the first and the last build that have each path below a folder
-- param: under text '' only below this folder
-- example: pakdb query @first-seen Game/Maps
WITH below AS MATERIALIZED (
    SELECT p.path_id, d.prefix || p.name AS path
    FROM dir d
    JOIN path p ON p.dir_id = d.dir_id
    WHERE :under = '' OR substr(d.prefix, 1, length(rtrim(:under, '/')) + 1) = rtrim(:under, '/') || '/'
), span AS (
    SELECT e.path_id, min(b.build_id) AS first, max(b.build_id) AS last, count(DISTINCT b.build_id) AS builds
    FROM below
    CROSS JOIN entry e ON e.path_id = below.path_id
    CROSS JOIN build_archive ba ON ba.archive_id = e.archive_id
    JOIN build b ON b.build_id = ba.build_id AND b.complete = 1
    WHERE e.flags & 2 = 0
    GROUP BY e.path_id
)
SELECT below.path, first.label AS first_build, last.label AS last_build, span.builds
FROM span
JOIN below USING (path_id)
JOIN build first ON first.build_id = span.first
JOIN build last ON last.build_id = span.last
ORDER BY span.first, below.path;
