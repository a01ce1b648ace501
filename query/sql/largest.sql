-- doc: the largest entries of a build
-- param: limit integer 20 how many
-- param: build build newest label of the build
-- bytes: size, stored
-- example: pakdb query @largest
-- example: pakdb query @largest 100 --build 1.52
SELECT size, stored, method, archive, path, asset_id
FROM entries
WHERE build = :build
ORDER BY size DESC, path
LIMIT :limit;
