-- Contents that a quick scan left open, and that have been read since.
UPDATE x_entry_row INDEXED BY entry_unread
SET content_id = c.content_id
FROM x_sum_key k
CROSS JOIN x_content c ON c.content_id = k.content_id
WHERE x_entry_row.content_id IS NULL AND x_entry_row.sum IS NOT NULL
  AND k.key = key_of_sum(x_entry_row.sum) AND c.size = x_entry_row.size
  AND EXISTS (SELECT 1
              FROM x_entry_row r
              WHERE r.content_id = c.content_id AND r.sum = x_entry_row.sum AND r.method_id = x_entry_row.method_id
                AND r.stored = x_entry_row.stored AND r.flags & 1 = x_entry_row.flags & 1);
