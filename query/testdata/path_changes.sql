-- What the function path_changes yields, by SQL alone.
WITH changed AS MATERIALIZED ( -- most paths never had another content
    SELECT twice.path_id
    FROM (SELECT path_id FROM x_entry_row GROUP BY path_id HAVING count(*) > 1) twice
    CROSS JOIN x_entry_row r ON r.path_id = twice.path_id
    WHERE r.content_id IS NOT NULL
    GROUP BY twice.path_id
    HAVING min(r.content_id) <> max(r.content_id)
), below AS MATERIALIZED (
    SELECT path_id
    FROM changed
), span AS MATERIALIZED ( -- rows hold for editions, of which there are few
    SELECT row_number() OVER () AS span, lineage_id, since, until
    FROM (SELECT DISTINCT lineage_id, since, until FROM x_entry_row)
), mounted AS MATERIALIZED (
    SELECT s.span, ba.build_id, ba.place, ba.ordinal
    FROM span s
    JOIN x_archive a ON a.lineage_id = s.lineage_id AND a.edition >= s.since AND (s.until = 0 OR a.edition < s.until)
    JOIN x_build_archive ba ON ba.archive_id = a.archive_id
    JOIN x_build b ON b.build_id = ba.build_id AND b.complete = 1
), line AS MATERIALIZED (
    SELECT r.path_id, row_number() OVER (PARTITION BY r.path_id ORDER BY r.lineage_id, r.row) AS n,
           s.span, r.lineage_id, r.row, r.content_id, r.stored
    FROM below
    CROSS JOIN x_entry_row r ON r.path_id = below.path_id
    JOIN span s ON s.lineage_id = r.lineage_id AND s.since = r.since AND s.until = r.until
    WHERE r.flags & 2 = 0
), hidden AS MATERIALIZED ( -- rows that a game does not see of a build
    SELECT l.path_id, l.n, s.build_id, s.mount
    FROM x_build_shadow s
    CROSS JOIN x_build_archive ba ON ba.build_id = s.build_id AND ba.ordinal = s.mount
    CROSS JOIN x_archive a ON a.archive_id = ba.archive_id
    CROSS JOIN x_entry_row r ON r.lineage_id = a.lineage_id AND r.row = s.row
    CROSS JOIN line l ON l.path_id = r.path_id AND l.lineage_id = r.lineage_id AND l.row = r.row
), pattern AS MATERIALIZED ( -- many paths have rows of the same spans: what they mean is found once
    SELECT path_id, json_group_array(span ORDER BY n) AS spans,
           CASE WHEN path_id IN (SELECT path_id FROM hidden) THEN path_id END AS only
    FROM line
    GROUP BY path_id
), seen AS (
    SELECT p.spans, p.only, m.build_id, j.key + 1 AS n,
           row_number() OVER (PARTITION BY p.spans, p.only, m.build_id ORDER BY m.place, j.key) AS rank
    FROM (SELECT DISTINCT spans, only FROM pattern) p
    CROSS JOIN json_each(p.spans) j
    JOIN mounted m ON m.span = j.value
    WHERE p.only IS NULL
       OR NOT EXISTS (SELECT 1
                      FROM hidden h
                      WHERE h.path_id = p.only AND h.n = j.key + 1 AND h.build_id = m.build_id AND h.mount = m.ordinal)
), step AS MATERIALIZED (
    SELECT spans, only, n, was, count(*) AS builds
    FROM (SELECT spans, only, n, lag(n) OVER (PARTITION BY spans, only ORDER BY build_id) AS was FROM seen WHERE rank = 1)
    GROUP BY spans, only, n, was
)
SELECT below.path_id, sum(s.builds * (l.content_id <> w.content_id)) AS changes, sum(s.builds) AS builds,
       sum(CASE WHEN l.content_id <> w.content_id THEN s.builds * l.stored END) AS stored_changed
FROM pattern p
JOIN step s ON s.spans = p.spans AND s.only IS p.only
JOIN line l ON l.path_id = p.path_id AND l.n = s.n
LEFT JOIN line w ON w.path_id = p.path_id AND w.n = s.was
JOIN below ON below.path_id = p.path_id
WHERE s.was IS NULL OR l.content_id IS NOT NULL
GROUP BY p.path_id
HAVING sum(l.content_id <> w.content_id) > 0
ORDER BY below.path_id;
