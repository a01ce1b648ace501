-- view functions: functions of blueprints and UnrealScript, and states and classes that have code
CREATE VIEW functions AS
SELECT b.label AS build,
       ba.name AS archive,
       d.prefix || p.name AS path,
       coalesce(pn.name,
                root.word || substr(d.prefix || p.name, ve.start, length(d.prefix || p.name) - length(px.word) - ve.start)) COLLATE NOCASE AS package,
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
       ve.path_id,
       s.content_id,
       s.set_id,
       ba.archive_id,
       b.build_id
FROM x_build b
JOIN x_build_archive ba ON ba.build_id = b.build_id
JOIN x_entry e ON e.archive_id = ba.archive_id
JOIN x_value_entry ve ON ve.lineage_id = e.lineage_id AND ve.row = e.row
LEFT JOIN x_path p ON p.path_id = ve.path_id
LEFT JOIN x_dir d ON d.dir_id = p.dir_id
JOIN x_value_set s ON s.content_id = e.content_id AND s.header = ve.header
JOIN x_script v ON v.set_id = s.set_id
LEFT JOIN x_name w ON w.name_id = v.why_id
JOIN x_value_export x ON x.set_id = v.set_id AND x.ordinal = v.ordinal
LEFT JOIN x_name xc ON xc.name_id = x.class_id
LEFT JOIN x_name xo ON xo.name_id = x.outer_path_id
LEFT JOIN x_name xn ON xn.name_id = x.object_id
LEFT JOIN x_name pn ON pn.name_id = ve.name_id
LEFT JOIN x_word root ON root.word_id = ve.root_id
LEFT JOIN x_word px ON px.word_id = p.ext_id
WHERE b.complete = 1
    AND CASE s.context
            WHEN 0 THEN NOT EXISTS (SELECT 1
                                    FROM x_value_set o
                                    JOIN x_build_value bv ON bv.build_id = b.build_id AND bv.set_id = o.set_id
                                    WHERE o.content_id = s.content_id AND o.header = s.header)
            ELSE EXISTS (SELECT 1 FROM x_build_value bv WHERE bv.build_id = b.build_id AND bv.set_id = s.set_id)
        END;

-- view calls: what functions call
CREATE VIEW calls AS
SELECT b.label AS build,
       ba.name AS archive,
       d.prefix || p.name AS path,
       coalesce(pn.name,
                root.word || substr(d.prefix || p.name, ve.start, length(d.prefix || p.name) - length(px.word) - ve.start)) COLLATE NOCASE AS package,
       (coalesce(substr(xo.name, 1, instr(xo.name, '.') - 1) || ':' || substr(xo.name, instr(xo.name, '.') + 1), '') || xn.name
           || coalesce('_' || x.number, '')) COLLATE NOCASE AS function,
       ev.name COLLATE NOCASE AS event,
       CASE WHEN n.name LIKE '.%' THEN coalesce(pn.name,
                root.word || substr(d.prefix || p.name, ve.start, length(d.prefix || p.name) - length(px.word) - ve.start)) || n.name ELSE n.name END COLLATE NOCASE AS callee,
       CASE v.kind WHEN 0 THEN 'final' WHEN 1 THEN 'virtual' WHEN 2 THEN 'math' WHEN 3 THEN 'delegate' ELSE 'native' END AS kind,
       v.count,
       CASE WHEN n.name LIKE '.%' THEN d.prefix || p.name ELSE td.prefix || tp.name END AS target,
       n.name COLLATE NOCASE AS callee_name,
       v.seq AS position,
       v.export AS export_ordinal,
       v.name_id AS callee_id,
       ve.path_id,
       s.content_id,
       s.set_id,
       ba.archive_id,
       b.build_id
FROM x_build b
JOIN x_build_archive ba ON ba.build_id = b.build_id
JOIN x_entry e ON e.archive_id = ba.archive_id
JOIN x_value_entry ve ON ve.lineage_id = e.lineage_id AND ve.row = e.row
LEFT JOIN x_path p ON p.path_id = ve.path_id
LEFT JOIN x_dir d ON d.dir_id = p.dir_id
JOIN x_value_set s ON s.content_id = e.content_id AND s.header = ve.header
JOIN x_script_use v ON v.set_id = s.set_id AND v.kind < 8
JOIN x_name n ON n.name_id = v.name_id
LEFT JOIN x_name ev ON ev.name_id = v.event_id
JOIN x_value_export x ON x.set_id = v.set_id AND x.ordinal = v.export
LEFT JOIN x_name xc ON xc.name_id = x.class_id
LEFT JOIN x_name xo ON xo.name_id = x.outer_path_id
LEFT JOIN x_name xn ON xn.name_id = x.object_id
LEFT JOIN x_name pn ON pn.name_id = ve.name_id
LEFT JOIN x_word root ON root.word_id = ve.root_id
LEFT JOIN x_word px ON px.word_id = p.ext_id
LEFT JOIN x_build_symbol bs ON bs.build_id = b.build_id AND bs.space_id = (SELECT word_id FROM x_word WHERE word = 'package') AND bs.key = v.target
LEFT JOIN x_path tp ON tp.path_id = bs.path_id
LEFT JOIN x_dir td ON td.dir_id = tp.dir_id
WHERE b.complete = 1
    AND CASE s.context
            WHEN 0 THEN NOT EXISTS (SELECT 1
                                    FROM x_value_set o
                                    JOIN x_build_value bv ON bv.build_id = b.build_id AND bv.set_id = o.set_id
                                    WHERE o.content_id = s.content_id AND o.header = s.header)
            ELSE EXISTS (SELECT 1 FROM x_build_value bv WHERE bv.build_id = b.build_id AND bv.set_id = s.set_id)
        END;

-- view function_constants: the objects, paths and texts that functions name
CREATE VIEW function_constants AS
SELECT b.label AS build,
       ba.name AS archive,
       d.prefix || p.name AS path,
       coalesce(pn.name,
                root.word || substr(d.prefix || p.name, ve.start, length(d.prefix || p.name) - length(px.word) - ve.start)) COLLATE NOCASE AS package,
       (coalesce(substr(xo.name, 1, instr(xo.name, '.') - 1) || ':' || substr(xo.name, instr(xo.name, '.') + 1), '') || xn.name
           || coalesce('_' || x.number, '')) COLLATE NOCASE AS function,
       CASE v.kind WHEN 8 THEN 'object' WHEN 9 THEN 'soft' WHEN 10 THEN 'string' ELSE 'text' END AS kind,
       CASE WHEN v.kind = 8 AND n.name LIKE '.%' THEN coalesce(pn.name,
                root.word || substr(d.prefix || p.name, ve.start, length(d.prefix || p.name) - length(px.word) - ve.start)) || n.name ELSE n.name END AS value,
       v.count,
       CASE WHEN v.kind = 8 AND n.name LIKE '.%' THEN d.prefix || p.name ELSE td.prefix || tp.name END AS target,
       ns.name AS namespace,
       pk.name AS key,
       v.seq AS position,
       v.export AS export_ordinal,
       v.name_id AS value_id,
       ve.path_id,
       s.content_id,
       s.set_id,
       ba.archive_id,
       b.build_id
FROM x_build b
JOIN x_build_archive ba ON ba.build_id = b.build_id
JOIN x_entry e ON e.archive_id = ba.archive_id
JOIN x_value_entry ve ON ve.lineage_id = e.lineage_id AND ve.row = e.row
LEFT JOIN x_path p ON p.path_id = ve.path_id
LEFT JOIN x_dir d ON d.dir_id = p.dir_id
JOIN x_value_set s ON s.content_id = e.content_id AND s.header = ve.header
JOIN x_script_use v ON v.set_id = s.set_id AND v.kind >= 8
JOIN x_name n ON n.name_id = v.name_id
LEFT JOIN x_script_text pt ON pt.set_id = v.set_id AND pt.seq = v.seq
LEFT JOIN x_name ns ON ns.name_id = pt.namespace_id
LEFT JOIN x_name pk ON pk.name_id = pt.key_id
JOIN x_value_export x ON x.set_id = v.set_id AND x.ordinal = v.export
LEFT JOIN x_name xc ON xc.name_id = x.class_id
LEFT JOIN x_name xo ON xo.name_id = x.outer_path_id
LEFT JOIN x_name xn ON xn.name_id = x.object_id
LEFT JOIN x_name pn ON pn.name_id = ve.name_id
LEFT JOIN x_word root ON root.word_id = ve.root_id
LEFT JOIN x_word px ON px.word_id = p.ext_id
LEFT JOIN x_build_symbol bs ON bs.build_id = b.build_id AND bs.space_id = (SELECT word_id FROM x_word WHERE word = 'package') AND bs.key = v.target
LEFT JOIN x_path tp ON tp.path_id = bs.path_id
LEFT JOIN x_dir td ON td.dir_id = tp.dir_id
WHERE b.complete = 1
    AND CASE s.context
            WHEN 0 THEN NOT EXISTS (SELECT 1
                                    FROM x_value_set o
                                    JOIN x_build_value bv ON bv.build_id = b.build_id AND bv.set_id = o.set_id
                                    WHERE o.content_id = s.content_id AND o.header = s.header)
            ELSE EXISTS (SELECT 1 FROM x_build_value bv WHERE bv.build_id = b.build_id AND bv.set_id = s.set_id)
        END;
