-- view text_blocks: the lines of JSON, XML, CSV, Lua and other texts, some at a time
CREATE VIEW text_blocks AS
SELECT e.build,
       e.archive,
       e.path,
       l.line,
       n.name AS text,
       l.seq AS ordinal,
       e.path_id,
       e.content_id,
       e.archive_id,
       e.build_id
FROM x_stored e
JOIN x_text_block l ON l.content_id = e.content_id
LEFT JOIN x_name n ON n.name_id = l.name_id;
