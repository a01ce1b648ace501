-- view content_counts: figures from the heads of contents, and counts of texts
CREATE VIEW content_counts AS
SELECT e.build,
       e.archive,
       e.path,
       k.word AS kind,
       w.word AS figure,
       x.value,
       c.size,
       x.seq AS ordinal,
       e.path_id,
       e.content_id,
       e.archive_id,
       e.build_id
FROM x_stored e
JOIN x_content_count x ON x.content_id = e.content_id
JOIN x_content c ON c.content_id = e.content_id
LEFT JOIN x_word k ON k.word_id = c.kind_id
LEFT JOIN x_word w ON w.word_id = x.figure_id;
