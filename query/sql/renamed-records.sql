-- doc: records of Marvel Heroes' database that were renamed between two builds: same GUID, other path
-- param: build build newest label of the later build
-- param: old build previous label of the earlier build
-- example: pakdb query @renamed-records
-- example: pakdb query @renamed-records 1.52 1.10 --format csv
SELECT o.kind, o.path AS old_path, n.path AS new_path, n.guid
FROM calligraphy_records o
JOIN calligraphy_records n ON n.guid_key = o.guid_key AND n.kind = o.kind AND n.path_id <> o.path_id
WHERE o.build = :old AND n.build = :build AND o.guid_key <> 0
ORDER BY o.kind, o.path;
