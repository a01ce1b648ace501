-- doc: the first and the last build that have each path below a folder
-- param: under text '' only below this folder
-- example: pakdb query @first-seen Game/Maps
WITH span AS MATERIALIZED ( -- rows hold for editions, of which there are few
    SELECT row_number() OVER () AS span, lineage_id, since, until
    FROM (SELECT DISTINCT lineage_id, since, until FROM entry_row)
), below AS MATERIALIZED (
    SELECT p.path_id
    FROM dir d
    JOIN path p ON p.dir_id = d.dir_id
    WHERE :under = '' OR substr(d.prefix, 1, length(rtrim(:under, '/')) + 1) = rtrim(:under, '/') || '/'
), pattern AS MATERIALIZED ( -- many paths have rows of the same spans: what they mean is found once
    SELECT r.path_id, group_concat(s.span) AS spans
    FROM below
    CROSS JOIN entry_row r ON r.path_id = below.path_id
    JOIN span s ON s.lineage_id = r.lineage_id AND s.since = r.since AND s.until = r.until
    WHERE r.flags & 2 = 0
    GROUP BY r.path_id
), seen AS MATERIALIZED (
    SELECT p.spans, min(b.build_id) AS first, max(b.build_id) AS last, count(DISTINCT b.build_id) AS builds
    FROM (SELECT DISTINCT spans FROM pattern) p
    CROSS JOIN json_each('[' || p.spans || ']') j
    JOIN span s ON s.span = j.value
    JOIN archive a ON a.lineage_id = s.lineage_id AND a.edition >= s.since AND (s.until = 0 OR a.edition < s.until)
    JOIN build_archive ba ON ba.archive_id = a.archive_id
    JOIN build b ON b.build_id = ba.build_id AND b.complete = 1
    GROUP BY p.spans
)
SELECT d.prefix || p.name AS path, first.label AS first_build, last.label AS last_build, seen.builds
FROM pattern
JOIN seen ON seen.spans = pattern.spans
JOIN path p ON p.path_id = pattern.path_id
JOIN dir d ON d.dir_id = p.dir_id
JOIN build first ON first.build_id = seen.first
JOIN build last ON last.build_id = seen.last
ORDER BY seen.first, 1;
