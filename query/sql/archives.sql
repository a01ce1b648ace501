-- doc: the archives of a build, in mount order
-- param: build build newest label of the build
-- bytes: size
-- example: pakdb query @archives
SELECT archive, format, version, size, entry_count, encrypted, mount_order, mount_point, problem_count, location
FROM archives
WHERE build = :build
ORDER BY mount_order, archive;
