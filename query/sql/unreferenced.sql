-- doc: entries that can be referred to, and that nothing in the build refers to
-- param: build build newest label of the build
-- example: pakdb query @unreferenced
WITH this AS (
    SELECT build_id FROM x_build WHERE label = :build AND complete = 1
), referenced AS MATERIALIZED (
    SELECT DISTINCT bs.path_id
    FROM this
    CROSS JOIN x_build_archive ba ON ba.build_id = this.build_id
    CROSS JOIN x_entry e ON e.archive_id = ba.archive_id
    CROSS JOIN x_ref r ON r.content_id = e.content_id
    CROSS JOIN x_build_symbol bs ON bs.build_id = this.build_id AND bs.space_id = r.space_id AND bs.key = r.key
    WHERE bs.path_id IS NOT e.path_id -- what refers to itself alone is unreferenced too
)
SELECT DISTINCT d.prefix || p.name AS path, w.word AS ext
FROM this
CROSS JOIN x_build_symbol bs ON bs.build_id = this.build_id
JOIN x_path p ON p.path_id = bs.path_id
JOIN x_dir d ON d.dir_id = p.dir_id
JOIN x_word w ON w.word_id = p.ext_id
WHERE bs.present = 1 AND bs.path_id NOT IN (SELECT path_id FROM referenced)
ORDER BY path;
