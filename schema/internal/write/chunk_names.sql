-- Which chunks of the build ?1 have no path in their container, but in another
-- one: the one that wins over the others gives it. Flag 16 says that a name was made
-- of type and id. Nothing is asked of builds in which all chunks, or none, have
-- paths.
INSERT INTO x_build_name (build_id, mount, row, path_id, by_mount)
SELECT ?1, mount, row, path_id, by_mount
FROM (SELECT ba.ordinal AS mount, e.row, named.path_id, nb.ordinal AS by_mount,
             row_number() OVER (PARTITION BY ba.ordinal, e.row ORDER BY nb.place) AS rank
      FROM x_build_archive ba
      CROSS JOIN x_archive a ON a.archive_id = ba.archive_id AND a.format = 'iostore'
      CROSS JOIN x_entry e ON e.archive_id = ba.archive_id AND e.flags & 16
      CROSS JOIN x_entry named ON named.id_lo = e.id_lo AND named.id_hi = e.id_hi AND named.id_bits = e.id_bits
          AND named.flags & 16 = 0
      CROSS JOIN x_build_archive nb ON nb.build_id = ?1 AND nb.archive_id = named.archive_id
      WHERE ba.build_id = ?1
        AND EXISTS (SELECT 1
                    FROM x_build_archive xb
                    JOIN x_archive x ON x.archive_id = xb.archive_id
                    WHERE xb.build_id = ?1 AND x.format = 'iostore' AND x.mount_point <> ''))
WHERE rank = 1;
