-- view plugins: what plugins and projects of Unreal Engine say of themselves
CREATE VIEW plugins AS
SELECT e.build,
       e.archive,
       e.path,
       CASE x.project WHEN 1 THEN 'project' ELSE 'plugin' END AS type,
       coalesce(n.name, substr(e.name, 1, length(e.name) - length(px.word) - 1)) COLLATE NOCASE AS plugin,
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
       e.build_id
FROM x_stored e
LEFT JOIN x_word px ON px.word_id = e.ext_id
JOIN x_plugin_descriptor x ON x.content_id = e.content_id
LEFT JOIN x_name n ON n.name_id = x.name_id
LEFT JOIN x_name t ON t.name_id = x.title_id
LEFT JOIN x_name o ON o.name_id = x.description_id
LEFT JOIN x_name g ON g.name_id = x.category_id
LEFT JOIN x_name u ON u.name_id = x.created_by_id
LEFT JOIN x_name v ON v.name_id = x.version_name_id
LEFT JOIN x_name w ON w.name_id = x.engine_id;
