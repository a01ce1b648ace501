-- doc: references of a build that lead to nothing in it
-- param: build build newest label of the build
-- example: pakdb query @missing-references
-- example: pakdb query @missing-references 1.48 --format csv
SELECT path, kind, target_kind, target, target_path, archive
FROM dependencies
WHERE build = :build AND status = 'missing'
ORDER BY path, seq;
