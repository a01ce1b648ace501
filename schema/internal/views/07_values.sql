-- A set of values is of a content and of the header that it was read with. Where a context
-- decides what it means, the build says which set holds.

-- view x_valued: the sets of values that hold for the entries of all complete builds
CREATE VIEW x_valued AS
SELECT b.label AS build,
       ba.name AS archive,
       d.prefix || p.name AS path,
       coalesce(n.name,
                root.word || substr(d.prefix || p.name, ve.start, length(d.prefix || p.name) - length(x.word) - ve.start)) COLLATE NOCASE AS package,
       ve.path_id,
       s.*,
       ba.archive_id,
       b.build_id
FROM x_build b
JOIN x_build_archive ba ON ba.build_id = b.build_id
JOIN x_entry e ON e.archive_id = ba.archive_id
JOIN x_value_entry ve ON ve.lineage_id = e.lineage_id AND ve.row = e.row
LEFT JOIN x_path p ON p.path_id = ve.path_id
LEFT JOIN x_dir d ON d.dir_id = p.dir_id
JOIN x_value_set s ON s.content_id = e.content_id AND s.header = ve.header
LEFT JOIN x_name n ON n.name_id = ve.name_id
LEFT JOIN x_word root ON root.word_id = ve.root_id
LEFT JOIN x_word x ON x.word_id = p.ext_id
WHERE b.complete = 1
  AND CASE s.context
          WHEN 0 THEN NOT EXISTS (SELECT 1
                                  FROM x_value_set o
                                  JOIN x_build_value bv ON bv.build_id = b.build_id AND bv.set_id = o.set_id
                                  WHERE o.content_id = s.content_id AND o.header = s.header)
          ELSE EXISTS (SELECT 1 FROM x_build_value bv WHERE bv.build_id = b.build_id AND bv.set_id = s.set_id)
      END;

-- view properties: the values in Unreal packages, one row each
CREATE VIEW properties AS
SELECT s.build,
       s.archive,
       s.path,
       s.package,
       (coalesce(xo.name, '') || xn.name || coalesce('_' || x.number, '')) COLLATE NOCASE AS export,
       xc.name COLLATE NOCASE AS class,
       CASE
           WHEN v.place IS NULL AND v.key_id IS NULL THEN coalesce(f.name, n.name)
           ELSE replace(coalesce(f.name, n.name || '[]'), '[]', '[' || coalesce(vk.name, v.place) || ']')
       END COLLATE NOCASE AS field,
       n.name COLLATE NOCASE AS name,
       t.word COLLATE NOCASE AS type,
       CASE
           WHEN v.flags & 8 THEN NULL
           WHEN v.ref > 0 THEN coalesce(ro.name, '') || rn.name || coalesce('_' || rx.number, '')
           WHEN v.value IS NULL THEN vt.name
           ELSE v.value
       END AS value,
       CASE WHEN v.ref > 0 THEN s.path ELSE td.prefix || tp.name END AS target,
       vt.name AS text,
       v.seq AS position,
       CASE
           WHEN v.flags & 8 THEN 'opaque'
           WHEN v.flags & 4 THEN 'guessed'
           WHEN v.flags & 2 THEN 'zero'
           WHEN v.flags & 1 THEN 'class data'
           ELSE 'list'
       END AS origin,
       v.value AS number,
       coalesce(vk.name, v.place) COLLATE NOCASE AS element,
       coalesce(f.name, n.name || CASE WHEN v.place IS NULL AND v.key_id IS NULL THEN '' ELSE '[]' END) COLLATE NOCASE AS column_path,
       CAST(v.flags >> 4 & 1 AS INTEGER) AS many,
       v.export AS export_ordinal,
       v.ref AS reference,
       v.target AS target_key,
       v.name_id,
       s.path_id,
       s.content_id,
       v.set_id,
       s.archive_id,
       s.build_id
FROM x_valued s
JOIN x_property v ON v.set_id = s.set_id
LEFT JOIN x_name n ON n.name_id = v.name_id
LEFT JOIN x_name f ON f.name_id = v.field_id
LEFT JOIN x_name vk ON vk.name_id = v.key_id
LEFT JOIN x_name vt ON vt.name_id = v.text_id
LEFT JOIN x_word t ON t.word_id = v.type_id
LEFT JOIN x_value_export x ON x.set_id = v.set_id AND x.ordinal = v.export
LEFT JOIN x_name xc ON xc.name_id = x.class_id
LEFT JOIN x_name xo ON xo.name_id = x.outer_path_id
LEFT JOIN x_name xn ON xn.name_id = x.object_id
LEFT JOIN x_value_export rx ON rx.set_id = v.set_id AND rx.ordinal = v.ref - 1
LEFT JOIN x_name ro ON ro.name_id = rx.outer_path_id
LEFT JOIN x_name rn ON rn.name_id = rx.object_id
LEFT JOIN x_build_symbol bs ON bs.build_id = s.build_id AND bs.space_id = (SELECT word_id FROM x_word WHERE word = 'package') AND bs.key = v.target
LEFT JOIN x_path tp ON tp.path_id = bs.path_id
LEFT JOIN x_dir td ON td.dir_id = tp.dir_id;

-- view properties_effective: the values that objects of Unreal packages use, their own and those that they inherit
CREATE VIEW properties_effective AS
SELECT s.build,
       s.path,
       (coalesce(xo.name, '') || xn.name || coalesce('_' || x.number, '')) COLLATE NOCASE AS export,
       xc.name COLLATE NOCASE AS class,
       CASE
           WHEN v.place IS NULL AND v.key_id IS NULL THEN coalesce(f.name, n.name)
           ELSE replace(coalesce(f.name, n.name || '[]'), '[]', '[' || coalesce(vk.name, v.place) || ']')
       END COLLATE NOCASE AS field,
       n.name COLLATE NOCASE AS name,
       t.word COLLATE NOCASE AS type,
       CASE
           WHEN v.flags & 8 THEN NULL
           WHEN v.ref > 0 THEN coalesce(ro.name, '') || rn.name || coalesce('_' || rx.number, '')
           WHEN v.value IS NULL THEN vt.name
           ELSE v.value
       END AS value,
       CASE WHEN v.ref > 0 THEN od.prefix || op.name ELSE td.prefix || tp.name END AS target,
       od.prefix || op.name AS origin_path,
       (coalesce(oo.name, '') || om.name || coalesce('_' || ox.number, '')) COLLATE NOCASE AS origin_export,
       CAST(c.value ->> 0 AS INTEGER) AS depth,
       vt.name AS text,
       v.value AS number,
       v.seq AS position,
       CASE
           WHEN v.flags & 8 THEN 'opaque'
           WHEN v.flags & 4 THEN 'guessed'
           WHEN v.flags & 2 THEN 'zero'
           WHEN v.flags & 1 THEN 'class data'
           ELSE 'list'
       END AS origin,
       x.ordinal AS export_ordinal,
       v.export AS origin_ordinal,
       v.name_id,
       s.path_id,
       s.content_id,
       os.content_id AS origin_content_id,
       s.archive,
       s.archive_id,
       s.build_id
FROM x_valued s
JOIN x_value_export x ON x.set_id = s.set_id
LEFT JOIN x_name xc ON xc.name_id = x.class_id
LEFT JOIN x_name xo ON xo.name_id = x.outer_path_id
LEFT JOIN x_name xn ON xn.name_id = x.object_id
-- the object and what it inherits from, the nearest first; 64 objects end a cycle
CROSS JOIN json_each((
    WITH RECURSIVE up (depth, archive_id, path_id, set_id, content_id, ordinal) AS (
        SELECT 0, s.archive_id, s.path_id, s.set_id,
               CASE
                   WHEN s.header = 0 THEN s.content_id -- else values are in the .uexp, and exports in its package
                   ELSE (SELECT h.content_id FROM x_entry h WHERE h.archive_id = s.archive_id AND h.path_id = s.path_id LIMIT 1)
               END,
               x.ordinal
        UNION ALL
        -- an archetype in the same package
        SELECT up.depth + 1, up.archive_id, up.path_id, up.set_id, up.content_id, k.archetype - 1
        FROM up
        CROSS JOIN x_package_export k ON k.content_id = up.content_id AND k.ordinal = up.ordinal AND k.archetype > 0
        WHERE up.depth < 64
            AND EXISTS (SELECT 1 FROM x_value_export q WHERE q.set_id = up.set_id AND q.ordinal = up.ordinal AND q.status < 2)
        UNION ALL
        -- an archetype in another package
        SELECT up.depth + 1, pa.archive_id, pv.path_id, ps.set_id, y.content_id, y.ordinal
        FROM up
        CROSS JOIN x_package_export k ON k.content_id = up.content_id AND k.ordinal = up.ordinal AND k.archetype < 0
        CROSS JOIN x_name kn ON kn.name_id = k.object_id
        CROSS JOIN x_name kc ON kc.name_id = k.class_id
        CROSS JOIN x_package_import i ON i.content_id = k.content_id AND i.ordinal = -1 - k.archetype
        CROSS JOIN x_name io ON io.name_id = i.outer_path_id
        CROSS JOIN x_name n ON n.name_id = i.object_id
        CROSS JOIN x_build_symbol bs ON bs.build_id = s.build_id
            AND bs.space_id = (SELECT word_id FROM x_word WHERE word = 'package')
            AND bs.key = (SELECT r.key
                          FROM x_ref r
                          JOIN x_name rn ON rn.name_id = r.name_id
                          WHERE r.content_id = k.content_id AND r.space_id = (SELECT word_id FROM x_word WHERE word = 'package')
                              AND lower(rn.name) = lower(substr(io.name, 1, instr(io.name, '.') - 1))
                          LIMIT 1)
        CROSS JOIN x_value_entry pv ON pv.path_id = bs.path_id
        CROSS JOIN x_entry pe ON pe.lineage_id = pv.lineage_id AND pe.row = pv.row
        CROSS JOIN x_build_archive pa ON pa.build_id = s.build_id AND pa.archive_id = pe.archive_id
        CROSS JOIN x_value_set ps ON ps.content_id = pe.content_id AND ps.header = pv.header
        CROSS JOIN x_package_export y ON y.content_id = CASE
                WHEN ps.header = 0 THEN ps.content_id
                ELSE (SELECT h.content_id FROM x_entry h WHERE h.archive_id = pa.archive_id AND h.path_id = pv.path_id LIMIT 1)
            END
            AND y.ordinal = (
                SELECT CASE WHEN n.name NOT LIKE '<export %' OR count(*) = 1 THEN min(z.ordinal) END
                FROM x_package_export z
                JOIN x_name zn ON zn.name_id = z.object_id
                LEFT JOIN x_name zo ON zo.name_id = z.outer_path_id
                JOIN x_name zc ON zc.name_id = z.class_id
                WHERE z.content_id = y.content_id
                    -- classes inherit from classes alone, in UE1 and UE2
                    AND (z.class = 0) = ((SELECT cn.name FROM x_name cn WHERE cn.name_id = i.class_id) = 'Class')
                    AND CASE
                            -- a number stands for the name: what it is a copy of has the object's own
                            WHEN n.name LIKE '<export %' THEN z.number IS k.number AND lower(zc.name) = lower(kc.name)
                                AND lower(zn.name) IN (lower(kn.name), lower(kn.name || '_GEN_VARIABLE'))
                            ELSE z.number IS i.number AND lower(zn.name) = lower(n.name)
                                AND replace(lower(coalesce(zo.name, '')), ':', '.')
                                    = replace(lower(substr(io.name, instr(io.name, '.') + 1)), ':', '.')
                        END)
        WHERE up.depth < 64
            AND EXISTS (SELECT 1 FROM x_value_export q WHERE q.set_id = up.set_id AND q.ordinal = up.ordinal AND q.status < 2)
            AND NOT EXISTS (SELECT 1 -- another archive hides it
                            FROM x_build_shadow sh
                            WHERE sh.build_id = s.build_id AND sh.mount = pa.ordinal AND sh.row = pe.row)
            AND CASE ps.context
                    WHEN 0 THEN NOT EXISTS (SELECT 1
                                            FROM x_value_set o
                                            JOIN x_build_value bv ON bv.build_id = s.build_id AND bv.set_id = o.set_id
                                            WHERE o.content_id = ps.content_id AND o.header = ps.header)
                    ELSE EXISTS (SELECT 1 FROM x_build_value bv WHERE bv.build_id = s.build_id AND bv.set_id = ps.set_id)
                END)
    -- each with the names of the properties that nearer ones set, between slashes
    SELECT json_group_array(json_array(depth, archive_id, path_id, set_id, ordinal, json(range), nearer))
    FROM (SELECT *, group_concat(names, '') OVER (ORDER BY depth ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS nearer
          FROM (SELECT *,
                       CASE
                           WHEN depth < deepest
                               THEN (SELECT group_concat('/' || property || '/', '')
                                     FROM (SELECT DISTINCT lower(substr(coalesce(qf.name, qn.name), 1,
                                                                        min(instr(coalesce(qf.name, qn.name) || '.', '.'),
                                                                            instr(coalesce(qf.name, qn.name) || '[', '[')) - 1)) AS property
                                           FROM x_property q
                                           JOIN x_name qn ON qn.name_id = q.name_id
                                           LEFT JOIN x_name qf ON qf.name_id = q.field_id
                                           WHERE q.set_id = o.set_id AND q.export = o.ordinal AND q.flags & 1 = 0
                                               AND q.seq >= o.range ->> 0 AND q.seq < o.range ->> 1))
                       END AS names
                -- values lie in the order of the exports: where those of one begin and end is found by halving
                FROM (SELECT *,
                             max(depth) OVER () AS deepest,
                             (
        WITH RECURSIVE half (export, low, high) AS (
            SELECT u.value, 0, coalesce((SELECT max(q.seq) FROM x_property q WHERE q.set_id = up.set_id), -1) + 1
            FROM json_each(json_array(up.ordinal, up.ordinal + 1)) u
            UNION ALL
            SELECT half.export,
                   iif(q.export < half.export, (low + high) / 2 + 1, low),
                   iif(q.export < half.export, high, (low + high) / 2)
            FROM half
            LEFT JOIN x_property q ON q.set_id = up.set_id AND q.seq = (low + high) / 2
            WHERE low < high)
        SELECT json_array(min(low), max(low)) FROM half WHERE low >= high) AS range
                      FROM up) o)))) c
CROSS JOIN x_property v ON v.set_id = c.value ->> 3 AND v.export = c.value ->> 4
    AND v.seq >= c.value ->> '$[5][0]' AND v.seq < c.value ->> '$[5][1]'
CROSS JOIN x_value_set os ON os.set_id = v.set_id
LEFT JOIN x_name n ON n.name_id = v.name_id
LEFT JOIN x_name f ON f.name_id = v.field_id
LEFT JOIN x_name vk ON vk.name_id = v.key_id
LEFT JOIN x_name vt ON vt.name_id = v.text_id
LEFT JOIN x_word t ON t.word_id = v.type_id
LEFT JOIN x_value_export rx ON rx.set_id = v.set_id AND rx.ordinal = v.ref - 1
LEFT JOIN x_name ro ON ro.name_id = rx.outer_path_id
LEFT JOIN x_name rn ON rn.name_id = rx.object_id
LEFT JOIN x_build_symbol bs ON bs.build_id = s.build_id AND bs.space_id = (SELECT word_id FROM x_word WHERE word = 'package') AND bs.key = v.target
LEFT JOIN x_path tp ON tp.path_id = bs.path_id
LEFT JOIN x_dir td ON td.dir_id = tp.dir_id
LEFT JOIN x_value_export ox ON ox.set_id = v.set_id AND ox.ordinal = v.export
LEFT JOIN x_name oo ON oo.name_id = ox.outer_path_id
LEFT JOIN x_name om ON om.name_id = ox.object_id
LEFT JOIN x_path op ON op.path_id = c.value ->> 2
LEFT JOIN x_dir od ON od.dir_id = op.dir_id
WHERE (c.value ->> 0 = 0
        OR v.flags & 1 = 0
            AND (instr(coalesce(c.value ->> 6, ''),
                       '/' || lower(substr(coalesce(f.name, n.name), 1,
                                           min(instr(coalesce(f.name, n.name) || '.', '.'), instr(coalesce(f.name, n.name) || '[', '[')) - 1))
                           || '/') = 0 -- no nearer one sets a part of the property
                OR NOT EXISTS (SELECT 1
                                FROM json_each(c.json) g -- a nearer one sets the field
                                JOIN x_property w ON w.set_id = g.value ->> 3 AND w.export = g.value ->> 4 AND w.flags & 1 = 0
                                    AND w.seq >= g.value ->> '$[5][0]' AND w.seq < g.value ->> '$[5][1]'
                                JOIN x_name wn ON wn.name_id = w.name_id
                                LEFT JOIN x_name wf ON wf.name_id = w.field_id
                                WHERE g.value ->> 0 < c.value ->> 0
                                    AND CASE
                                            -- containers are inherited whole; fixed arrays, which have no [0], by element
                                            WHEN w.place = 0 OR w.key_id IS NOT NULL
                                                THEN substr(coalesce(wf.name, wn.name), 1, instr(coalesce(wf.name, wn.name) || '[]', '[]') - 1)
                                                    = substr(coalesce(f.name, n.name), 1, instr(coalesce(f.name, n.name) || '[]', '[]') - 1) COLLATE NOCASE
                                            WHEN coalesce(wf.name, wn.name) = coalesce(f.name, n.name) COLLATE NOCASE AND w.place IS v.place AND v.key_id IS NULL
                                                THEN 1
                                            -- an empty container, an array in one value, a struct that is zero or not understood;
                                            -- a struct without fields inherits them
                                            WHEN w.place IS NULL AND (w.flags & 26 OR w.value IS NULL AND w.text_id IS NULL AND w.ref IS NULL
                                                    AND w.type_id NOT IN (SELECT word_id FROM x_word WHERE word GLOB 'Struct<*'))
                                                THEN substr(coalesce(f.name, n.name || iif(v.place IS NULL AND v.key_id IS NULL, '', '[]')), 1,
                                                            length(coalesce(wf.name, wn.name)) + 1) COLLATE NOCASE
                                                    IN (coalesce(wf.name, wn.name) || '.', coalesce(wf.name, wn.name) || '[')
                                        END)));

-- view data_tables: tables of rows and of curves
CREATE VIEW data_tables AS
SELECT s.build,
       s.archive,
       s.path,
       s.package,
       (coalesce(xo.name, '') || xn.name || coalesce('_' || x.number, '')) COLLATE NOCASE AS data_table,
       xc.name COLLATE NOCASE AS class,
       (SELECT vt.name
        FROM x_property v
        JOIN x_name n ON n.name_id = v.name_id AND n.name = 'RowStruct' COLLATE NOCASE
        LEFT JOIN x_name vt ON vt.name_id = v.text_id
        WHERE v.set_id = s.set_id AND v.export = x.ordinal
        LIMIT 1) COLLATE NOCASE AS row_struct,
       CAST((SELECT count(DISTINCT v.key_id)
             FROM x_property v
             WHERE v.set_id = s.set_id AND v.export = x.ordinal AND v.flags & 1) AS INTEGER) AS row_count,
       x.ordinal AS export_ordinal,
       s.path_id,
       s.content_id,
       s.set_id,
       s.archive_id,
       s.build_id
FROM x_valued s
JOIN x_value_export x ON x.set_id = s.set_id
JOIN x_name xc ON xc.name_id = x.class_id
LEFT JOIN x_name xo ON xo.name_id = x.outer_path_id
LEFT JOIN x_name xn ON xn.name_id = x.object_id
WHERE x.status < 2
    AND xc.name COLLATE NOCASE IN ('DataTable', 'CompositeDataTable', 'CurveTable', 'CompositeCurveTable');

-- view data_table_rows: the cells of data tables
CREATE VIEW data_table_rows AS
SELECT s.build,
       s.archive,
       s.path,
       s.package,
       (coalesce(xo.name, '') || xn.name || coalesce('_' || x.number, '')) COLLATE NOCASE AS data_table,
       vk.name COLLATE NOCASE AS row_name,
       substr(f.name, 8) COLLATE NOCASE AS field,
       n.name COLLATE NOCASE AS name,
       t.word COLLATE NOCASE AS type,
       CASE
           WHEN v.flags & 8 THEN NULL
           WHEN v.ref > 0 THEN coalesce(ro.name, '') || rn.name || coalesce('_' || rx.number, '')
           WHEN v.value IS NULL THEN vt.name
           ELSE v.value
       END AS value,
       CASE WHEN v.ref > 0 THEN s.path ELSE td.prefix || tp.name END AS target,
       v.value AS number,
       v.seq AS position,
       v.export AS export_ordinal,
       v.name_id,
       v.key_id,
       s.path_id,
       s.content_id,
       s.set_id,
       s.archive_id,
       s.build_id
FROM x_valued s
JOIN x_property v ON v.set_id = s.set_id
JOIN x_value_export x ON x.set_id = v.set_id AND x.ordinal = v.export
JOIN x_name xc ON xc.name_id = x.class_id
LEFT JOIN x_name xo ON xo.name_id = x.outer_path_id
LEFT JOIN x_name xn ON xn.name_id = x.object_id
LEFT JOIN x_name n ON n.name_id = v.name_id
LEFT JOIN x_name f ON f.name_id = v.field_id
LEFT JOIN x_name vk ON vk.name_id = v.key_id
LEFT JOIN x_name vt ON vt.name_id = v.text_id
LEFT JOIN x_word t ON t.word_id = v.type_id
LEFT JOIN x_value_export rx ON rx.set_id = v.set_id AND rx.ordinal = v.ref - 1
LEFT JOIN x_name ro ON ro.name_id = rx.outer_path_id
LEFT JOIN x_name rn ON rn.name_id = rx.object_id
LEFT JOIN x_build_symbol bs ON bs.build_id = s.build_id AND bs.space_id = (SELECT word_id FROM x_word WHERE word = 'package') AND bs.key = v.target
LEFT JOIN x_path tp ON tp.path_id = bs.path_id
LEFT JOIN x_dir td ON td.dir_id = tp.dir_id
WHERE v.flags & 1 AND v.key_id IS NOT NULL AND xc.name COLLATE NOCASE IN ('DataTable', 'CompositeDataTable');

-- view curve_keys: the points of curves, of curve tables too
CREATE VIEW curve_keys AS
SELECT s.build,
       s.archive,
       s.path,
       s.package,
       (coalesce(xo.name, '') || xn.name || coalesce('_' || x.number, '')) COLLATE NOCASE AS export,
       xc.name COLLATE NOCASE AS class,
       replace(substr(f.name, 1, instr(lower(f.name), '.keys[') - 1), '[]', '[' || coalesce(vk.name, v.place) || ']') COLLATE NOCASE AS curve,
       CASE WHEN f.name LIKE 'Rows[]%' THEN vk.name END COLLATE NOCASE AS row_name,
       v.value AS time,
       w.value AS value,
       m.value AS mode,
       v.seq AS position,
       v.export AS export_ordinal,
       s.path_id,
       s.content_id,
       s.set_id,
       s.archive_id,
       s.build_id
FROM x_valued s
JOIN x_property v ON v.set_id = s.set_id
JOIN x_name n ON n.name_id = v.name_id AND n.name = 'Time' COLLATE NOCASE
JOIN x_name f ON f.name_id = v.field_id AND f.name LIKE '%Keys[%].Time'
JOIN x_property w ON w.set_id = v.set_id AND w.seq = v.seq + 1
LEFT JOIN x_property m ON m.set_id = v.set_id AND m.seq = v.seq - 3 AND m.export = v.export AND m.name_id IN (SELECT im.name_id FROM x_name im WHERE im.name = 'InterpMode' COLLATE NOCASE)
LEFT JOIN x_name vk ON vk.name_id = v.key_id
JOIN x_value_export x ON x.set_id = v.set_id AND x.ordinal = v.export
LEFT JOIN x_name xc ON xc.name_id = x.class_id
LEFT JOIN x_name xo ON xo.name_id = x.outer_path_id
LEFT JOIN x_name xn ON xn.name_id = x.object_id;

-- view strings: texts: of string tables, of properties in packages, and their translations
CREATE VIEW strings AS
SELECT s.build,
       s.archive,
       s.path,
       s.package,
       (coalesce(xo.name, '') || xn.name || coalesce('_' || x.number, '')) COLLATE NOCASE AS export,
       xc.name COLLATE NOCASE AS class,
       coalesce(f.name, n.name) COLLATE NOCASE AS field,
       CAST(CASE
           WHEN pt.set_id IS NOT NULL THEN ns.name
           ELSE (SELECT q.name
                 FROM x_property o
                 JOIN x_name q ON q.name_id = o.text_id
                 WHERE o.set_id = v.set_id AND o.export = v.export AND o.seq < v.seq
                     AND o.name_id IN (SELECT tn.name_id FROM x_name tn WHERE tn.name = 'TableNamespace' COLLATE NOCASE)
                 LIMIT 1)
       END AS TEXT) AS namespace,
       CAST(CASE WHEN pt.set_id IS NOT NULL THEN pk.name ELSE vk.name END AS TEXT) AS key,
       vt.name AS text,
       v.seq AS position,
       v.export AS export_ordinal,
       s.path_id,
       s.content_id,
       s.set_id,
       s.archive_id,
       s.build_id,
       NULL AS culture,
       NULL AS source_hash,
       CAST(NULL AS INTEGER) AS stale
FROM x_valued s
JOIN x_property v ON v.set_id = s.set_id
LEFT JOIN x_property_text pt ON pt.set_id = v.set_id AND pt.seq = v.seq
LEFT JOIN x_name ns ON ns.name_id = pt.namespace_id
LEFT JOIN x_name pk ON pk.name_id = pt.key_id
LEFT JOIN x_name n ON n.name_id = v.name_id
LEFT JOIN x_name f ON f.name_id = v.field_id
LEFT JOIN x_name vk ON vk.name_id = v.key_id
LEFT JOIN x_name vt ON vt.name_id = v.text_id
JOIN x_value_export x ON x.set_id = v.set_id AND x.ordinal = v.export
LEFT JOIN x_name xc ON xc.name_id = x.class_id
LEFT JOIN x_name xo ON xo.name_id = x.outer_path_id
LEFT JOIN x_name xn ON xn.name_id = x.object_id
WHERE (pt.set_id IS NOT NULL OR v.flags & 1 AND v.key_id IS NOT NULL AND n.name = 'KeysToEntries' COLLATE NOCASE AND xc.name = 'StringTable' COLLATE NOCASE)
UNION ALL
SELECT t.build,
       t.archive,
       t.path,
       NULL,
       NULL,
       NULL,
       NULL,
       t.namespace,
       t.key,
       t.text,
       t.ordinal,
       NULL,
       t.path_id,
       t.content_id,
       NULL,
       t.archive_id,
       t.build_id,
       CAST(t.culture AS TEXT),
       t.source_hash,
       t.stale
FROM translations t
UNION ALL
SELECT e.build,
       e.archive,
       e.path,
       NULL,
       NULL,
       NULL,
       NULL,
       NULL,
       CAST(coalesce(k.name, r.number) AS TEXT),
       x.name,
       r.seq,
       NULL,
       e.path_id,
       e.content_id,
       NULL,
       e.archive_id,
       e.build_id,
       l.word,
       NULL,
       CAST(NULL AS INTEGER)
FROM x_stored e
JOIN x_retro_string r ON r.content_id = e.content_id
LEFT JOIN x_word l ON l.word_id = r.language_id
LEFT JOIN x_name k ON k.name_id = r.key_id
LEFT JOIN x_name x ON x.name_id = r.text_id
UNION ALL
SELECT s.build,
       s.archive,
       s.path,
       s.package,
       coalesce(xo.name, '') || xn.name || coalesce('_' || x.number, ''),
       xc.name,
       'code',
       ns.name,
       pk.name,
       n.name,
       v.seq,
       v.export,
       s.path_id,
       s.content_id,
       s.set_id,
       s.archive_id,
       s.build_id,
       NULL,
       NULL,
       CAST(NULL AS INTEGER)
FROM x_valued s
JOIN x_script_text pt ON pt.set_id = s.set_id
JOIN x_script_use v ON v.set_id = pt.set_id AND v.seq = pt.seq
LEFT JOIN x_name ns ON ns.name_id = pt.namespace_id
LEFT JOIN x_name pk ON pk.name_id = pt.key_id
LEFT JOIN x_name n ON n.name_id = v.name_id
JOIN x_value_export x ON x.set_id = v.set_id AND x.ordinal = v.export
LEFT JOIN x_name xc ON xc.name_id = x.class_id
LEFT JOIN x_name xo ON xo.name_id = x.outer_path_id
LEFT JOIN x_name xn ON xn.name_id = x.object_id;

-- view enums: the members of enums, in packages and in mappings
CREATE VIEW enums AS
SELECT s.build,
       s.archive,
       s.path,
       s.package,
       NULL AS mappings,
       CAST(coalesce(xo.name, '') || xn.name || coalesce('_' || x.number, '') AS TEXT) COLLATE NOCASE AS enum,
       n.name COLLATE NOCASE AS name,
       v.value,
       v.seq AS position,
       s.path_id,
       s.content_id,
       s.set_id,
       s.archive_id,
       s.build_id
FROM x_valued s
JOIN x_enum_member v ON v.set_id = s.set_id
JOIN x_value_export x ON x.set_id = v.set_id AND x.ordinal = v.export
LEFT JOIN x_name xo ON xo.name_id = x.outer_path_id
LEFT JOIN x_name xn ON xn.name_id = x.object_id
LEFT JOIN x_name n ON n.name_id = v.name_id
UNION ALL
SELECT NULL, NULL, NULL, substr(xo.name, 1, length(xo.name) - 1), m.name, xn.name, n.name, v.value, v.seq, NULL, NULL, s.set_id, NULL, NULL
FROM x_mapping m
JOIN x_value_set s ON s.mapping_id = m.mapping_id
JOIN x_enum_member v ON v.set_id = s.set_id
JOIN x_value_export x ON x.set_id = v.set_id AND x.ordinal = v.export
LEFT JOIN x_name xo ON xo.name_id = x.outer_path_id
LEFT JOIN x_name xn ON xn.name_id = x.object_id
LEFT JOIN x_name n ON n.name_id = v.name_id;

-- view class_fields: the properties that classes and structs declare, in packages and in mappings
CREATE VIEW class_fields AS
SELECT s.build,
       s.archive,
       s.path,
       s.package,
       NULL AS mappings,
       CAST(coalesce(xo.name, '') || xn.name || coalesce('_' || x.number, '') AS TEXT) COLLATE NOCASE AS class,
       sn.name COLLATE NOCASE AS super,
       n.name COLLATE NOCASE AS name,
       t.name COLLATE NOCASE AS type,
       v.count AS elements,
       v.place AS position,
       v.flags,
       s.path_id,
       s.content_id,
       s.set_id,
       s.archive_id,
       s.build_id
FROM x_valued s
JOIN x_class_field v ON v.set_id = s.set_id
JOIN x_value_export x ON x.set_id = v.set_id AND x.ordinal = v.export
LEFT JOIN x_name xo ON xo.name_id = x.outer_path_id
LEFT JOIN x_name xn ON xn.name_id = x.object_id
LEFT JOIN x_name sn ON sn.name_id = x.super_id
LEFT JOIN x_name n ON n.name_id = v.name_id
LEFT JOIN x_name t ON t.name_id = v.type_id
UNION ALL
SELECT NULL, NULL, NULL, substr(xo.name, 1, length(xo.name) - 1), m.name, xn.name, sn.name, n.name, t.name, v.count, v.place, v.flags,
       NULL, NULL, s.set_id, NULL, NULL
FROM x_mapping m
JOIN x_value_set s ON s.mapping_id = m.mapping_id
JOIN x_class_field v ON v.set_id = s.set_id
JOIN x_value_export x ON x.set_id = v.set_id AND x.ordinal = v.export
LEFT JOIN x_name xo ON xo.name_id = x.outer_path_id
LEFT JOIN x_name xn ON xn.name_id = x.object_id
LEFT JOIN x_name sn ON sn.name_id = x.super_id
LEFT JOIN x_name n ON n.name_id = v.name_id
LEFT JOIN x_name t ON t.name_id = v.type_id;

-- view property_coverage: how much of the values in packages was understood
CREATE VIEW property_coverage AS
SELECT s.build,
       s.archive,
       s.path,
       s.package,
       CASE WHEN s.engine > 0 THEN printf('%d.%d', s.engine / 100, s.engine % 100) END AS engine,
       CAST(s.traits >> 1 & 1 AS INTEGER) AS engine_guessed,
       CAST(s.traits & 1 AS INTEGER) AS unversioned,
       s.exports,
       s.exact,
       s.tailed,
       s.lost,
       s.fields,
       s.opaque,
       s.guessed,
       s.bytes,
       s.opaque_bytes,
       s.tail_bytes,
       s.missing,
       mn.name COLLATE NOCASE AS missing_class,
       s.path_id,
       s.content_id,
       s.set_id,
       s.archive_id,
       s.build_id
FROM x_valued s
LEFT JOIN x_name mn ON mn.name_id = s.missing_id;
