-- Packages that values of the build ?1 name by paths, as references of the packages whose
-- values they are: of exports that lie in a .uexp, and of lists that were read when the
-- scan was over. Other values bring their references with their content. Sets of values
-- above ?2 are new.
INSERT OR IGNORE INTO x_word (word) VALUES ('value'), ('package');
CREATE TEMP TABLE value_ref AS
SELECT h.content_id, (2 << 32) + min(p.seq) AS seq, p.target AS key, min(k.name_id) AS name_id
FROM x_value_set s
CROSS JOIN x_entry e ON e.content_id = s.content_id
CROSS JOIN x_build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = ?1
CROSS JOIN x_value_entry ve ON ve.lineage_id = e.lineage_id AND ve.row = e.row AND ve.header = s.header
CROSS JOIN x_entry h ON h.path_id = ve.path_id AND h.archive_id = e.archive_id
CROSS JOIN x_property p ON p.set_id = s.set_id AND p.target IS NOT NULL AND p.ref IS NULL
CROSS JOIN x_name_key k ON k.key = p.target
WHERE s.set_id > ?2 AND (s.header <> 0 OR s.context <> 0) AND h.content_id IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM x_ref r WHERE r.content_id = h.content_id AND r.key = p.target)
    AND NOT EXISTS (SELECT 1 FROM x_entry_symbol es WHERE es.lineage_id = h.lineage_id AND es.row = h.row AND es.key = p.target) -- itself
GROUP BY h.content_id, p.target;
INSERT OR IGNORE INTO x_ref (content_id, seq, kind_id, space_id, key, flags, name_id)
SELECT content_id, seq, (SELECT word_id FROM x_word WHERE word = 'value'), (SELECT word_id FROM x_word WHERE word = 'package'), key, 0, name_id
FROM temp.value_ref;
INSERT OR IGNORE INTO x_ref_key (key, content_id)
SELECT key, content_id FROM temp.value_ref ORDER BY key, content_id;
DROP TABLE temp.value_ref;
