-- Contents that a quick scan left open, and that have been read since.
UPDATE entry INDEXED BY entry_unread
SET content_id = s.content_id
FROM stored_sum s
JOIN content c ON c.content_id = s.content_id
WHERE entry.content_id IS NULL AND entry.sum IS NOT NULL
  AND s.sum = entry.sum AND s.method_id = entry.method_id AND s.stored = entry.stored
  AND s.encrypted = entry.flags & 1 AND c.size = entry.size;
