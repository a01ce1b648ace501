-- view assets: the assets that asset registries list
CREATE VIEW assets AS
SELECT e.build,
       e.archive,
       e.path,
       pn.name COLLATE NOCASE AS package,
       n.name COLLATE NOCASE AS asset,
       c.name COLLATE NOCASE AS class,
       a.chunks,
       a.flags,
       a.bundled AS bundled_count,
       CAST((SELECT max(k.disk_size)
             FROM x_registry_package k
             WHERE k.content_id = a.content_id AND k.package_id = a.package_id) AS INTEGER) AS disk_size,
       a.seq AS ordinal,
       a.package_id,
       e.path_id,
       e.content_id,
       e.archive_id,
       e.build_id
FROM x_stored e
JOIN x_registry_asset a ON a.content_id = e.content_id
LEFT JOIN x_name pn ON pn.name_id = a.package_id
LEFT JOIN x_name n ON n.name_id = a.object_id
LEFT JOIN x_name c ON c.name_id = a.class_id;

-- view asset_tags: the tags of assets, as asset registries have them
CREATE VIEW asset_tags AS
SELECT e.build,
       e.archive,
       e.path,
       pn.name COLLATE NOCASE AS package,
       n.name COLLATE NOCASE AS asset,
       tn.name COLLATE NOCASE AS tag,
       v.name AS value,
       t.seq AS ordinal,
       a.package_id,
       e.path_id,
       e.content_id,
       e.archive_id,
       e.build_id
FROM x_stored e
JOIN x_registry_tag t ON t.content_id = e.content_id
JOIN x_registry_asset a ON a.content_id = t.content_id AND a.seq = t.asset
LEFT JOIN x_name pn ON pn.name_id = a.package_id
LEFT JOIN x_name n ON n.name_id = a.object_id
LEFT JOIN x_name tn ON tn.name_id = t.tag_id
LEFT JOIN x_name v ON v.name_id = t.value_id;

-- view asset_dependencies: what packages and primary assets need, as asset registries say
CREATE VIEW asset_dependencies AS
SELECT e.build,
       e.archive,
       e.path,
       fn.name COLLATE NOCASE AS source,
       tn.name COLLATE NOCASE AS target,
       CASE r.kind WHEN 0 THEN CASE WHEN r.flags & 1 THEN 'hard' ELSE 'soft' END WHEN 1 THEN 'name' ELSE 'manage' END AS kind,
       CAST(r.flags & 1 AS INTEGER) AS hard,
       CAST(r.flags >> 1 & 1 AS INTEGER) AS game,
       r.flags,
       fsd.prefix || fsp.name AS source_path,
       tsd.prefix || tsp.name AS target_path,
       r.from_key AS source_key,
       r.to_key AS target_key,
       r.seq AS ordinal,
       fs.path_id AS source_path_id,
       ts.path_id AS target_path_id,
       e.path_id,
       e.content_id,
       e.archive_id,
       e.build_id
FROM x_stored e
JOIN x_registry_dependency r ON r.content_id = e.content_id
LEFT JOIN x_name fn ON fn.name_id = r.from_id
LEFT JOIN x_name tn ON tn.name_id = r.to_id
LEFT JOIN x_build_symbol fs ON fs.build_id = e.build_id AND fs.key = r.from_key
    AND fs.space_id = (SELECT word_id FROM x_word WHERE word = 'package')
LEFT JOIN x_path fsp ON fsp.path_id = fs.path_id
LEFT JOIN x_dir fsd ON fsd.dir_id = fsp.dir_id
LEFT JOIN x_build_symbol ts ON ts.build_id = e.build_id AND ts.key = r.to_key
    AND ts.space_id = (SELECT word_id FROM x_word WHERE word = 'package')
LEFT JOIN x_path tsp ON tsp.path_id = ts.path_id
LEFT JOIN x_dir tsd ON tsd.dir_id = tsp.dir_id;

-- view asset_packages: the files of packages, as asset registries and the build have them
CREATE VIEW asset_packages AS
SELECT e.build,
       e.archive,
       e.path,
       n.name COLLATE NOCASE AS package,
       k.disk_size,
       k.ext,
       lower(hex(k.cooked_hash)) AS cooked_hash,
       k.flags,
       ksd.prefix || ksp.name AS package_path,
       k.key AS package_key,
       k.seq AS ordinal,
       ks.path_id AS package_path_id,
       e.path_id,
       e.content_id,
       e.archive_id,
       e.build_id
FROM x_stored e
JOIN x_registry_package k ON k.content_id = e.content_id
LEFT JOIN x_name n ON n.name_id = k.package_id
LEFT JOIN x_build_symbol ks ON ks.build_id = e.build_id AND ks.key = k.key
    AND ks.space_id = (SELECT word_id FROM x_word WHERE word = 'package')
LEFT JOIN x_path ksp ON ksp.path_id = ks.path_id
LEFT JOIN x_dir ksd ON ksd.dir_id = ksp.dir_id;
