-- What pakdb relies on beside the constraints of its tables. Each step yields what
-- is wrong: the label of a build or NULL, and a text. Rows of an interrupted scan
-- may lack what is added at its end, so they are left out.

-- step integrity: pages and indexes, as SQLite checks them
SELECT NULL, integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok';

-- step references: rows have what they refer to in other tables
SELECT NULL, printf('%d rows of %s lack what they refer to in %s', count(*), "table", parent)
FROM pragma_foreign_key_check
WHERE "table" GLOB 'x_*'
GROUP BY "table", parent;

-- step mounts: what a build mounts is there, and complete
SELECT b.label, 'archive ' || ba.archive_id || ', ' || ba.name || ', is ' || iif(a.archive_id IS NULL, 'not there', 'not complete')
FROM x_build b
JOIN x_build_archive ba ON ba.build_id = b.build_id
LEFT JOIN x_archive a ON a.archive_id = ba.archive_id
WHERE b.complete = 1 AND coalesce(a.complete, 0) <> 1;

-- step counts: an archive has as many entries and bytes as were counted
SELECT (SELECT b.label FROM x_build_archive ba JOIN x_build b ON b.build_id = ba.build_id
        WHERE ba.archive_id = a.archive_id AND b.complete = 1 LIMIT 1),
    printf('archive %d has %d entries of %d bytes, stored in %d; counted were %d, %d and %d', a.archive_id,
        coalesce(e.n, 0), coalesce(e.size, 0), coalesce(e.stored, 0), a.entry_count, a.entry_size, a.entry_stored)
FROM x_archive a
LEFT JOIN (SELECT archive_id, count(*) AS n, sum(size) AS size, sum(stored) AS stored FROM x_entry GROUP BY archive_id) e
    ON e.archive_id = a.archive_id
WHERE a.complete = 1
    AND (a.entry_count, a.entry_size, a.entry_stored) IS NOT (coalesce(e.n, 0), coalesce(e.size, 0), coalesce(e.stored, 0));

-- step totals: sums over the entries of an archive are those of its entries
SELECT (SELECT b.label FROM x_build_archive ba JOIN x_build b ON b.build_id = ba.build_id
        WHERE ba.archive_id = a.archive_id AND b.complete = 1 LIMIT 1),
    printf('archive %d has sums by extension of %d entries of %d bytes, stored in %d; it has %d, %d and %d', a.archive_id,
        s.n, s.size, s.stored, a.entry_count, a.entry_size, a.entry_stored)
FROM x_archive a
JOIN (SELECT archive_id, sum(entries) AS n, sum(size) AS size, sum(stored) AS stored FROM x_archive_sum GROUP BY archive_id) s
    ON s.archive_id = a.archive_id
WHERE (a.entry_count, a.entry_size, a.entry_stored) IS NOT (s.n, s.size, s.stored);

-- step folders: sums over the files of folders are those of the archive's files
SELECT (SELECT b.label FROM x_build_archive ba JOIN x_build b ON b.build_id = ba.build_id
        WHERE ba.archive_id = s.archive_id AND b.complete = 1 LIMIT 1),
    printf('archive %d has sums by folder of %d files of %d bytes, stored in %d; by extension these are %d, %d and %d', s.archive_id,
        f.n, f.size, f.stored, s.n, s.size, s.stored)
FROM (SELECT archive_id, sum(entries) AS n, sum(size) AS size, sum(stored) AS stored FROM x_archive_sum
      WHERE flags & 42 = 0 GROUP BY archive_id) s
LEFT JOIN (SELECT a.archive_id, sum(f.files) AS n, sum(f.size) AS size, sum(f.stored) AS stored
           FROM x_archive a
           JOIN x_folder_sum f ON f.lineage_id = a.lineage_id AND f.since <= a.edition AND (f.until = 0 OR f.until > a.edition)
           GROUP BY a.archive_id) f
    ON f.archive_id = s.archive_id
WHERE (f.n, f.size, f.stored) IS NOT (s.n, s.size, s.stored);

-- step paths: a path is found by its key
SELECT NULL, 'path ' || p.path_id || ', ' || d.prefix || p.name || ', has not the key that its text has'
FROM x_path p
JOIN x_dir d ON d.dir_id = p.dir_id
WHERE NOT EXISTS (SELECT 1 FROM x_build WHERE complete = 0)
    AND NOT EXISTS (SELECT 1 FROM x_path_key k WHERE k.key = key_of_path(d.prefix || p.name) AND k.path_id = p.path_id);

-- step dirs: a folder's text is its prefix without the last slash
SELECT NULL, 'folder ' || dir_id || ', ' || prefix || ', is called ' || dir
FROM x_dir
WHERE prefix <> '' AND prefix NOT IN (dir || '/', dir);

-- step contents: a content is found by its key, and its hash has a length that hashes have
SELECT NULL, 'content ' || c.content_id || ' has not the key that its hash has'
FROM x_content c
WHERE NOT EXISTS (SELECT 1 FROM x_build WHERE complete = 0)
    AND (length(c.hash) NOT IN (20, 32)
        OR NOT EXISTS (SELECT 1 FROM x_content_key k WHERE k.key = key_of_content(c.hash) AND k.content_id = c.content_id));

-- step names: a name is found by its key
SELECT NULL, 'name ' || n.name_id || ', ' || n.name || ', has not the key that its text has'
FROM x_name n
WHERE NOT EXISTS (SELECT 1 FROM x_build WHERE complete = 0)
    AND NOT EXISTS (SELECT 1 FROM x_name_key k WHERE k.key = key_of_name(n.name) AND k.name_id = n.name_id);

-- step keys: a key leads to a row
SELECT NULL, 'a key of path ' || k.path_id || ', which is not there' FROM x_path_key k
WHERE NOT EXISTS (SELECT 1 FROM x_path p WHERE p.path_id = k.path_id)
UNION ALL
SELECT NULL, 'a key of content ' || k.content_id || ', which is not there' FROM x_content_key k
WHERE NOT EXISTS (SELECT 1 FROM x_content c WHERE c.content_id = k.content_id)
UNION ALL
SELECT NULL, 'a key of name ' || k.name_id || ', which is not there' FROM x_name_key k
WHERE NOT EXISTS (SELECT 1 FROM x_name n WHERE n.name_id = k.name_id)
UNION ALL
SELECT NULL, 'a checksum of content ' || k.content_id || ', which is not there' FROM x_sum_key k
WHERE NOT EXISTS (SELECT 1 FROM x_content c WHERE c.content_id = k.content_id);

-- step one key: beside the key by which it is found a row has no other, which would stay when the row goes
SELECT NULL, printf('%d keys of %d %s', keys, "rows", called)
FROM (SELECT 'paths' AS called, (SELECT count(*) FROM x_path_key) AS keys, (SELECT count(*) FROM x_path) AS "rows"
    UNION ALL SELECT 'contents', (SELECT count(*) FROM x_content_key), (SELECT count(*) FROM x_content)
    UNION ALL SELECT 'names', (SELECT count(*) FROM x_name_key), (SELECT count(*) FROM x_name))
WHERE keys > "rows" AND NOT EXISTS (SELECT 1 FROM x_build WHERE complete = 0);

-- step sums: a content is found by what archives say about its stored bytes, where that was asked for
SELECT NULL, 'row ' || r.row || ' of lineage ' || r.lineage_id || ' has a checksum that does not lead to content ' || r.content_id
FROM x_entry_row r
JOIN x_content c ON c.content_id = r.content_id
WHERE r.sum IS NOT NULL AND substr(c.hash, 1, length(r.sum)) <> r.sum
    AND r.since <= (SELECT max(edition) FROM x_archive a WHERE a.lineage_id = r.lineage_id AND a.summed = 1)
    AND NOT EXISTS (SELECT 1 FROM x_sum_key k WHERE k.key = key_of_sum(r.sum) AND k.content_id = r.content_id);
