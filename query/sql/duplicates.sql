-- doc: contents that a build holds more than once, by the stored bytes they waste
-- param: limit integer 20 how many
-- param: build build newest label of the build
-- bytes: size, wasted
-- example: pakdb query @duplicates
-- example: pakdb query @duplicates 1000 --format csv
WITH top AS MATERIALIZED (
    SELECT *
    FROM duplicates
    WHERE build = :build
    ORDER BY wasted DESC
    LIMIT :limit
)
SELECT top.copies, top.size, top.wasted,
       (SELECT e.path
        FROM entries e
        WHERE e.content_id = top.content_id AND e.build_id = top.build_id
        ORDER BY e.archive_id, e.row_id
        LIMIT 1) AS first_path,
       top.content
FROM top
ORDER BY top.wasted DESC, top.content;
