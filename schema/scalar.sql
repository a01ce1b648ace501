-- The views of views/*.sql whose columns are subqueries: SQLite evaluates only those
-- that a statement uses.
CREATE TEMP VIEW entries AS
SELECT b.label AS build,
       ba.name AS archive,
       e.ordinal,
       (SELECT d.prefix || p.name FROM path p CROSS JOIN dir d ON d.dir_id = p.dir_id WHERE p.path_id = e.path_id) AS path,
       (SELECT d.dir FROM path p CROSS JOIN dir d ON d.dir_id = p.dir_id WHERE p.path_id = e.path_id) AS dir,
       (SELECT p.name FROM path p WHERE p.path_id = e.path_id) AS name,
       (SELECT x.word FROM path p CROSS JOIN word x ON x.word_id = p.ext_id WHERE p.path_id = e.path_id) AS ext,
       (SELECT w.word FROM word w WHERE w.word_id = e.type_id) AS type,
       CASE e.id_bits
           WHEN 32 THEN printf('%08x', e.id_lo)
           WHEN 64 THEN printf('%016x', e.id_lo)
           WHEN 96 THEN printf('%08x%016x', e.id_hi, e.id_lo)
           WHEN 128 THEN printf('%016x%016x', e.id_hi, e.id_lo)
       END AS asset_id,
       CASE WHEN e.path_hash IS NOT NULL THEN printf('%016x', e.path_hash) END AS path_hash,
       e.offset,
       e.stored,
       e.size,
       (SELECT w.word FROM word w WHERE w.word_id = e.method_id) AS method,
       e.flags & 1 AS encrypted,
       e.flags >> 1 & 1 AS deleted,
       datetime(e.mtime, 'unixepoch') AS mtime,
       (SELECT lower(hex(c.hash)) FROM content c WHERE c.content_id = e.content_id) AS content,
       (SELECT w.word FROM content c CROSS JOIN word w ON w.word_id = c.kind_id WHERE c.content_id = e.content_id) AS kind,
       e.id_lo AS asset_key,
       e.path_hash AS path_hash_key,
       e.path_id,
       e.content_id,
       e.archive_id,
       b.build_id,
       CASE WHEN e.padded IS NOT NULL THEN lower(hex(e.padded)) END AS padded_content,
       e.flags >> 3 & 1 AS nested,
       e.row AS row_id
FROM build b
JOIN build_archive ba ON ba.build_id = b.build_id
JOIN entry e ON e.archive_id = ba.archive_id
WHERE b.complete = 1;

CREATE TEMP VIEW files AS
SELECT b.label AS build,
       (SELECT d.prefix || p.name
        FROM path p
        CROSS JOIN dir d ON d.dir_id = p.dir_id
        WHERE p.path_id = coalesce((SELECT bn.path_id
                                    FROM build_name bn
                                    WHERE bn.build_id = b.build_id AND bn.mount = ba.ordinal AND bn.row = e.row), e.path_id)) AS path,
       ba.name AS archive,
       e.ordinal,
       e.size,
       (SELECT lower(hex(c.hash)) FROM content c WHERE c.content_id = e.content_id) AS content,
       (SELECT count(*)
        FROM build_shadow s
        WHERE s.build_id = b.build_id AND s.by_mount = ba.ordinal AND s.by_row = e.row) AS shadowed_count,
       a.mount_point,
       ba.mount_order,
       e.file_key,
       coalesce((SELECT bn.path_id
                 FROM build_name bn
                 WHERE bn.build_id = b.build_id AND bn.mount = ba.ordinal AND bn.row = e.row), e.path_id) AS path_id,
       e.content_id,
       e.archive_id,
       b.build_id,
       coalesce(ba.stem, ba.name) AS mount
FROM build b
JOIN build_archive ba ON ba.build_id = b.build_id
JOIN archive a ON a.archive_id = ba.archive_id
JOIN entry e ON e.archive_id = ba.archive_id
WHERE b.complete = 1
  AND e.flags & 42 = 0
  AND NOT EXISTS (SELECT 1
                  FROM build_shadow s
                  WHERE s.build_id = b.build_id AND s.mount = ba.ordinal AND s.row = e.row);
