-- What each id stands for in the build ?1 (symbols_named.sql has the names): said by contents, among
-- them records of directories, and by paths. The path in the archive that wins does (with min(),
-- SQLite takes the other columns from the same row); paths counts all of them. A table without
-- rows is no reason to read all entries of the build: LIMIT has that asked first, where SQLite
-- makes a join of EXISTS, the last one.
INSERT INTO x_build_symbol (build_id, space_id, key, path_id, paths, present)
SELECT ?1, space_id, key, path_id, paths,
       path_id IN (SELECT e.path_id -- read once: looked up one by one, 95,000 rows take twice the time
                   FROM x_build_archive ba
                   JOIN x_entry e ON e.archive_id = ba.archive_id
                   WHERE ba.build_id = ?1 AND e.path_id IS NOT NULL)
FROM (SELECT space_id, key, path_id, count(DISTINCT path_id) AS paths, min(place)
      FROM (SELECT s.space_id, s.key, coalesce(s.path_id, e.path_id) AS path_id,
                   ba.place
            FROM x_build_archive ba
            JOIN x_entry e ON e.archive_id = ba.archive_id
            JOIN x_symbol s ON s.content_id = e.content_id
            WHERE ba.build_id = ?1 AND s.name_id IS NULL AND (SELECT 1 FROM x_symbol WHERE name_id IS NULL LIMIT 1)
            UNION ALL
            SELECT iif(g.guid, (SELECT word_id FROM x_word WHERE word = 'calligraphy_guid'), r.space_id),
                   iif(g.guid, r.guid, r.id), r.path_id, ba.place
            FROM x_build_archive ba
            CROSS JOIN x_entry e ON e.archive_id = ba.archive_id
            CROSS JOIN x_calligraphy_record r ON r.content_id = e.content_id
            CROSS JOIN (SELECT 0 AS guid UNION ALL SELECT 1) g
            WHERE ba.build_id = ?1 AND (SELECT 1 FROM x_calligraphy_record LIMIT 1) AND iif(g.guid, r.guid, r.id) <> 0
            UNION ALL
            SELECT ps.space_id, ps.key, ps.path_id, ba.place
            FROM x_build_archive ba
            JOIN x_entry e ON e.archive_id = ba.archive_id
            JOIN x_path_symbol ps ON ps.path_id = e.path_id
            WHERE ba.build_id = ?1 AND (SELECT 1 FROM x_path_symbol LIMIT 1))
      WHERE path_id IS NOT NULL
      GROUP BY space_id, key) AS first;
