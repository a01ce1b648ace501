-- view textures: the textures in Unreal packages
CREATE VIEW textures AS
SELECT b.label AS build,
       ba.name AS archive,
       d.prefix || p.name AS path,
       (coalesce(xo.name, '') || xn.name || coalesce('_' || x.number, '')) COLLATE NOCASE AS texture,
       xc.name COLLATE NOCASE AS class,
       fw.word COLLATE NOCASE AS format,
       v.width,
       v.height,
       v.slices,
       v.first_mip,
       v.mips,
       v.virtual,
       v.srgb,
       gw.word COLLATE NOCASE AS lod_group,
       cw.word COLLATE NOCASE AS compression,
       coalesce((SELECT sum(m.size) FROM x_texture_mip m WHERE m.set_id = v.set_id AND m.export = v.export), 0) AS bytes,
       coalesce((SELECT sum(m.size)
                 FROM x_texture_mip m
                 JOIN x_word mw ON mw.word_id = m.file_id
                 WHERE m.set_id = v.set_id AND m.export = v.export AND mw.word <> ''), 0) AS bytes_beside,
       why.name AS why,
       v.export AS export_ordinal,
       ve.path_id,
       s.content_id,
       v.set_id,
       ba.archive_id,
       b.build_id
FROM x_build b
JOIN x_build_archive ba ON ba.build_id = b.build_id
JOIN x_entry e ON e.archive_id = ba.archive_id
JOIN x_value_entry ve ON ve.lineage_id = e.lineage_id AND ve.row = e.row
LEFT JOIN x_path p ON p.path_id = ve.path_id
LEFT JOIN x_dir d ON d.dir_id = p.dir_id
JOIN x_value_set s ON s.content_id = e.content_id AND s.header = ve.header
JOIN x_texture v ON v.set_id = s.set_id
LEFT JOIN x_value_export x ON x.set_id = v.set_id AND x.ordinal = v.export
LEFT JOIN x_name xc ON xc.name_id = x.class_id
LEFT JOIN x_name xo ON xo.name_id = x.outer_path_id
LEFT JOIN x_name xn ON xn.name_id = x.object_id
LEFT JOIN x_word fw ON fw.word_id = v.format_id
LEFT JOIN x_word gw ON gw.word_id = v.group_id
LEFT JOIN x_word cw ON cw.word_id = v.compress_id
LEFT JOIN x_name why ON why.name_id = v.why_id
WHERE b.complete = 1
    AND CASE s.context
            WHEN 0 THEN NOT EXISTS (SELECT 1
                                    FROM x_value_set o
                                    JOIN x_build_value bv ON bv.build_id = b.build_id AND bv.set_id = o.set_id
                                    WHERE o.content_id = s.content_id AND o.header = s.header)
            ELSE EXISTS (SELECT 1 FROM x_build_value bv WHERE bv.build_id = b.build_id AND bv.set_id = s.set_id)
        END;

-- view texture_mips: the mips of textures in Unreal packages, and where their bytes lie
CREATE VIEW texture_mips AS
SELECT b.label AS build,
       ba.name AS archive,
       d.prefix || p.name AS path,
       (coalesce(xo.name, '') || xn.name || coalesce('_' || x.number, '')) COLLATE NOCASE AS texture,
       v.mip,
       v.width,
       v.height,
       mw.word AS file,
       v.size,
       v.export AS export_ordinal,
       v.seq AS position,
       ve.path_id,
       s.content_id,
       v.set_id,
       ba.archive_id,
       b.build_id
FROM x_build b
JOIN x_build_archive ba ON ba.build_id = b.build_id
JOIN x_entry e ON e.archive_id = ba.archive_id
JOIN x_value_entry ve ON ve.lineage_id = e.lineage_id AND ve.row = e.row
LEFT JOIN x_path p ON p.path_id = ve.path_id
LEFT JOIN x_dir d ON d.dir_id = p.dir_id
JOIN x_value_set s ON s.content_id = e.content_id AND s.header = ve.header
JOIN x_texture_mip v ON v.set_id = s.set_id
LEFT JOIN x_value_export x ON x.set_id = v.set_id AND x.ordinal = v.export
LEFT JOIN x_name xo ON xo.name_id = x.outer_path_id
LEFT JOIN x_name xn ON xn.name_id = x.object_id
LEFT JOIN x_word mw ON mw.word_id = v.file_id
WHERE b.complete = 1
    AND CASE s.context
            WHEN 0 THEN NOT EXISTS (SELECT 1
                                    FROM x_value_set o
                                    JOIN x_build_value bv ON bv.build_id = b.build_id AND bv.set_id = o.set_id
                                    WHERE o.content_id = s.content_id AND o.header = s.header)
            ELSE EXISTS (SELECT 1 FROM x_build_value bv WHERE bv.build_id = b.build_id AND bv.set_id = s.set_id)
        END;

-- view sounds: the sounds in Unreal packages
CREATE VIEW sounds AS
SELECT b.label AS build,
       ba.name AS archive,
       d.prefix || p.name AS path,
       (coalesce(xo.name, '') || xn.name || coalesce('_' || x.number, '')) COLLATE NOCASE AS sound,
       xc.name COLLATE NOCASE AS class,
       cw.word AS codec,
       v.channels,
       v.rate,
       v.duration,
       v.bytes,
       v.beside AS bytes_beside,
       why.name AS why,
       v.export AS export_ordinal,
       ve.path_id,
       s.content_id,
       v.set_id,
       ba.archive_id,
       b.build_id
FROM x_build b
JOIN x_build_archive ba ON ba.build_id = b.build_id
JOIN x_entry e ON e.archive_id = ba.archive_id
JOIN x_value_entry ve ON ve.lineage_id = e.lineage_id AND ve.row = e.row
LEFT JOIN x_path p ON p.path_id = ve.path_id
LEFT JOIN x_dir d ON d.dir_id = p.dir_id
JOIN x_value_set s ON s.content_id = e.content_id AND s.header = ve.header
JOIN x_sound v ON v.set_id = s.set_id
LEFT JOIN x_value_export x ON x.set_id = v.set_id AND x.ordinal = v.export
LEFT JOIN x_name xc ON xc.name_id = x.class_id
LEFT JOIN x_name xo ON xo.name_id = x.outer_path_id
LEFT JOIN x_name xn ON xn.name_id = x.object_id
LEFT JOIN x_word cw ON cw.word_id = v.codec_id
LEFT JOIN x_name why ON why.name_id = v.why_id
WHERE b.complete = 1
    AND CASE s.context
            WHEN 0 THEN NOT EXISTS (SELECT 1
                                    FROM x_value_set o
                                    JOIN x_build_value bv ON bv.build_id = b.build_id AND bv.set_id = o.set_id
                                    WHERE o.content_id = s.content_id AND o.header = s.header)
            ELSE EXISTS (SELECT 1 FROM x_build_value bv WHERE bv.build_id = b.build_id AND bv.set_id = s.set_id)
        END;
