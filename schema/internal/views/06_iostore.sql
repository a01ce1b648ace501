-- A package's id is a hash of its name, and the start of the ids of its chunks:
-- whoever knows the name of one knows it for all, in whatever build. Its chunk of
-- type ExportBundleData has 1, in UE4 2, where others have index and type.

-- view chunks: the chunks of IoStore containers, with the packages they belong to
CREATE VIEW chunks AS
SELECT e.build,
       e.archive,
       coalesce(nd.prefix || np.name, e.path) AS path,
       t.word AS type,
       printf('%08x%016x', e.id_hi, e.id_lo) AS chunk_id,
       CASE WHEN t.word IN ('ExportBundleData', 'BulkData', 'OptionalBulkData', 'MemoryMappedBulkData')
            THEN (SELECT coalesce(n.name, root.word || substr(pd.prefix || pp.name, s.start,
                                                              length(pd.prefix || pp.name) - length(px.word) - s.start)) -- as in packages
                  FROM x_entry pe
                  LEFT JOIN x_package k ON k.content_id = pe.content_id
                  LEFT JOIN x_entry_symbol s ON s.lineage_id = pe.lineage_id AND s.row = pe.row
                      AND s.space_id = (SELECT word_id FROM x_word WHERE word = 'package')
                  LEFT JOIN x_name n ON n.name_id = coalesce(k.name_id, s.name_id)
                  LEFT JOIN x_word root ON root.word_id = s.root_id
                  LEFT JOIN x_path pp ON pp.path_id = pe.path_id
                  LEFT JOIN x_dir pd ON pd.dir_id = pp.dir_id
                  LEFT JOIN x_word px ON px.word_id = pp.ext_id
                  WHERE (n.name_id IS NOT NULL OR s.root_id IS NOT NULL)
                    AND pe.id_lo IN (((e.id_lo >> 32) << 32) | 1, ((e.id_lo >> 32) << 32) | 2)
                    AND pe.id_hi = e.id_hi AND pe.id_bits = 96
                  LIMIT 1)
       END COLLATE NOCASE AS package,
       CAST(e.flags >> 4 & 1 AS INTEGER) AS unnamed,
       e.size,
       e.stored,
       m.word AS method,
       CASE WHEN c.content_id IS NOT NULL THEN lower(hex(c.hash)) END AS content,
       e.ordinal,
       CAST(coalesce(bn.path_id, e.path_id) AS INTEGER) AS path_id,
       e.content_id,
       e.archive_id,
       e.build_id
FROM x_stored e
LEFT JOIN x_word t ON t.word_id = e.type_id
LEFT JOIN x_word m ON m.word_id = e.method_id
LEFT JOIN x_content c ON c.content_id = e.content_id
LEFT JOIN x_build_name bn ON bn.build_id = e.build_id AND bn.mount = e.mount AND bn.row = e.row
LEFT JOIN x_path np ON np.path_id = bn.path_id
LEFT JOIN x_dir nd ON nd.dir_id = np.dir_id
WHERE e.format = 'iostore';

-- view container_packages: the packages that IoStore containers list, and what each imports
CREATE VIEW container_packages AS
SELECT e.build,
       e.archive,
       printf('%016x', k.package) AS package_id,
       d.prefix || p.name AS path,
       CAST((SELECT count(*) FROM x_container_import i WHERE i.content_id = k.content_id AND i.package = k.package AND i.soft = 0) AS INTEGER)
           AS import_count,
       CAST((SELECT count(*) FROM x_container_import i WHERE i.content_id = k.content_id AND i.package = k.package AND i.soft = 1) AS INTEGER)
           AS soft_count,
       k.shaders AS shader_count,
       k.optional,
       k.package AS package_key,
       bs.path_id,
       e.content_id,
       e.archive_id,
       e.build_id
FROM x_stored e
JOIN x_container_package k ON k.content_id = e.content_id
LEFT JOIN x_build_symbol bs ON bs.build_id = e.build_id AND bs.key = k.package
    AND bs.space_id = (SELECT word_id FROM x_word WHERE word = 'package-id')
LEFT JOIN x_path p ON p.path_id = bs.path_id
LEFT JOIN x_dir d ON d.dir_id = p.dir_id;

-- view container_imports: imports between packages, as IoStore containers list them
CREATE VIEW container_imports AS
SELECT e.build,
       e.archive,
       printf('%016x', i.package) AS package_id,
       d.prefix || p.name AS path,
       printf('%016x', i.import) AS import_id,
       td.prefix || tp.name AS import_path,
       i.soft,
       i.package AS package_key,
       i.import AS import_key,
       bs.path_id,
       ts.path_id AS import_path_id,
       e.content_id,
       e.archive_id,
       e.build_id
FROM x_stored e
JOIN x_container_import i ON i.content_id = e.content_id
LEFT JOIN x_build_symbol bs ON bs.build_id = e.build_id AND bs.key = i.package
    AND bs.space_id = (SELECT word_id FROM x_word WHERE word = 'package-id')
LEFT JOIN x_path p ON p.path_id = bs.path_id
LEFT JOIN x_dir d ON d.dir_id = p.dir_id
LEFT JOIN x_build_symbol ts ON ts.build_id = e.build_id AND ts.key = i.import
    AND ts.space_id = (SELECT word_id FROM x_word WHERE word = 'package-id')
LEFT JOIN x_path tp ON tp.path_id = ts.path_id
LEFT JOIN x_dir td ON td.dir_id = tp.dir_id;

-- view script_objects: the objects of a game's program that packages in IoStore containers can refer to
CREATE VIEW script_objects AS
SELECT e.build,
       e.archive,
       n.name COLLATE NOCASE AS object,
       printf('%016x', s.id) AS id,
       s.id AS id_key,
       e.content_id,
       e.archive_id,
       e.build_id
FROM x_stored e
JOIN x_script_object s ON s.content_id = e.content_id
LEFT JOIN x_name n ON n.name_id = s.name_id;
