-- Contents that a quick scan left open, and that have been read since.
UPDATE entry_row INDEXED BY entry_unread
SET content_id = s.content_id
FROM stored_sum s
JOIN content c ON c.content_id = s.content_id
WHERE entry_row.content_id IS NULL AND entry_row.sum IS NOT NULL
  AND s.sum = entry_row.sum AND s.method_id = entry_row.method_id AND s.stored = entry_row.stored
  AND s.encrypted = entry_row.flags & 1 AND c.size = entry_row.size;
