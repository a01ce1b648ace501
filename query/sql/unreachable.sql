-- doc: entries that no named resource leads to, in archives that have named resources
-- param: build build newest label of the build
-- param: weak integer 1 0 to follow no references that may be chance hits of a search
-- bytes: size, stored
-- example: pakdb query @unreachable
-- example: pakdb query @unreachable 1.52 -p weak=0 --format csv
WITH RECURSIVE this AS (
    SELECT build_id FROM x_build WHERE label = :build AND complete = 1
), edge AS MATERIALIZED (
    SELECT DISTINCT e.path_id AS from_id, bs.path_id AS to_id
    FROM this
    CROSS JOIN x_build_archive ba ON ba.build_id = this.build_id
    CROSS JOIN x_entry e ON e.archive_id = ba.archive_id
    CROSS JOIN x_ref r ON r.content_id = e.content_id
    CROSS JOIN x_build_symbol bs ON bs.build_id = this.build_id AND bs.space_id = r.space_id AND bs.key = r.key
    WHERE bs.present = 1 AND r.flags & 1 <= :weak
), root AS (
    -- a name may mean an entry of another archive
    SELECT e.path_id
    FROM this
    CROSS JOIN x_build_archive ba ON ba.build_id = this.build_id
    CROSS JOIN x_named_resource n ON n.archive_id = ba.archive_id
    CROSS JOIN x_entry e ON e.id_lo = n.id_lo AND e.type_id = n.type_id
    CROSS JOIN x_build_archive ea ON ea.archive_id = e.archive_id AND ea.build_id = this.build_id
), reached (path_id) AS (
    SELECT path_id FROM root
    UNION
    SELECT edge.to_id FROM reached CROSS JOIN edge ON edge.from_id = reached.path_id
)
SELECT e.path, e.archive, count(*) AS copies, e.size, sum(e.stored) AS stored
FROM entries e
WHERE e.build = :build AND e.path_id NOT IN (SELECT path_id FROM reached)
  AND EXISTS (SELECT 1 FROM x_named_resource n WHERE n.archive_id = e.archive_id)
GROUP BY e.archive_id, e.path_id
ORDER BY stored DESC, e.path, e.archive;
