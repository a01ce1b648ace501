-- doc: what refers to an entry or an id, one row per reference
-- param: target text - path of an entry, the name of a package, or an id in decimal, hex or 0x form
-- param: build build newest label of the build
-- example: pakdb query @who-references Calligraphy/Powers/Blueprints/Power.blueprint
-- example: pakdb query @who-references 0x5c941affe5410d85 --build 1.48
WITH wanted AS MATERIALIZED (
    SELECT bs.space_id, bs.key, bs.build_id
    FROM x_path_key k
    CROSS JOIN x_path p ON p.path_id = k.path_id
    CROSS JOIN x_dir d ON d.dir_id = p.dir_id
    CROSS JOIN x_build_symbol bs ON bs.path_id = p.path_id
    CROSS JOIN x_build b ON b.build_id = bs.build_id AND b.label = :build AND b.complete = 1
    WHERE k.key = key_of_path(:target) AND d.prefix || p.name = :target
    UNION
    SELECT w.word_id, id_key(:target), b.build_id
    FROM x_word w
    JOIN x_build b ON b.label = :build AND b.complete = 1
    WHERE id_key(:target) IS NOT NULL
    UNION
    SELECT w.word_id, key_of_name(:target), b.build_id
    FROM x_word w
    JOIN x_build b ON b.label = :build AND b.complete = 1
    WHERE w.word = 'package'
)
SELECT DISTINCT d.prefix || p.name AS path, k.word AS kind, s.word AS target_kind, ba.name AS archive, r.flags & 1 AS weak
FROM wanted
CROSS JOIN x_ref_key rk ON rk.key = wanted.key
CROSS JOIN x_ref r ON r.content_id = rk.content_id AND r.key = rk.key AND r.space_id = wanted.space_id
CROSS JOIN x_entry e ON e.content_id = rk.content_id
CROSS JOIN x_build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = wanted.build_id
JOIN x_word k ON k.word_id = r.kind_id
JOIN x_word s ON s.word_id = r.space_id
LEFT JOIN x_path p ON p.path_id = e.path_id
LEFT JOIN x_dir d ON d.dir_id = p.dir_id
ORDER BY path, kind;
