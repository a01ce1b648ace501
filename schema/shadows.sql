-- Which entries of the build ?1 are hidden, and by what.
--
-- In one archive the first or the last entry of a file counts, as its format
-- has it. Of the archives the one of the best place counts. A delete record
-- hides the file in archives of lower mount order, not in those of its own.
INSERT INTO build_shadow (build_id, mount, ordinal, by_mount, by_ordinal)
WITH twice AS MATERIALIZED (
    SELECT e.file_key
    FROM build_archive ba
    CROSS JOIN entry e ON e.archive_id = ba.archive_id
    WHERE ba.build_id = ?1 AND e.file_key IS NOT NULL
    GROUP BY e.file_key
    HAVING count(*) > 1
), held AS MATERIALIZED (
    SELECT e.file_key, ba.ordinal AS mount, e.ordinal, ba.mount_order, ba.place, e.flags & 2 AS deleted,
           row_number() OVER (PARTITION BY e.file_key, ba.ordinal
                              ORDER BY CASE WHEN ba.last_wins THEN -e.ordinal ELSE e.ordinal END) AS copy
    FROM build_archive ba
    CROSS JOIN entry e ON e.archive_id = ba.archive_id
    WHERE ba.build_id = ?1 AND e.file_key IN (SELECT file_key FROM twice)
), gone AS MATERIALIZED (
    SELECT file_key, mount_order, mount, ordinal, min(place) -- of which the others are taken
    FROM held
    WHERE deleted AND copy = 1
    GROUP BY file_key
), seen AS MATERIALIZED (
    SELECT held.file_key, held.mount, held.ordinal, min(held.place)
    FROM held
    LEFT JOIN gone ON gone.file_key = held.file_key
    WHERE NOT held.deleted AND held.copy = 1 AND held.mount_order >= coalesce(gone.mount_order, held.mount_order)
    GROUP BY held.file_key
)
SELECT ?1, held.mount, held.ordinal, coalesce(seen.mount, gone.mount), coalesce(seen.ordinal, gone.ordinal)
FROM held
LEFT JOIN seen ON seen.file_key = held.file_key
LEFT JOIN gone ON gone.file_key = held.file_key
WHERE NOT held.deleted AND (held.mount, held.ordinal) IS NOT (seen.mount, seen.ordinal);
