-- doc: Unreal packages that no other package of the build refers to; maps and what code loads by name are among them
-- param: build build newest label of the build
-- example: pakdb query @unused-packages
WITH this AS (
    SELECT build_id FROM build WHERE label = :build AND complete = 1
), used AS MATERIALIZED (
    SELECT DISTINCT r.key
    FROM this
    CROSS JOIN build_archive ba ON ba.build_id = this.build_id
    CROSS JOIN entry e ON e.archive_id = ba.archive_id
    CROSS JOIN ref r ON r.content_id = e.content_id AND r.name_id IS NOT NULL
    LEFT JOIN entry_symbol own ON own.archive_id = e.archive_id AND own.ordinal = e.ordinal
        AND own.space_id = r.space_id AND own.key = r.key
    WHERE own.key IS NULL -- what refers to itself alone is unused too
)
SELECT k.package, k.engine, e.size, k.export_count, k.archive, k.path
FROM packages k
JOIN entry e ON e.archive_id = k.archive_id AND e.ordinal = k.entry
WHERE k.build = :build AND k.package_key IS NOT NULL AND k.package_key NOT IN (SELECT key FROM used)
ORDER BY k.package, k.archive, k.path;
