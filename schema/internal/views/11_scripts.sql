-- view functions: functions of blueprints and UnrealScript, and states and classes that have code
CREATE VIEW functions AS
SELECT s.build,
       s.archive,
       s.path,
       s.package,
       (coalesce(substr(xo.name, 1, instr(xo.name, '.') - 1) || ':' || substr(xo.name, instr(xo.name, '.') + 1), '') || xn.name
           || coalesce('_' || x.number, '')) COLLATE NOCASE AS function,
       xc.name COLLATE NOCASE AS class,
       v.statements,
       v.tokens,
       v.size,
       v.memory,
       CASE WHEN v.hash IS NULL THEN NULL ELSE printf('%016x', v.hash) END AS hash,
       w.name AS opaque,
       v.flags,
       v.native,
       v.ordinal AS export_ordinal,
       v.hash AS hash_key,
       s.path_id,
       s.content_id,
       s.set_id,
       s.archive_id,
       s.build_id
FROM x_valued s
JOIN x_script v ON v.set_id = s.set_id
LEFT JOIN x_name w ON w.name_id = v.why_id
JOIN x_value_export x ON x.set_id = v.set_id AND x.ordinal = v.ordinal
LEFT JOIN x_name xc ON xc.name_id = x.class_id
LEFT JOIN x_name xo ON xo.name_id = x.outer_path_id
LEFT JOIN x_name xn ON xn.name_id = x.object_id;

-- view calls: what functions call
CREATE VIEW calls AS
SELECT s.build,
       s.archive,
       s.path,
       s.package,
       (coalesce(substr(xo.name, 1, instr(xo.name, '.') - 1) || ':' || substr(xo.name, instr(xo.name, '.') + 1), '') || xn.name
           || coalesce('_' || x.number, '')) COLLATE NOCASE AS function,
       ev.name COLLATE NOCASE AS event,
       CASE WHEN n.name LIKE '.%' THEN s.package || n.name ELSE n.name END COLLATE NOCASE AS callee,
       CASE v.kind WHEN 0 THEN 'final' WHEN 1 THEN 'virtual' WHEN 2 THEN 'math' WHEN 3 THEN 'delegate' ELSE 'native' END AS kind,
       v.count,
       CASE WHEN n.name LIKE '.%' THEN s.path ELSE td.prefix || tp.name END AS target,
       n.name COLLATE NOCASE AS callee_name,
       v.seq AS position,
       v.export AS export_ordinal,
       v.name_id AS callee_id,
       s.path_id,
       s.content_id,
       s.set_id,
       s.archive_id,
       s.build_id
FROM x_valued s
JOIN x_script_use v ON v.set_id = s.set_id AND v.kind < 8
JOIN x_name n ON n.name_id = v.name_id
LEFT JOIN x_name ev ON ev.name_id = v.event_id
JOIN x_value_export x ON x.set_id = v.set_id AND x.ordinal = v.export
LEFT JOIN x_name xc ON xc.name_id = x.class_id
LEFT JOIN x_name xo ON xo.name_id = x.outer_path_id
LEFT JOIN x_name xn ON xn.name_id = x.object_id
LEFT JOIN x_build_symbol bs ON bs.build_id = s.build_id AND bs.space_id = (SELECT word_id FROM x_word WHERE word = 'package') AND bs.key = v.target
LEFT JOIN x_path tp ON tp.path_id = bs.path_id
LEFT JOIN x_dir td ON td.dir_id = tp.dir_id;

-- view function_constants: the objects, paths and texts that functions name
CREATE VIEW function_constants AS
SELECT s.build,
       s.archive,
       s.path,
       s.package,
       (coalesce(substr(xo.name, 1, instr(xo.name, '.') - 1) || ':' || substr(xo.name, instr(xo.name, '.') + 1), '') || xn.name
           || coalesce('_' || x.number, '')) COLLATE NOCASE AS function,
       CASE v.kind WHEN 8 THEN 'object' WHEN 9 THEN 'soft' WHEN 10 THEN 'string' ELSE 'text' END AS kind,
       CASE WHEN v.kind = 8 AND n.name LIKE '.%' THEN s.package || n.name ELSE n.name END AS value,
       v.count,
       CASE WHEN v.kind = 8 AND n.name LIKE '.%' THEN s.path ELSE td.prefix || tp.name END AS target,
       ns.name AS namespace,
       pk.name AS key,
       v.seq AS position,
       v.export AS export_ordinal,
       v.name_id AS value_id,
       s.path_id,
       s.content_id,
       s.set_id,
       s.archive_id,
       s.build_id
FROM x_valued s
JOIN x_script_use v ON v.set_id = s.set_id AND v.kind >= 8
JOIN x_name n ON n.name_id = v.name_id
LEFT JOIN x_script_text pt ON pt.set_id = v.set_id AND pt.seq = v.seq
LEFT JOIN x_name ns ON ns.name_id = pt.namespace_id
LEFT JOIN x_name pk ON pk.name_id = pt.key_id
JOIN x_value_export x ON x.set_id = v.set_id AND x.ordinal = v.export
LEFT JOIN x_name xc ON xc.name_id = x.class_id
LEFT JOIN x_name xo ON xo.name_id = x.outer_path_id
LEFT JOIN x_name xn ON xn.name_id = x.object_id
LEFT JOIN x_build_symbol bs ON bs.build_id = s.build_id AND bs.space_id = (SELECT word_id FROM x_word WHERE word = 'package') AND bs.key = v.target
LEFT JOIN x_path tp ON tp.path_id = bs.path_id
LEFT JOIN x_dir td ON td.dir_id = tp.dir_id;
