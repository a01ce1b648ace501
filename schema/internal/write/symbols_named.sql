-- The meaning of each name in the build ?1, and each id of a package of IoStore
-- containers. What an entry is called by its place
-- goes before what contents say: a package that another brought along does not
-- hide the real one. Nor does one in an archive that is itself an entry (flag 8).
-- Of these only the archives that are mounted last count, so
-- that a patch replaces and a delete record hides; then the path in the archive
-- that wins does. paths counts the different contents that are left: two packages of
-- one name and content are no conflict.
INSERT INTO x_build_symbol (build_id, space_id, key, path_id, paths, present)
SELECT ?1, space_id, key, path_id, max(contents, 1), present
FROM (SELECT space_id, key, path_id, present, count(DISTINCT content_id) AS contents, min(place)
      FROM (SELECT *, rank() OVER (PARTITION BY space_id, key ORDER BY said, mount_order DESC) AS place_rank
            FROM (SELECT es.space_id, es.key, e.path_id, e.content_id, e.flags >> 3 & 1 AS said, ba.mount_order,
                         e.flags & 2 = 0 AS present, (ba.place << 48) + e.row AS place
                  FROM x_build_archive ba
                  CROSS JOIN x_archive a ON a.archive_id = ba.archive_id
                  CROSS JOIN x_entry_symbol es ON es.lineage_id = a.lineage_id
                  CROSS JOIN x_entry_row e ON e.lineage_id = es.lineage_id AND e.row = es.row
                      AND e.since <= a.edition AND (e.until = 0 OR e.until > a.edition)
                  WHERE ba.build_id = ?1 AND (es.name_id IS NOT NULL OR es.root_id IS NOT NULL) AND +e.path_id IS NOT NULL
                  UNION ALL
                  SELECT s.space_id, s.key, coalesce(s.path_id, e.path_id), e.content_id, 1, ba.mount_order,
                         1, (ba.place << 48) + e.row
                  FROM x_build_archive ba
                  JOIN x_entry e ON e.archive_id = ba.archive_id
                  JOIN x_symbol s ON s.content_id = e.content_id
                  WHERE ba.build_id = ?1 AND s.name_id IS NOT NULL AND coalesce(s.path_id, e.path_id) IS NOT NULL
                      AND (SELECT 1 FROM x_symbol WHERE name_id IS NOT NULL LIMIT 1) -- see symbols.sql
                  UNION ALL -- the id of a package is the start of its chunk's, with its bytes turned around
                  SELECT w.word_id,
                         (e.id_hi >> 24 & 255) | ((e.id_hi >> 16 & 255) << 8) | ((e.id_hi >> 8 & 255) << 16) | ((e.id_hi & 255) << 24)
                             | ((e.id_lo >> 56 & 255) << 32) | ((e.id_lo >> 48 & 255) << 40) | ((e.id_lo >> 40 & 255) << 48)
                             | ((e.id_lo >> 32 & 255) << 56),
                         coalesce(bn.path_id, e.path_id), e.content_id, 0, ba.mount_order, 1, (ba.place << 48) + e.row
                  FROM x_word w -- 'package-id' is there when something knows packages so
                  CROSS JOIN x_build_archive ba ON ba.build_id = ?1
                  CROSS JOIN x_archive a ON a.archive_id = ba.archive_id AND a.format = 'iostore'
                  CROSS JOIN x_entry e ON e.archive_id = ba.archive_id AND e.id_bits = 96
                      AND e.type_id = (SELECT word_id FROM x_word WHERE word = 'ExportBundleData')
                  LEFT JOIN x_build_name bn ON bn.build_id = ?1 AND bn.mount = ba.ordinal AND bn.row = e.row
                  WHERE w.word = 'package-id'))
      WHERE place_rank = 1
      GROUP BY space_id, key);
