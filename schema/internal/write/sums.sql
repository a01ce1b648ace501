-- Adds the checksums of archives that sum_key does not have yet: of lineages of which it has
-- none, and of the editions after those that it has. A checksum that is the start of the
-- content's own hash needs no key.
INSERT OR IGNORE INTO x_sum_key (key, content_id)
SELECT DISTINCT key_of_sum(r.sum) AS key, r.content_id
FROM x_archive a
CROSS JOIN x_entry_row r ON r.lineage_id = a.lineage_id
CROSS JOIN x_content c ON c.content_id = r.content_id
WHERE a.archive_id IN (SELECT min(archive_id)
                       FROM x_archive
                       WHERE complete = 1
                       GROUP BY lineage_id
                       HAVING max(summed) = 0)
  AND r.sum IS NOT NULL AND substr(c.hash, 1, length(r.sum)) <> r.sum
ORDER BY key, r.content_id;

INSERT OR IGNORE INTO x_sum_key (key, content_id)
SELECT DISTINCT key_of_sum(r.sum) AS key, r.content_id
FROM (SELECT lineage_id, max(edition) FILTER (WHERE summed = 1) AS edition
      FROM x_archive
      WHERE complete = 1
      GROUP BY lineage_id
      HAVING max(summed) = 1 AND min(summed) = 0) AS done
CROSS JOIN x_entry_row r INDEXED BY entry_since ON r.lineage_id = done.lineage_id AND r.since > done.edition AND r.since > 0
CROSS JOIN x_content c ON c.content_id = r.content_id
WHERE r.sum IS NOT NULL AND substr(c.hash, 1, length(r.sum)) <> r.sum
ORDER BY key, r.content_id;

UPDATE x_archive SET summed = 1 WHERE summed = 0 AND complete = 1;
