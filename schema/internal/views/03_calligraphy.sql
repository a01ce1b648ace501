-- view calligraphy_records: curves, asset types, blueprints and prototypes of Marvel Heroes
CREATE VIEW calligraphy_records AS
SELECT e.build,
       d.prefix || p.name AS path,
       s.word AS kind,
       printf('%016x', r.id) AS id,
       printf('%016x', r.guid) AS guid,
       CASE WHEN r.blueprint <> 0 THEN printf('%016x', r.blueprint) END AS blueprint,
       (SELECT printf('%016x', pr.key)
        FROM x_ref pr
        JOIN x_word w ON w.word_id = pr.kind_id AND w.word = 'parent'
        WHERE pr.content_id = f.content_id AND pr.seq = 0) AS parent,
       bp.runtime_class,
       r.flags,
       CASE WHEN x.word = '' THEN p.name ELSE substr(p.name, 1, length(p.name) - length(x.word) - 1) END AS name,
       r.id AS id_key,
       r.guid AS guid_key,
       r.path_id,
       f.content_id,
       e.archive,
       e.archive_id,
       e.build_id
FROM x_stored e
JOIN x_calligraphy_record r ON r.content_id = e.content_id
LEFT JOIN x_word s ON s.word_id = +r.space_id -- with +, a condition on kind does not make this the way to r
LEFT JOIN x_path p ON p.path_id = r.path_id
LEFT JOIN x_dir d ON d.dir_id = p.dir_id
LEFT JOIN x_word x ON x.word_id = p.ext_id
LEFT JOIN x_entry_row f ON f.path_id = r.path_id AND f.lineage_id = e.lineage_id
    AND f.since <= e.edition AND (f.until = 0 OR f.until > e.edition)
LEFT JOIN x_calligraphy_blueprint bp ON bp.content_id = f.content_id;

-- view calligraphy_assets: the values of Marvel Heroes' asset types
CREATE VIEW calligraphy_assets AS
SELECT e.build,
       e.path AS type,
       a.name AS asset,
       printf('%016x', a.id) AS id,
       printf('%016x', a.guid) AS guid,
       a.flags,
       a.seq AS ordinal,
       a.id AS id_key,
       a.guid AS guid_key,
       e.path_id,
       e.archive,
       e.archive_id,
       e.build_id
FROM x_stored e
JOIN x_calligraphy_asset a ON a.content_id = e.content_id;

-- view x_calligraphy_field: what values of Calligraphy are values of; one name holds all three numbers
CREATE VIEW x_calligraphy_field AS
SELECT name_id AS member_id,
       CAST(substr(name, 1, 20) AS INTEGER) AS blueprint,
       CAST(substr(name, 22, 20) AS INTEGER) AS field,
       CAST(substr(name, 43) AS INTEGER) AS copy
FROM x_name;

-- view calligraphy_fields: every value that a prototype of Marvel Heroes sets
CREATE VIEW calligraphy_fields AS
SELECT e.build,
       e.path,
       bpd.prefix || bpp.name AS blueprint,
       (SELECT m.name
        FROM x_entry be
        JOIN x_build_archive bba ON bba.archive_id = be.archive_id AND bba.build_id = e.build_id
        JOIN x_calligraphy_member m ON m.content_id = be.content_id AND m.field = vf.field
        WHERE be.path_id = bbs.path_id
        LIMIT 1) AS field,
       v.type,
       v.ordinal,
       CASE v.type
           WHEN 'A' THEN coalesce((SELECT a.name
                                   FROM x_calligraphy_asset a -- the order in which they are read
                                   CROSS JOIN x_entry ae ON ae.content_id = a.content_id
                                   CROSS JOIN x_build_archive aba ON aba.archive_id = ae.archive_id AND aba.build_id = e.build_id
                                   WHERE a.id = v.value
                                   LIMIT 1), CASE WHEN v.value <> 0 THEN printf('%016x', v.value) END)
           WHEN 'B' THEN v.value
           WHEN 'D' THEN v.value
           WHEN 'L' THEN v.value
           ELSE CASE WHEN v.value <> 0 THEN printf('%016x', v.value) END
       END AS value,
       td.prefix || tp.name AS target,
       v.position,
       v.owner,
       vf.copy AS copy,
       printf('%016x', vf.field) AS field_id,
       printf('%016x', vf.blueprint) AS blueprint_id,
       e.path_id,
       e.content_id,
       e.archive,
       e.archive_id,
       e.build_id
FROM x_stored e
JOIN x_calligraphy_value v ON v.content_id = e.content_id
LEFT JOIN x_calligraphy_field vf ON vf.member_id = v.member_id
LEFT JOIN x_build_symbol bbs ON bbs.build_id = e.build_id AND bbs.key = vf.blueprint
    AND bbs.space_id = (SELECT word_id FROM x_word WHERE word = 'blueprint')
LEFT JOIN x_path bpp ON bpp.path_id = bbs.path_id
LEFT JOIN x_dir bpd ON bpd.dir_id = bpp.dir_id
LEFT JOIN x_build_symbol ts ON ts.build_id = e.build_id AND ts.key = v.value
    AND ts.space_id = (SELECT word_id FROM x_word
                       WHERE word = CASE v.type WHEN 'A' THEN 'asset' WHEN 'C' THEN 'curve' WHEN 'P' THEN 'prototype'
                                                WHEN 'R' THEN 'prototype' WHEN 'T' THEN 'asset_type' END)
LEFT JOIN x_path tp ON tp.path_id = ts.path_id
LEFT JOIN x_dir td ON td.dir_id = tp.dir_id;

-- view calligraphy_effective: every value that a prototype of Marvel Heroes uses, its own and what it inherits
CREATE VIEW calligraphy_effective AS
SELECT e.build,
       e.path,
       f.blueprint,
       f.field,
       f.type,
       f.ordinal,
       f.value,
       f.target,
       f.position,
       f.copy,
       f.path AS origin_path,
       CAST(c.value ->> 3 AS INTEGER) AS depth,
       f.field_id,
       f.blueprint_id,
       f.content_id AS origin_content_id,
       e.path_id,
       e.content_id,
       e.archive,
       e.archive_id,
       e.build_id
FROM x_stored e
JOIN x_content k ON k.content_id = e.content_id
    AND k.kind_id = (SELECT word_id FROM x_word WHERE word = 'calligraphy-prototype')
-- the prototype and its parents, the nearest first; 64 parents end a cycle
JOIN json_each((WITH RECURSIVE up (content_id, archive_id, path_id, depth) AS (
                    SELECT e.content_id, e.archive_id, e.path_id, 0
                    UNION
                    SELECT pe.content_id, pe.archive_id, pe.path_id, up.depth + 1
                    FROM up
                    JOIN x_ref r ON r.content_id = up.content_id AND r.seq = 0
                        AND r.kind_id = (SELECT word_id FROM x_word WHERE word = 'parent')
                    JOIN x_build_symbol bs ON bs.build_id = e.build_id AND bs.space_id = r.space_id AND bs.key = r.key
                    JOIN x_entry pe ON pe.path_id = bs.path_id
                    JOIN x_build_archive pa ON pa.build_id = e.build_id AND pa.archive_id = pe.archive_id
                    WHERE up.depth < 64)
                SELECT json_group_array(json_array(content_id, archive_id, path_id, depth)) FROM up)) c
JOIN calligraphy_fields f ON f.build_id = e.build_id AND f.archive_id = c.value ->> 1 AND f.content_id = c.value ->> 0
    AND f.path_id = c.value ->> 2 AND f.owner IS NULL
JOIN x_calligraphy_value vf ON vf.content_id = f.content_id AND vf.ordinal = f.ordinal
WHERE NOT EXISTS (SELECT 1
                  FROM json_each(c.json) n -- a nearer one sets the field
                  JOIN x_calligraphy_value v ON v.content_id = n.value ->> 0 AND v.member_id = vf.member_id
                      AND v.owner IS NULL
                  WHERE n.value ->> 3 < c.value ->> 3);

-- view calligraphy_curves: the points of Marvel Heroes' curves
CREATE VIEW calligraphy_curves AS
SELECT e.build,
       e.path,
       CAST(c.start + j.key AS INTEGER) AS position,
       j.value,
       e.path_id,
       e.content_id,
       e.archive,
       e.archive_id,
       e.build_id
FROM x_stored e
JOIN x_calligraphy_curve c ON c.content_id = e.content_id
JOIN json_each(c.points) j;

-- view calligraphy_replacements: GUIDs that replaced other GUIDs; chains are followed
CREATE VIEW calligraphy_replacements AS
SELECT e.build,
       printf('%016x', r.old_guid) AS old_guid,
       CASE WHEN r.last_guid <> 0 THEN printf('%016x', r.last_guid) END AS new_guid,
       r.name,
       CASE WHEN r.new_guid <> 0 THEN printf('%016x', r.new_guid) END AS next_guid,
       r.old_guid AS old_key,
       r.last_guid AS new_key,
       e.archive,
       e.archive_id,
       e.build_id
FROM x_stored e
JOIN x_calligraphy_replacement r ON r.content_id = e.content_id;

-- view calligraphy_resources: the heads of Marvel Heroes' cells, districts, props and interfaces
CREATE VIEW calligraphy_resources AS
SELECT e.build,
       e.path,
       printf('%08x', r.signature) AS signature,
       r.version,
       printf('%08x', r.class_id) AS class_id,
       r.class,
       e.path_id,
       e.archive,
       e.archive_id,
       e.build_id
FROM x_stored e
JOIN x_calligraphy_resource r ON r.content_id = e.content_id;
