-- doc: archives of a build with an encrypted index or encrypted entries
-- param: build build newest label of the build
-- bytes: encrypted_stored
-- example: pakdb query @encrypted
SELECT a.archive, a.format, a.version,
       count(e.ordinal) AS encrypted_entries,
       coalesce(sum(e.stored), 0) AS encrypted_stored,
       a.entry_count, a.location
FROM archives a
LEFT JOIN entries e ON e.build_id = a.build_id AND e.archive_id = a.archive_id AND e.encrypted = 1
WHERE a.build = :build AND a.encrypted = 1
GROUP BY a.archive_id
ORDER BY a.archive;
