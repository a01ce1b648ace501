-- doc: the archives of a build, in mount order
-- param: build build newest label of the build
-- bytes: size
-- example: pakdb query @archives
SELECT archive, format, size, entry_count AS entries, mount_order, problem_count AS problems
FROM archives
WHERE build = :build
ORDER BY mount_order, archive;
