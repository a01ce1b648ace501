-- doc: entries of a build that another build, by default the one before, does not have
-- param: build build newest label of the build
-- param: old build previous label of the build to compare with
-- bytes: size, stored
-- example: pakdb query @added-in
-- example: pakdb query @added-in 1.52 1.48 --format csv
SELECT path, asset_id, archive, size, stored, method, content
FROM entries
WHERE build = :build AND deleted = 0 AND path_id NOT IN (
    SELECT path_id FROM entries WHERE build = :old AND deleted = 0 AND path_id IS NOT NULL)
UNION ALL
-- entries without a name are known by their id
SELECT path, asset_id, archive, size, stored, method, content
FROM entries
WHERE build = :build AND deleted = 0 AND path_id IS NULL AND asset_id NOT IN (
    SELECT asset_id FROM entries WHERE build = :old AND deleted = 0 AND asset_id IS NOT NULL)
ORDER BY path, asset_id, archive;
