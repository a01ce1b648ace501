-- doc: the largest entries of a build
-- param: limit integer 20 how many
-- param: build build newest label of the build
-- example: pakdb query --on clickhouse://localhost/game @largest 100 --build 1.52
SELECT size, stored, method, archive, path, asset_id
FROM entries
WHERE build = :build
ORDER BY size DESC, path NULLS FIRST, archive, ordinal
LIMIT :limit;
