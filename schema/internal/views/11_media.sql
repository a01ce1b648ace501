-- view textures: the textures in Unreal packages
CREATE VIEW textures AS
SELECT s.build,
       s.archive,
       s.path,
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
       CAST(coalesce((SELECT sum(m.size) FROM x_texture_mip m WHERE m.set_id = v.set_id AND m.export = v.export), 0) AS INTEGER) AS bytes,
       CAST(coalesce((SELECT sum(m.size)
                      FROM x_texture_mip m
                      JOIN x_word mw ON mw.word_id = m.file_id
                      WHERE m.set_id = v.set_id AND m.export = v.export AND mw.word <> ''), 0) AS INTEGER) AS bytes_beside,
       why.name AS why,
       v.export AS export_ordinal,
       s.path_id,
       s.content_id,
       v.set_id,
       s.archive_id,
       s.build_id
FROM x_valued s
JOIN x_texture v ON v.set_id = s.set_id
LEFT JOIN x_value_export x ON x.set_id = v.set_id AND x.ordinal = v.export
LEFT JOIN x_name xc ON xc.name_id = x.class_id
LEFT JOIN x_name xo ON xo.name_id = x.outer_path_id
LEFT JOIN x_name xn ON xn.name_id = x.object_id
LEFT JOIN x_word fw ON fw.word_id = v.format_id
LEFT JOIN x_word gw ON gw.word_id = v.group_id
LEFT JOIN x_word cw ON cw.word_id = v.compress_id
LEFT JOIN x_name why ON why.name_id = v.why_id;

-- view texture_mips: the mips of textures in Unreal packages, and where their bytes lie
CREATE VIEW texture_mips AS
SELECT s.build,
       s.archive,
       s.path,
       (coalesce(xo.name, '') || xn.name || coalesce('_' || x.number, '')) COLLATE NOCASE AS texture,
       v.mip,
       v.width,
       v.height,
       mw.word AS file,
       v.size,
       v.export AS export_ordinal,
       v.seq AS position,
       s.path_id,
       s.content_id,
       v.set_id,
       s.archive_id,
       s.build_id
FROM x_valued s
JOIN x_texture_mip v ON v.set_id = s.set_id
LEFT JOIN x_value_export x ON x.set_id = v.set_id AND x.ordinal = v.export
LEFT JOIN x_name xo ON xo.name_id = x.outer_path_id
LEFT JOIN x_name xn ON xn.name_id = x.object_id
LEFT JOIN x_word mw ON mw.word_id = v.file_id;

-- view sounds: the sounds in Unreal packages
CREATE VIEW sounds AS
SELECT s.build,
       s.archive,
       s.path,
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
       s.path_id,
       s.content_id,
       v.set_id,
       s.archive_id,
       s.build_id
FROM x_valued s
JOIN x_sound v ON v.set_id = s.set_id
LEFT JOIN x_value_export x ON x.set_id = v.set_id AND x.ordinal = v.export
LEFT JOIN x_name xc ON xc.name_id = x.class_id
LEFT JOIN x_name xo ON xo.name_id = x.outer_path_id
LEFT JOIN x_name xn ON xn.name_id = x.object_id
LEFT JOIN x_word cw ON cw.word_id = v.codec_id
LEFT JOIN x_name why ON why.name_id = v.why_id;
