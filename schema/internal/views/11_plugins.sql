-- view plugins: what plugins and projects of Unreal Engine say of themselves
CREATE VIEW plugins AS
SELECT b.label AS build,
       ba.name AS archive,
       d.prefix || p.name AS path,
       CASE x.project WHEN 1 THEN 'project' ELSE 'plugin' END AS type,
       coalesce(n.name, substr(p.name, 1, length(p.name) - length(px.word) - 1)) COLLATE NOCASE AS plugin,
       t.name AS title,
       o.name AS description,
       g.name AS category,
       u.name AS created_by,
       x.version,
       v.name AS version_name,
       w.name AS engine,
       x.enabled,
       x.content AS has_content,
       x.modules,
       x.plugins AS uses,
       x.seq AS ordinal,
       e.path_id,
       e.content_id,
       e.archive_id,
       b.build_id
FROM x_build b
JOIN x_build_archive ba ON ba.build_id = b.build_id
JOIN x_entry e ON e.archive_id = ba.archive_id
LEFT JOIN x_path p ON p.path_id = e.path_id
LEFT JOIN x_dir d ON d.dir_id = p.dir_id
LEFT JOIN x_word px ON px.word_id = p.ext_id
JOIN x_plugin_descriptor x ON x.content_id = e.content_id
LEFT JOIN x_name n ON n.name_id = x.name_id
LEFT JOIN x_name t ON t.name_id = x.title_id
LEFT JOIN x_name o ON o.name_id = x.description_id
LEFT JOIN x_name g ON g.name_id = x.category_id
LEFT JOIN x_name u ON u.name_id = x.created_by_id
LEFT JOIN x_name v ON v.name_id = x.version_name_id
LEFT JOIN x_name w ON w.name_id = x.engine_id
WHERE b.complete = 1;
