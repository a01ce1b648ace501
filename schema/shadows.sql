-- Which entries of the build ?1 are hidden, and by what. temp.src lists the files
-- that stand in it more than once.
--
-- In one archive the first or the last entry of a file counts, as its format
-- has it. Of the archives the one of the best place counts. A delete record
-- hides the file in archives of lower mount order, not in those of its own.
--
-- Window functions throughout: joins of these sets with each other would be
-- planned as nested loops over all files that stand twice.
INSERT INTO build_shadow (build_id, mount, ordinal, by_mount, by_ordinal)
WITH twice AS MATERIALIZED (
    SELECT a AS file_key FROM src
), held AS (
    SELECT e.file_key, ba.ordinal AS mount, e.ordinal, ba.mount_order, ba.place, e.flags & 2 <> 0 AS deleted,
           row_number() OVER (PARTITION BY e.file_key, ba.ordinal
                              ORDER BY CASE WHEN ba.last_wins THEN -e.ordinal ELSE e.ordinal END) = 1 AS counts
    FROM build_archive ba
    CROSS JOIN entry e ON e.archive_id = ba.archive_id
    WHERE ba.build_id = ?1 AND e.file_key IN (SELECT file_key FROM twice)
), deleting AS ( -- the best delete record of each file
    SELECT *,
           max(CASE WHEN deleted AND counts THEN mount_order END) OVER (PARTITION BY file_key) AS gone_order,
           first_value(mount) OVER gone AS gone_mount,
           first_value(ordinal) OVER gone AS gone_ordinal
    FROM held
    WINDOW gone AS (PARTITION BY file_key ORDER BY NOT (deleted AND counts), place, mount)
), fit AS (
    SELECT *, NOT deleted AND counts AND mount_order >= coalesce(gone_order, mount_order) AS visible
    FROM deleting
), seen AS ( -- the best entry that no delete record hides
    SELECT *,
           max(visible) OVER (PARTITION BY file_key) AS any_visible,
           first_value(mount) OVER best AS seen_mount,
           first_value(ordinal) OVER best AS seen_ordinal
    FROM fit
    WINDOW best AS (PARTITION BY file_key ORDER BY NOT visible, place, mount)
)
SELECT ?1, mount, ordinal,
       CASE WHEN any_visible THEN seen_mount ELSE gone_mount END,
       CASE WHEN any_visible THEN seen_ordinal ELSE gone_ordinal END
FROM seen
WHERE NOT deleted AND NOT (any_visible AND mount = seen_mount AND ordinal = seen_ordinal);
