-- doc: every entry of every build with the same content as a path, or with a content given by its hex
-- param: what text - path of an entry, or 64 hex digits
-- param: build build newest label of the build in which the path is looked up
-- bytes: size, stored
-- example: pakdb query @same-content Calligraphy/Curve.directory
WITH wanted AS MATERIALIZED (
    SELECT k.content_id
    FROM x_content_key k
    JOIN x_content c ON c.content_id = k.content_id
    WHERE k.key = key_of_content(:what) AND lower(hex(c.hash)) = lower(substr(:what, 1, 2 * length(c.hash)))
    UNION
    SELECT e.content_id
    FROM x_path_key k
    CROSS JOIN entries e ON e.path_id = k.path_id
    WHERE k.key = key_of_path(:what) AND e.path = :what AND e.build = :build
)
SELECT e.build, e.archive, e.path, e.asset_id, e.size, e.stored, e.method, e.content
FROM wanted
CROSS JOIN entries e ON e.content_id = wanted.content_id
ORDER BY e.content, e.build_id, e.archive, e.ordinal;
