-- The users' stable surface. Dropped and made anew after every migration;
-- columns are only ever added. Each view's first comment line is its summary
-- in SCHEMA.md.

-- view builds: one row per complete build
CREATE VIEW builds AS
SELECT b.label AS build,
       b.created_at,
       count(a.archive_id) AS archive_count,
       coalesce(sum(a.entry_count), 0) AS entry_count,
       coalesce(sum(a.entry_size), 0) AS size,
       coalesce(sum(a.entry_stored), 0) AS stored,
       coalesce(sum(a.problem_count), 0) AS problem_count,
       b.build_id
FROM build b
LEFT JOIN build_archive ba ON ba.build_id = b.build_id
LEFT JOIN archive a ON a.archive_id = ba.archive_id
WHERE b.complete = 1
GROUP BY b.build_id;

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
       a.problem_count,
       ba.location,
       a.archive_id,
       b.build_id
FROM build b
JOIN build_archive ba ON ba.build_id = b.build_id
JOIN archive a ON a.archive_id = ba.archive_id
WHERE b.complete = 1;

-- view entries: one row per stored file of every archive of every build
CREATE VIEW entries AS
SELECT b.label AS build,
       ba.name AS archive,
       e.ordinal,
       d.prefix || p.name AS path,
       d.dir,
       p.name,
       x.word AS ext,
       t.word AS type,
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
       m.word AS method,
       e.flags & 1 AS encrypted,
       e.flags >> 1 & 1 AS deleted,
       datetime(e.mtime, 'unixepoch') AS mtime,
       CASE WHEN c.content_id IS NOT NULL THEN lower(hex(c.hash)) END AS content,
       k.word AS kind,
       e.id_lo AS asset_key,
       e.path_hash AS path_hash_key,
       e.path_id,
       e.content_id,
       e.archive_id,
       b.build_id
FROM build b
JOIN build_archive ba ON ba.build_id = b.build_id
JOIN entry e ON e.archive_id = ba.archive_id
JOIN word m ON m.word_id = e.method_id
LEFT JOIN path p ON p.path_id = e.path_id
LEFT JOIN dir d ON d.dir_id = p.dir_id
LEFT JOIN word x ON x.word_id = p.ext_id
LEFT JOIN word t ON t.word_id = e.type_id
LEFT JOIN content c ON c.content_id = e.content_id
LEFT JOIN word k ON k.word_id = c.kind_id
WHERE b.complete = 1;

-- view contents: one row per distinct decoded content
CREATE VIEW contents AS
SELECT lower(hex(c.hash)) AS content,
       c.size,
       k.word AS kind,
       (SELECT count(*)
        FROM entry e
        JOIN build_archive ba ON ba.archive_id = e.archive_id
        JOIN build b ON b.build_id = ba.build_id AND b.complete = 1
        WHERE e.content_id = c.content_id) AS entry_count,
       (SELECT count(DISTINCT b.build_id)
        FROM entry e
        JOIN build_archive ba ON ba.archive_id = e.archive_id
        JOIN build b ON b.build_id = ba.build_id AND b.complete = 1
        WHERE e.content_id = c.content_id) AS build_count,
       c.content_id
FROM content c
LEFT JOIN word k ON k.word_id = c.kind_id
WHERE EXISTS (SELECT 1
              FROM entry e
              JOIN build_archive ba ON ba.archive_id = e.archive_id
              JOIN build b ON b.build_id = ba.build_id AND b.complete = 1
              WHERE e.content_id = c.content_id);

-- view duplicates: contents that one build holds more than once
CREATE VIEW duplicates AS
SELECT g.build, lower(hex(c.hash)) AS content, c.size, g.copies, g.wasted, g.content_id, g.build_id
FROM (SELECT b.label AS build, b.build_id, e.content_id, count(*) AS copies,
             sum(e.stored) - max(e.stored) AS wasted
      FROM build b
      JOIN build_archive ba ON ba.build_id = b.build_id
      JOIN entry e ON e.archive_id = ba.archive_id
      WHERE b.complete = 1 AND e.content_id IS NOT NULL
      GROUP BY b.build_id, e.content_id
      HAVING count(*) > 1) g
JOIN content c ON c.content_id = g.content_id;

-- view problems: what is wrong with an archive, an entry or a content
CREATE VIEW problems AS
SELECT b.label AS build, ba.name AS archive, p.path, p.field, p.offset, p.cause,
       p.ordinal, p.archive_id, b.build_id
FROM build b
JOIN build_archive ba ON ba.build_id = b.build_id
JOIN problem p ON p.archive_id = ba.archive_id
WHERE b.complete = 1
UNION ALL
SELECT b.label, ba.name, d.prefix || pa.name, cp.field, cp.offset, cp.cause,
       e.ordinal, e.archive_id, b.build_id
FROM content_problem cp
JOIN entry e ON e.content_id = cp.content_id
JOIN build_archive ba ON ba.archive_id = e.archive_id
JOIN build b ON b.build_id = ba.build_id
LEFT JOIN path pa ON pa.path_id = e.path_id
LEFT JOIN dir d ON d.dir_id = pa.dir_id
WHERE b.complete = 1;

-- view named_resources: public names of entries, in formats that keep names apart
CREATE VIEW named_resources AS
SELECT b.label AS build,
       ba.name AS archive,
       n.ordinal,
       n.name,
       t.word AS type,
       CASE n.id_bits
           WHEN 32 THEN printf('%08x', n.id_lo)
           WHEN 64 THEN printf('%016x', n.id_lo)
           WHEN 96 THEN printf('%08x%016x', n.id_hi, n.id_lo)
           ELSE printf('%016x%016x', n.id_hi, n.id_lo)
       END AS asset_id,
       n.id_lo AS asset_key,
       n.archive_id,
       b.build_id
FROM build b
JOIN build_archive ba ON ba.build_id = b.build_id
JOIN named_resource n ON n.archive_id = ba.archive_id
JOIN word t ON t.word_id = n.type_id
WHERE b.complete = 1;

-- view dependencies: what refers to what, one row per reference
CREATE VIEW dependencies AS
SELECT b.label AS build,
       ba.name AS archive,
       d.prefix || p.name AS path,
       k.word AS kind,
       s.word AS target_kind,
       printf('%016x', r.key) AS target,
       td.prefix || tp.name AS target_path,
       CASE
           WHEN r.flags & 2 THEN 'native'
           WHEN bs.present IS NOT 1 THEN 'missing'
           WHEN bs.paths > 1 THEN 'ambiguous'
           ELSE 'resolved'
       END AS status,
       r.flags & 1 AS weak,
       r.seq,
       r.key AS target_key,
       e.path_id,
       bs.path_id AS target_path_id,
       e.content_id,
       e.archive_id,
       b.build_id
FROM build b
JOIN build_archive ba ON ba.build_id = b.build_id
JOIN entry e ON e.archive_id = ba.archive_id
JOIN ref r ON r.content_id = e.content_id
JOIN word k ON k.word_id = r.kind_id
JOIN word s ON s.word_id = r.space_id
LEFT JOIN path p ON p.path_id = e.path_id
LEFT JOIN dir d ON d.dir_id = p.dir_id
LEFT JOIN build_symbol bs ON bs.build_id = b.build_id AND bs.space_id = r.space_id AND bs.key = r.key
LEFT JOIN path tp ON tp.path_id = bs.path_id
LEFT JOIN dir td ON td.dir_id = tp.dir_id
WHERE b.complete = 1;

-- view calligraphy_records: curves, asset types, blueprints and prototypes of Marvel Heroes
CREATE VIEW calligraphy_records AS
SELECT b.label AS build,
       d.prefix || p.name AS path,
       s.word AS kind,
       printf('%016x', r.id) AS id,
       printf('%016x', r.guid) AS guid,
       CASE WHEN r.blueprint <> 0 THEN printf('%016x', r.blueprint) END AS blueprint,
       (SELECT printf('%016x', pr.key)
        FROM ref pr
        JOIN word w ON w.word_id = pr.kind_id AND w.word = 'parent'
        WHERE pr.content_id = f.content_id AND pr.seq = 0) AS parent,
       bp.runtime_class,
       r.flags,
       CASE WHEN x.word = '' THEN p.name ELSE substr(p.name, 1, length(p.name) - length(x.word) - 1) END AS name,
       r.id AS id_key,
       r.guid AS guid_key,
       r.path_id,
       f.content_id,
       b.build_id
FROM build b
JOIN build_archive ba ON ba.build_id = b.build_id
JOIN entry e ON e.archive_id = ba.archive_id
JOIN calligraphy_record r ON r.content_id = e.content_id
JOIN word s ON s.word_id = r.space_id
JOIN path p ON p.path_id = r.path_id
JOIN dir d ON d.dir_id = p.dir_id
JOIN word x ON x.word_id = p.ext_id
LEFT JOIN entry f ON f.path_id = r.path_id AND f.archive_id = ba.archive_id
LEFT JOIN calligraphy_blueprint bp ON bp.content_id = f.content_id
WHERE b.complete = 1;

-- view calligraphy_assets: the values of Marvel Heroes' asset types
CREATE VIEW calligraphy_assets AS
SELECT b.label AS build,
       d.prefix || p.name AS type,
       a.name AS asset,
       printf('%016x', a.id) AS id,
       printf('%016x', a.guid) AS guid,
       a.flags,
       a.seq AS ordinal,
       a.id AS id_key,
       a.guid AS guid_key,
       e.path_id,
       b.build_id
FROM build b
JOIN build_archive ba ON ba.build_id = b.build_id
JOIN entry e ON e.archive_id = ba.archive_id
JOIN calligraphy_asset a ON a.content_id = e.content_id
JOIN path p ON p.path_id = e.path_id
JOIN dir d ON d.dir_id = p.dir_id
WHERE b.complete = 1;

-- view calligraphy_fields: every value that a prototype of Marvel Heroes sets
CREATE VIEW calligraphy_fields AS
SELECT b.label AS build,
       d.prefix || p.name AS path,
       bpd.prefix || bpp.name AS blueprint,
       (SELECT m.name
        FROM entry be
        JOIN build_archive bba ON bba.archive_id = be.archive_id AND bba.build_id = b.build_id
        JOIN calligraphy_member m ON m.content_id = be.content_id AND m.field = v.field
        WHERE be.path_id = bbs.path_id
        LIMIT 1) AS field,
       v.type,
       v.ordinal,
       CASE v.type
           WHEN 'A' THEN coalesce((SELECT a.name
                                   FROM calligraphy_asset a
                                   JOIN entry ae ON ae.content_id = a.content_id
                                   JOIN build_archive aba ON aba.archive_id = ae.archive_id AND aba.build_id = b.build_id
                                   WHERE a.id = v.value
                                   LIMIT 1), printf('%016x', v.value))
           WHEN 'B' THEN v.value
           WHEN 'D' THEN v.value
           WHEN 'L' THEN v.value
           ELSE CASE WHEN v.value <> 0 THEN printf('%016x', v.value) END
       END AS value,
       td.prefix || tp.name AS target,
       v.position,
       v.owner,
       v.copy,
       printf('%016x', v.field) AS field_id,
       printf('%016x', v.blueprint) AS blueprint_id,
       e.path_id,
       e.content_id,
       b.build_id
FROM build b
JOIN build_archive ba ON ba.build_id = b.build_id
JOIN entry e ON e.archive_id = ba.archive_id
JOIN calligraphy_value v ON v.content_id = e.content_id
JOIN path p ON p.path_id = e.path_id
JOIN dir d ON d.dir_id = p.dir_id
LEFT JOIN build_symbol bbs ON bbs.build_id = b.build_id AND bbs.key = v.blueprint
    AND bbs.space_id = (SELECT word_id FROM word WHERE word = 'blueprint')
LEFT JOIN path bpp ON bpp.path_id = bbs.path_id
LEFT JOIN dir bpd ON bpd.dir_id = bpp.dir_id
LEFT JOIN build_symbol ts ON ts.build_id = b.build_id AND ts.key = v.value
    AND ts.space_id = (SELECT word_id FROM word
                       WHERE word = CASE v.type WHEN 'A' THEN 'asset' WHEN 'C' THEN 'curve' WHEN 'P' THEN 'prototype'
                                                WHEN 'R' THEN 'prototype' WHEN 'T' THEN 'asset_type' END)
LEFT JOIN path tp ON tp.path_id = ts.path_id
LEFT JOIN dir td ON td.dir_id = tp.dir_id
WHERE b.complete = 1;

-- view calligraphy_curves: the points of Marvel Heroes' curves
CREATE VIEW calligraphy_curves AS
SELECT b.label AS build,
       d.prefix || p.name AS path,
       c.start + j.key AS position,
       j.value,
       e.path_id,
       e.content_id,
       b.build_id
FROM build b
JOIN build_archive ba ON ba.build_id = b.build_id
JOIN entry e ON e.archive_id = ba.archive_id
JOIN calligraphy_curve c ON c.content_id = e.content_id
JOIN json_each(c.points) j
JOIN path p ON p.path_id = e.path_id
JOIN dir d ON d.dir_id = p.dir_id
WHERE b.complete = 1;

-- view calligraphy_replacements: which GUID took the place of another; chains are followed
CREATE VIEW calligraphy_replacements AS
SELECT b.label AS build,
       printf('%016x', r.old_guid) AS old_guid,
       CASE WHEN r.last_guid <> 0 THEN printf('%016x', r.last_guid) END AS new_guid,
       r.name,
       CASE WHEN r.new_guid <> 0 THEN printf('%016x', r.new_guid) END AS next_guid,
       r.old_guid AS old_key,
       r.last_guid AS new_key,
       b.build_id
FROM build b
JOIN build_archive ba ON ba.build_id = b.build_id
JOIN entry e ON e.archive_id = ba.archive_id
JOIN calligraphy_replacement r ON r.content_id = e.content_id
WHERE b.complete = 1;

-- view calligraphy_resources: the heads of Marvel Heroes' cells, districts, props and interfaces
CREATE VIEW calligraphy_resources AS
SELECT b.label AS build,
       d.prefix || p.name AS path,
       printf('%08x', r.signature) AS signature,
       r.version,
       printf('%08x', r.class_id) AS class_id,
       r.class,
       e.path_id,
       b.build_id
FROM build b
JOIN build_archive ba ON ba.build_id = b.build_id
JOIN entry e ON e.archive_id = ba.archive_id
JOIN calligraphy_resource r ON r.content_id = e.content_id
JOIN path p ON p.path_id = e.path_id
JOIN dir d ON d.dir_id = p.dir_id
WHERE b.complete = 1;
