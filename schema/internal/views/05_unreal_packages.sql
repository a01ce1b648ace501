-- view packages: one row per Unreal package (UE1 to UE5)
CREATE VIEW packages AS
SELECT e.build,
       e.archive,
       e.path,
       coalesce(n.name,
                root.word || substr(e.path, s.start, length(e.path) - length(x.word) - s.start), -- without the extension
                own.name) COLLATE NOCASE AS package,
       w.word AS engine,
       k.version,
       k.licensee,
       k.engine_version,
       k.cooker_version,
       k.flags,
       CASE WHEN k.guid IS NOT NULL THEN hex(k.guid) END AS guid,
       k.name_count,
       k.import_count,
       k.export_count,
       c.word AS compression,
       k.version5,
       k.legacy_version,
       l.word AS layout,
       k.compatible_engine,
       CASE WHEN k.persistent_guid IS NOT NULL THEN hex(k.persistent_guid) END AS persistent_guid,
       CASE WHEN k.saved_hash IS NOT NULL THEN hex(k.saved_hash) END AS saved_hash,
       k.header_size,
       CAST(k.traits & 1 AS INTEGER) AS big_endian,
       CAST(k.traits >> 1 & 1 AS INTEGER) AS unversioned,
       CAST(k.traits >> 2 & 1 AS INTEGER) AS split,
       e.ordinal AS entry,
       s.key AS package_key,
       e.path_id,
       e.content_id,
       e.archive_id,
       e.build_id,
       e.row AS row_id
FROM x_stored e
JOIN x_package k ON k.content_id = e.content_id
LEFT JOIN x_word w ON w.word_id = k.engine_id
LEFT JOIN x_word l ON l.word_id = k.layout_id
LEFT JOIN x_word c ON c.word_id = k.compression_id
LEFT JOIN x_entry_symbol s ON s.lineage_id = e.lineage_id AND s.row = e.row
    AND s.space_id = (SELECT word_id FROM x_word WHERE word = 'package')
LEFT JOIN x_name n ON n.name_id = s.name_id
LEFT JOIN x_word root ON root.word_id = s.root_id
LEFT JOIN x_word x ON x.word_id = e.ext_id
LEFT JOIN x_name own ON own.name_id = k.name_id;

-- view package_names: the name tables of Unreal packages
CREATE VIEW package_names AS
SELECT e.build,
       e.archive,
       e.path,
       k.ordinal,
       n.name COLLATE NOCASE AS name,
       k.flags,
       k.name_id,
       e.path_id,
       e.content_id,
       e.archive_id,
       e.build_id
FROM x_stored e
JOIN x_package_name k ON k.content_id = e.content_id
LEFT JOIN x_name n ON n.name_id = k.name_id;

-- view imports: objects of other packages that Unreal packages use, one row per object
CREATE VIEW imports AS
SELECT e.build,
       e.archive,
       e.path,
       k.ordinal,
       cp.name COLLATE NOCASE AS class_package,
       cn.name COLLATE NOCASE AS class,
       substr(o.name, 1, length(o.name) - 1) COLLATE NOCASE AS outer,
       (n.name || coalesce('_' || k.number, '')) COLLATE NOCASE AS object,
       (coalesce(o.name, '') || n.name
           || coalesce('_' || k.number, '')) COLLATE NOCASE AS full_name,
       k.outer AS outer_index,
       CAST(k.flags & 1 AS INTEGER) AS native,
       CAST(k.flags >> 1 & 1 AS INTEGER) AS editor,
       CAST(k.flags >> 2 & 1 AS INTEGER) AS optional,
       e.path_id,
       e.content_id,
       e.archive_id,
       e.build_id
FROM x_stored e
JOIN x_package_import k ON k.content_id = e.content_id
LEFT JOIN x_name n ON n.name_id = k.object_id
LEFT JOIN x_name cp ON cp.name_id = k.class_package_id
LEFT JOIN x_name cn ON cn.name_id = k.class_id
LEFT JOIN x_name o ON o.name_id = k.outer_path_id;

-- view exports: the objects in Unreal packages
CREATE VIEW exports AS
SELECT e.build,
       e.archive,
       e.path,
       k.ordinal,
       cn.name COLLATE NOCASE AS class,
       sn.name COLLATE NOCASE AS super,
       substr(o.name, 1, length(o.name) - 1) COLLATE NOCASE AS outer,
       (n.name || coalesce('_' || k.number, '')) COLLATE NOCASE AS object,
       (coalesce(o.name, '') || n.name
           || coalesce('_' || k.number, '')) COLLATE NOCASE AS full_name,
       k.flags,
       k.offset,
       k.size,
       k.class AS class_index,
       k.super AS super_index,
       k.outer AS outer_index,
       k.archetype AS archetype_index,
       k.export_flags,
       k.package_flags,
       e.path_id,
       e.content_id,
       e.archive_id,
       e.build_id,
       CASE WHEN dg.exports IS NOT NULL THEN hex(substr(dg.exports, k.ordinal * 8 + 1, 8)) END AS hash
FROM x_stored e
JOIN x_package_export k ON k.content_id = e.content_id
LEFT JOIN x_name n ON n.name_id = k.object_id
LEFT JOIN x_name cn ON cn.name_id = k.class_id
LEFT JOIN x_name sn ON sn.name_id = k.super_id
LEFT JOIN x_name o ON o.name_id = k.outer_path_id
LEFT JOIN x_package_digest dg ON dg.content_id = k.content_id AND dg.header = 0;

-- view package_generations: the counts of earlier saves of Unreal packages
CREATE VIEW package_generations AS
SELECT e.build,
       e.archive,
       e.path,
       k.ordinal,
       k.exports,
       k.names,
       k.net_objects,
       e.path_id,
       e.content_id,
       e.archive_id,
       e.build_id
FROM x_stored e
JOIN x_package_generation k ON k.content_id = e.content_id;
