-- What a row has exactly one of (its method, its path) is joined by LEFT JOIN
-- all the same: such a join is never put first, and left out where nobody asks
-- for its columns.

-- The offset of an entry is packed (archive_place): pakdb has it in place of NULL.

-- view x_entry: the entries of each archive, as tables know them; x_stored has builds and paths
CREATE VIEW x_entry AS
SELECT v.archive_id,
       CAST(CASE v.edition
           WHEN 0 THEN (r.row >> 8) - 1048576
           ELSE (SELECT s.ordinal + (r.row - s.row) / s.step
                 FROM x_archive_place s
                 WHERE s.archive_id = v.archive_id AND s.row <= r.row
                 ORDER BY s.row DESC
                 LIMIT 1)
       END AS INTEGER) AS ordinal,
       r.path_id,
       r.content_id,
       r.stored,
       r.size,
       r.method_id,
       r.flags,
       r.mtime,
       r.type_id,
       r.id_hi,
       r.id_lo,
       r.id_bits,
       r.path_hash,
       r.sum,
       r.padded,
       r.lineage_id,
       r.row,
       v.edition,
       v.format,
       v.mount_point,
       v.game_root
FROM x_archive v
JOIN x_entry_row r ON r.lineage_id = v.lineage_id
    AND r.since <= v.edition AND (r.until = 0 OR r.until > v.edition);

-- view x_stored: the entries of all complete builds with their paths, on which other views are built
CREATE VIEW x_stored AS
SELECT b.label AS build,
       ba.name AS archive,
       d.prefix || p.name AS path,
       d.prefix,
       d.dir,
       p.name,
       p.ext_id,
       ba.ordinal AS mount,
       ba.mount_order,
       ba.stem,
       e.*,
       b.build_id
FROM x_build b
JOIN x_build_archive ba ON ba.build_id = b.build_id
JOIN x_entry e ON e.archive_id = ba.archive_id
LEFT JOIN x_path p ON p.path_id = e.path_id
LEFT JOIN x_dir d ON d.dir_id = p.dir_id
WHERE b.complete = 1;

-- Grouped by the label, too, so that a condition on build comes before the grouping.

-- view builds: one row per complete build
CREATE VIEW builds AS
SELECT b.label AS build,
       b.created_at,
       CAST(count(a.archive_id) AS INTEGER) AS archive_count,
       CAST(coalesce(sum(a.entry_count), 0) AS INTEGER) AS entry_count,
       CAST(coalesce(sum(a.entry_size), 0) AS INTEGER) AS size,
       CAST(coalesce(sum(a.entry_stored), 0) AS INTEGER) AS stored,
       CAST(coalesce(sum(a.problem_count + ba.value_problems), 0) AS INTEGER) AS problem_count,
       b.build_id
FROM x_build b
LEFT JOIN x_build_archive ba ON ba.build_id = b.build_id
LEFT JOIN x_archive a ON a.archive_id = ba.archive_id
WHERE b.complete = 1
GROUP BY b.build_id, b.label;

-- view archives: one row per file of a build
CREATE VIEW archives AS
SELECT b.label AS build,
       ba.name AS archive,
       a.format,
       a.version,
       a.size,
       CASE WHEN a.digest IS NOT NULL THEN lower(hex(a.digest)) END AS digest,
       a.mount_point,
       ba.mount_order,
       a.encrypted,
       a.entry_count,
       CAST(a.problem_count + ba.value_problems AS INTEGER) AS problem_count,
       ba.location,
       a.archive_id,
       b.build_id
FROM x_build b
JOIN x_build_archive ba ON ba.build_id = b.build_id
JOIN x_archive a ON a.archive_id = ba.archive_id
WHERE b.complete = 1;

-- view entries: one row per stored file of every archive of every build
CREATE VIEW entries AS
SELECT e.build,
       e.archive,
       e.ordinal,
       e.path,
       e.dir,
       e.name,
       x.word AS ext,
       t.word AS type,
       CASE e.id_bits
           WHEN 32 THEN printf('%08x', e.id_lo)
           WHEN 64 THEN printf('%016x', e.id_lo)
           WHEN 96 THEN printf('%08x%016x', e.id_hi, e.id_lo)
           WHEN 128 THEN printf('%016x%016x', e.id_hi, e.id_lo)
       END AS asset_id,
       CASE WHEN e.path_hash IS NOT NULL THEN printf('%016x', e.path_hash) END AS path_hash,
       CAST(NULL AS INTEGER) AS offset,
       e.stored,
       e.size,
       m.word AS method,
       CAST(e.flags & 1 AS INTEGER) AS encrypted,
       CAST(e.flags >> 1 & 1 AS INTEGER) AS deleted,
       datetime(e.mtime, 'unixepoch') AS mtime,
       CASE WHEN c.content_id IS NOT NULL THEN lower(hex(c.hash)) END AS content,
       k.word AS kind,
       e.id_lo AS asset_key,
       e.path_hash AS path_hash_key,
       e.path_id,
       e.content_id,
       e.archive_id,
       e.build_id,
       CASE WHEN e.padded IS NOT NULL THEN lower(hex(e.padded)) END AS padded_content,
       CAST(e.flags >> 3 & 1 AS INTEGER) AS nested,
       e.row AS row_id,
       CASE
           WHEN e.flags & 40 = 0 -- what lies in archives that are entries, and what describes an archive, is no file of the game
               THEN coalesce((SELECT na.game_root || nd.prefix || np.name
                              FROM x_build_name bn
                              JOIN x_path np ON np.path_id = bn.path_id
                              JOIN x_dir nd ON nd.dir_id = np.dir_id
                              JOIN x_build_archive nb ON nb.build_id = bn.build_id AND nb.ordinal = bn.by_mount
                              JOIN x_archive na ON na.archive_id = nb.archive_id
                              WHERE bn.build_id = e.build_id AND bn.mount = e.mount AND bn.row = e.row),
                             e.game_root || e.path)
       END AS game_path
FROM x_stored e
LEFT JOIN x_word m ON m.word_id = e.method_id
LEFT JOIN x_word x ON x.word_id = e.ext_id
LEFT JOIN x_word t ON t.word_id = e.type_id
LEFT JOIN x_content c ON c.content_id = e.content_id
LEFT JOIN x_word k ON k.word_id = c.kind_id;

-- view contents: one row per distinct decoded content
CREATE VIEW contents AS
SELECT lower(hex(c.hash)) AS content,
       c.size,
       k.word AS kind,
       CAST((SELECT count(*)
        FROM x_entry e
        JOIN x_build_archive ba ON ba.archive_id = e.archive_id
        JOIN x_build b ON b.build_id = ba.build_id AND b.complete = 1
        WHERE e.content_id = c.content_id) AS INTEGER) AS entry_count,
       CAST((SELECT count(DISTINCT b.build_id)
        FROM x_entry e
        JOIN x_build_archive ba ON ba.archive_id = e.archive_id
        JOIN x_build b ON b.build_id = ba.build_id AND b.complete = 1
        WHERE e.content_id = c.content_id) AS INTEGER) AS build_count,
       c.content_id
FROM x_content c
LEFT JOIN x_word k ON k.word_id = c.kind_id
WHERE EXISTS (SELECT 1
              FROM x_entry e
              JOIN x_build_archive ba ON ba.archive_id = e.archive_id
              JOIN x_build b ON b.build_id = ba.build_id AND b.complete = 1
              WHERE e.content_id = c.content_id);

-- view duplicates: contents that one build holds more than once
CREATE VIEW duplicates AS
SELECT g.build, lower(hex(c.hash)) AS content, c.size, g.copies, g.wasted, g.content_id, g.build_id
FROM (SELECT b.label AS build, b.build_id, e.content_id, CAST(count(*) AS INTEGER) AS copies,
             CAST(sum(e.stored) - max(e.stored) AS INTEGER) AS wasted
      FROM x_build b
      JOIN x_build_archive ba ON ba.build_id = b.build_id
      JOIN x_entry e ON e.archive_id = ba.archive_id
      WHERE b.complete = 1 AND e.content_id IS NOT NULL
      GROUP BY b.build_id, b.label, e.content_id -- label as in builds
      HAVING count(*) > 1) g
JOIN x_content c ON c.content_id = g.content_id;

-- view problems: findings about archives, entries and contents
CREATE VIEW problems AS
SELECT b.label AS build, ba.name AS archive, p.path, p.field, p.offset, p.cause,
       p.ordinal, p.archive_id, b.build_id, p.whole
FROM x_build b
JOIN x_build_archive ba ON ba.build_id = b.build_id
JOIN x_problem p ON p.archive_id = ba.archive_id
WHERE b.complete = 1
UNION ALL
SELECT b.label, ba.name, CAST(d.prefix || pa.name AS TEXT), cp.field, cp.offset, cp.cause,
       e.ordinal, e.archive_id, b.build_id, CAST(0 AS INTEGER)
FROM x_content_problem cp
CROSS JOIN x_entry e ON e.content_id = cp.content_id -- contents with findings are few
JOIN x_build_archive ba ON ba.archive_id = e.archive_id
JOIN x_build b ON b.build_id = ba.build_id
LEFT JOIN x_path pa ON pa.path_id = e.path_id
LEFT JOIN x_dir d ON d.dir_id = pa.dir_id
WHERE b.complete = 1
UNION ALL
SELECT b.label, ba.name, CAST(d.prefix || pa.name AS TEXT), f.name, vp.offset, c.name,
       e.ordinal, e.archive_id, b.build_id, CAST(0 AS INTEGER)
FROM x_value_problem vp
CROSS JOIN x_value_set s ON s.set_id = vp.set_id
CROSS JOIN x_entry e ON e.content_id = s.content_id
CROSS JOIN x_value_entry ve ON ve.lineage_id = e.lineage_id AND ve.row = e.row AND ve.header = s.header
JOIN x_build_archive ba ON ba.archive_id = e.archive_id
JOIN x_build b ON b.build_id = ba.build_id
JOIN x_name f ON f.name_id = vp.field_id
JOIN x_name c ON c.name_id = vp.cause_id
LEFT JOIN x_path pa ON pa.path_id = e.path_id
LEFT JOIN x_dir d ON d.dir_id = pa.dir_id
WHERE b.complete = 1
    AND CASE s.context
            WHEN 0 THEN NOT EXISTS (SELECT 1
                                    FROM x_value_set o
                                    JOIN x_build_value bv ON bv.build_id = b.build_id AND bv.set_id = o.set_id
                                    WHERE o.content_id = s.content_id AND o.header = s.header)
            ELSE EXISTS (SELECT 1 FROM x_build_value bv WHERE bv.build_id = b.build_id AND bv.set_id = s.set_id)
        END;

-- view totals: entries and bytes of each archive by extension, type, method and flags
CREATE VIEW totals AS
SELECT b.label AS build,
       ba.name AS archive,
       x.word AS ext,
       t.word AS type,
       m.word AS method,
       CAST(s.flags & 1 AS INTEGER) AS encrypted,
       CAST(s.flags >> 1 & 1 AS INTEGER) AS deleted,
       CAST(s.flags >> 3 & 1 AS INTEGER) AS nested,
       s.entries,
       s.size,
       s.stored,
       s.archive_id,
       b.build_id
FROM x_build b
JOIN x_build_archive ba ON ba.build_id = b.build_id
JOIN x_archive_sum s ON s.archive_id = ba.archive_id
LEFT JOIN x_word x ON x.word_id = s.ext_id
LEFT JOIN x_word t ON t.word_id = s.type_id
LEFT JOIN x_word m ON m.word_id = s.method_id
WHERE b.complete = 1
UNION ALL
SELECT b.label, ba.name, x.word, t.word, m.word, CAST(e.flags & 1 AS INTEGER), CAST(e.flags >> 1 & 1 AS INTEGER), CAST(e.flags >> 3 & 1 AS INTEGER),
       CAST(1 AS INTEGER), e.size, e.stored, e.archive_id, b.build_id
FROM x_build b
JOIN x_build_archive ba ON ba.build_id = b.build_id
    AND NOT EXISTS (SELECT 1 FROM x_archive_sum s WHERE s.archive_id = ba.archive_id)
JOIN x_entry e ON e.archive_id = ba.archive_id
LEFT JOIN x_path p ON p.path_id = e.path_id
LEFT JOIN x_word x ON x.word_id = p.ext_id
LEFT JOIN x_word t ON t.word_id = e.type_id
LEFT JOIN x_word m ON m.word_id = e.method_id
WHERE b.complete = 1;
