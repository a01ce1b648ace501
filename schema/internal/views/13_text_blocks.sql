-- view text_blocks: the lines of JSON, XML, CSV, Lua and other texts, some at a time
CREATE VIEW text_blocks AS
SELECT b.label AS build,
       ba.name AS archive,
       d.prefix || p.name AS path,
       l.line,
       n.name AS text,
       l.seq AS ordinal,
       e.path_id,
       e.content_id,
       e.archive_id,
       b.build_id
FROM x_build b
JOIN x_build_archive ba ON ba.build_id = b.build_id
JOIN x_entry e ON e.archive_id = ba.archive_id
LEFT JOIN x_path p ON p.path_id = e.path_id
LEFT JOIN x_dir d ON d.dir_id = p.dir_id
JOIN x_text_block l ON l.content_id = e.content_id
LEFT JOIN x_name n ON n.name_id = l.name_id
WHERE b.complete = 1;
