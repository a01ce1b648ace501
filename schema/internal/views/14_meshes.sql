-- view meshes: the meshes that asset registries count: vertices, triangles, levels of detail
CREATE VIEW meshes AS
SELECT e.build,
       e.archive,
       e.path,
       pn.name COLLATE NOCASE AS package,
       n.name COLLATE NOCASE AS asset,
       c.name COLLATE NOCASE AS class,
       CAST(max(CASE WHEN lower(tn.name) = 'vertices' THEN CAST(v.name AS INTEGER) END) FILTER (WHERE v.name GLOB '[0-9]*' AND v.name NOT GLOB '*[^0-9]*') AS INTEGER) AS vertices,
       CAST(max(CASE WHEN lower(tn.name) = 'triangles' THEN CAST(v.name AS INTEGER) END) FILTER (WHERE v.name GLOB '[0-9]*' AND v.name NOT GLOB '*[^0-9]*') AS INTEGER) AS triangles,
       CAST(max(CASE WHEN lower(tn.name) = 'lods' THEN CAST(v.name AS INTEGER) END) FILTER (WHERE v.name GLOB '[0-9]*' AND v.name NOT GLOB '*[^0-9]*') AS INTEGER) AS lods,
       CAST(max(CASE WHEN lower(tn.name) = 'materials' THEN CAST(v.name AS INTEGER) END) FILTER (WHERE v.name GLOB '[0-9]*' AND v.name NOT GLOB '*[^0-9]*') AS INTEGER) AS materials,
       CAST(max(CASE WHEN lower(tn.name) = 'uvchannels' THEN CAST(v.name AS INTEGER) END) FILTER (WHERE v.name GLOB '[0-9]*' AND v.name NOT GLOB '*[^0-9]*') AS INTEGER) AS uv_channels,
       CAST(max(CASE WHEN lower(tn.name) = 'nanitetriangles' THEN CAST(v.name AS INTEGER) END) FILTER (WHERE v.name GLOB '[0-9]*' AND v.name NOT GLOB '*[^0-9]*') AS INTEGER) AS nanite_triangles,
       a.seq AS ordinal,
       a.package_id,
       e.path_id,
       e.content_id,
       e.archive_id,
       e.build_id
FROM x_stored e
JOIN x_registry_tag t ON t.content_id = e.content_id
JOIN x_registry_asset a ON a.content_id = t.content_id AND a.seq = t.asset
JOIN x_name c ON c.name_id = a.class_id AND (c.name LIKE '%.StaticMesh' OR c.name LIKE '%.SkeletalMesh' OR c.name COLLATE NOCASE IN ('StaticMesh', 'SkeletalMesh'))
LEFT JOIN x_name pn ON pn.name_id = a.package_id
LEFT JOIN x_name n ON n.name_id = a.object_id
LEFT JOIN x_name tn ON tn.name_id = t.tag_id
LEFT JOIN x_name v ON v.name_id = t.value_id
GROUP BY e.build_id, e.archive_id, e.row, a.seq
HAVING triangles IS NOT NULL OR vertices IS NOT NULL;
