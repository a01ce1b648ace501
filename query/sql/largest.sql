-- doc: the largest entries of a build
-- param: limit integer 20 how many
-- param: build build newest label of the build
-- bytes: size, stored
-- example: pakdb query @largest
-- example: pakdb query @largest 100 --build 1.52
WITH top AS MATERIALIZED (
    SELECT archive_id, row_id
    FROM entries
    WHERE build = :build
    ORDER BY size DESC
    LIMIT :limit
)
SELECT e.size, e.stored, e.method, e.archive, e.path, e.asset_id
FROM top
JOIN entries e ON e.archive_id = top.archive_id AND e.row_id = top.row_id AND e.build = :build
ORDER BY e.size DESC, e.path;
