-- Contents that a quick scan left open, and that have been read since.
UPDATE entry_row INDEXED BY entry_unread
SET content_id = c.content_id
FROM sum_key k
CROSS JOIN content c ON c.content_id = k.content_id
WHERE entry_row.content_id IS NULL AND entry_row.sum IS NOT NULL
  AND k.key = key_of_sum(entry_row.sum) AND c.size = entry_row.size
  AND EXISTS (SELECT 1
              FROM entry_row r
              WHERE r.content_id = c.content_id AND r.sum = entry_row.sum AND r.method_id = entry_row.method_id
                AND r.stored = entry_row.stored AND r.flags & 1 = entry_row.flags & 1);
