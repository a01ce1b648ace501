-- view content_counts: what the heads of contents tell, and what texts were counted to have
CREATE VIEW content_counts AS
SELECT b.label AS build,
       ba.name AS archive,
       d.prefix || p.name AS path,
       k.word AS kind,
       w.word AS figure,
       x.value,
       c.size,
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
JOIN x_content_count x ON x.content_id = e.content_id
JOIN x_content c ON c.content_id = e.content_id
LEFT JOIN x_word k ON k.word_id = c.kind_id
LEFT JOIN x_word w ON w.word_id = x.figure_id
WHERE b.complete = 1;
