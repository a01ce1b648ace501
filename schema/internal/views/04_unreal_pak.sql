-- view files: the files that a game sees of a build: of several entries of one file, the one that wins
CREATE VIEW files AS
SELECT e.build,
       coalesce(nd.prefix || np.name, e.path) AS path,
       e.archive,
       e.ordinal,
       e.size,
       CASE WHEN c.content_id IS NOT NULL THEN lower(hex(c.hash)) END AS content,
       CAST((SELECT count(*)
             FROM x_build_shadow s
             WHERE s.build_id = e.build_id AND s.by_mount = e.mount AND s.by_row = e.row) AS INTEGER) AS shadowed_count,
       e.mount_point,
       e.mount_order,
       CAST(coalesce(bn.path_id, e.path_id) AS INTEGER) AS path_id,
       e.content_id,
       e.archive_id,
       e.build_id,
       coalesce(e.stem, e.archive) AS mount,
       coalesce(na.game_root, e.game_root) || coalesce(nd.prefix || np.name, e.path) AS game_path
FROM x_stored e
LEFT JOIN x_content c ON c.content_id = e.content_id
LEFT JOIN x_build_name bn ON bn.build_id = e.build_id AND bn.mount = e.mount AND bn.row = e.row
LEFT JOIN x_path np ON np.path_id = bn.path_id
LEFT JOIN x_dir nd ON nd.dir_id = np.dir_id
LEFT JOIN x_build_archive nb ON nb.build_id = bn.build_id AND nb.ordinal = bn.by_mount
LEFT JOIN x_archive na ON na.archive_id = nb.archive_id
WHERE e.flags & 42 = 0 -- neither delete records, nor what lies in archives that are entries, nor what describes an archive
  AND NOT EXISTS (SELECT 1
                  FROM x_build_shadow s
                  WHERE s.build_id = e.build_id AND s.mount = e.mount AND s.row = e.row);

-- view folders: the folders of the game's file system, with the files of a build that lie directly in each
CREATE VIEW folders AS
SELECT e.build,
       rtrim(coalesce(na.game_root, e.game_root) || coalesce(nd.prefix, e.prefix), '/') AS folder,
       CAST(count(*) AS INTEGER) AS file_count,
       CAST(sum(e.size) AS INTEGER) AS size,
       CAST(sum(e.stored) AS INTEGER) AS stored,
       e.build_id
FROM x_stored e
LEFT JOIN x_build_name bn ON bn.build_id = e.build_id AND bn.mount = e.mount AND bn.row = e.row
LEFT JOIN x_path np ON np.path_id = bn.path_id
LEFT JOIN x_dir nd ON nd.dir_id = np.dir_id
LEFT JOIN x_build_archive nb ON nb.build_id = bn.build_id AND nb.ordinal = bn.by_mount
LEFT JOIN x_archive na ON na.archive_id = nb.archive_id
WHERE e.flags & 42 = 0 -- as in files
  AND NOT EXISTS (SELECT 1
                  FROM x_build_shadow s
                  WHERE s.build_id = e.build_id AND s.mount = e.mount AND s.row = e.row)
  AND coalesce(nd.prefix, e.prefix) IS NOT NULL
GROUP BY e.build_id, e.build, folder;

-- view shadowed: entries that a game does not see, and what hides each: another entry, or a delete record
CREATE VIEW shadowed AS
SELECT b.label AS build,
       coalesce(nd.prefix || np.name, d.prefix || p.name) AS path,
       ba.name AS archive,
       by.name AS by_archive,
       e.ordinal,
       he.ordinal AS by_ordinal,
       CAST(he.flags >> 1 & 1 AS INTEGER) AS deleted,
       e.size,
       CAST(e.content_id IS he.content_id AND e.content_id IS NOT NULL AS INTEGER) AS same_content,
       ba.mount_order,
       by.mount_order AS by_mount_order,
       CAST(coalesce(bn.path_id, e.path_id) AS INTEGER) AS path_id,
       e.content_id,
       e.archive_id,
       b.build_id
FROM x_build b
JOIN x_build_shadow s ON s.build_id = b.build_id
JOIN x_build_archive ba ON ba.build_id = b.build_id AND ba.ordinal = s.mount
JOIN x_build_archive by ON by.build_id = b.build_id AND by.ordinal = s.by_mount
JOIN x_entry e ON e.archive_id = ba.archive_id AND e.row = s.row
JOIN x_entry he ON he.archive_id = by.archive_id AND he.row = s.by_row
LEFT JOIN x_path p ON p.path_id = e.path_id
LEFT JOIN x_dir d ON d.dir_id = p.dir_id
LEFT JOIN x_build_name bn ON bn.build_id = b.build_id AND bn.mount = ba.ordinal AND bn.row = e.row
LEFT JOIN x_path np ON np.path_id = bn.path_id
LEFT JOIN x_dir nd ON nd.dir_id = np.dir_id
WHERE b.complete = 1;

-- view sums: checksums that archives state for their entries, also of contents that were not read
CREATE VIEW sums AS
SELECT e.build,
       e.path,
       e.archive,
       e.ordinal,
       lower(hex(e.sum)) AS sum,
       m.word AS method,
       e.stored,
       e.size,
       CAST(e.content_id IS NOT NULL AS INTEGER) AS known,
       e.path_id,
       e.content_id,
       e.archive_id,
       e.build_id
FROM x_stored e
LEFT JOIN x_word m ON m.word_id = e.method_id
WHERE e.sum IS NOT NULL;
