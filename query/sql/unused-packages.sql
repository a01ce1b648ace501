-- doc: Unreal packages that no other package of the build refers to, nor does the asset registry say so, even softly; maps and what code loads by name are among them
-- param: build build newest label of the build
-- bytes: size
-- example: pakdb query @unused-packages
WITH used AS MATERIALIZED (
    SELECT DISTINCT bs.space_id, bs.key
    FROM x_build b
    CROSS JOIN x_build_archive ba ON ba.build_id = b.build_id
    CROSS JOIN x_entry e ON e.archive_id = ba.archive_id
    CROSS JOIN x_ref r ON r.content_id = e.content_id AND r.name_id IS NOT NULL
    CROSS JOIN x_build_symbol bs ON bs.build_id = b.build_id AND bs.space_id = r.space_id AND bs.key = r.key
    WHERE b.label = :build AND b.complete = 1
        AND bs.path_id IS NOT e.path_id -- what refers to itself alone is unused too
    UNION
    SELECT bs.space_id, bs.key
    FROM asset_dependencies r
    JOIN x_build_symbol bs ON bs.build_id = r.build_id AND bs.key = r.target_key
        AND bs.space_id = (SELECT word_id FROM x_word WHERE word = 'package')
    WHERE r.build = :build AND r.kind <> 'name' AND r.source_key <> r.target_key
)
SELECT k.package, e.size, k.export_count AS exports, k.archive
FROM packages k
JOIN x_entry e ON e.archive_id = k.archive_id AND e.row = k.row_id
WHERE k.build = :build AND k.package IS NOT NULL
    AND key_of_name(k.package) NOT IN (SELECT key FROM used)
ORDER BY k.package, k.archive, k.path;
