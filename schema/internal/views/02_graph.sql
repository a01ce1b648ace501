-- view named_resources: public names of entries, in formats that store names separately
CREATE VIEW named_resources AS
SELECT b.label AS build,
       ba.name AS archive,
       n.ordinal,
       n.name,
       t.word AS type,
       CASE n.id_bits
           WHEN 32 THEN printf('%08x', n.id_lo)
           WHEN 64 THEN printf('%016x', n.id_lo)
           WHEN 96 THEN printf('%08x%016x', n.id_hi, n.id_lo)
           ELSE printf('%016x%016x', n.id_hi, n.id_lo)
       END AS asset_id,
       n.id_lo AS asset_key,
       n.archive_id,
       b.build_id
FROM x_build b
JOIN x_build_archive ba ON ba.build_id = b.build_id
JOIN x_named_resource n ON n.archive_id = ba.archive_id
LEFT JOIN x_word t ON t.word_id = n.type_id
WHERE b.complete = 1;

-- view dependencies: all references, one row each: what refers to what
CREATE VIEW dependencies AS
SELECT b.label AS build,
       ba.name AS archive,
       d.prefix || p.name AS path,
       k.word AS kind,
       CASE s.word WHEN 'package-id' THEN 'package' ELSE s.word END AS target_kind,
       CASE
           WHEN r.name_id IS NOT NULL THEN n.name
           WHEN s.word = 'package-id' THEN coalesce((SELECT tn.name -- by the header of the package that has the id
                                                     FROM x_entry te
                                                     JOIN x_build_archive ta ON ta.archive_id = te.archive_id AND ta.build_id = b.build_id
                                                     JOIN x_package tk ON tk.content_id = te.content_id
                                                     JOIN x_name tn ON tn.name_id = tk.name_id
                                                     WHERE te.path_id = bs.path_id
                                                     LIMIT 1), printf('%016x', r.key))
           ELSE printf('%016x', r.key)
       END COLLATE NOCASE AS target,
       td.prefix || tp.name AS target_path,
       CASE
           WHEN r.flags & 2 THEN 'native'
           WHEN bs.present IS NOT 1 THEN 'missing'
           WHEN bs.paths > 1 THEN 'ambiguous'
           ELSE 'resolved'
       END AS status,
       CAST(r.flags & 1 AS INTEGER) AS weak,
       r.seq,
       r.key AS target_key,
       e.path_id,
       bs.path_id AS target_path_id,
       e.content_id,
       e.archive_id,
       b.build_id
FROM x_build b
CROSS JOIN x_build_archive ba ON ba.build_id = b.build_id
CROSS JOIN x_entry e ON e.archive_id = ba.archive_id
LEFT JOIN x_path p ON p.path_id = e.path_id
LEFT JOIN x_dir d ON d.dir_id = p.dir_id
CROSS JOIN x_ref r ON r.content_id = e.content_id -- CROSS: a condition on kind must not lead the plan
CROSS JOIN x_word k ON k.word_id = r.kind_id
LEFT JOIN x_word s ON s.word_id = r.space_id
LEFT JOIN x_name n ON n.name_id = r.name_id
LEFT JOIN x_build_symbol bs ON bs.build_id = b.build_id AND bs.space_id = r.space_id AND bs.key = r.key
LEFT JOIN x_path tp ON tp.path_id = bs.path_id
LEFT JOIN x_dir td ON td.dir_id = tp.dir_id
WHERE b.complete = 1;
