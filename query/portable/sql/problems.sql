-- doc: what is wrong with the archives and contents of a build
-- param: build build newest label of the build
-- example: pakdb query --on clickhouse://localhost/game @problems
SELECT build, archive, path, field, "offset", cause
FROM problems
WHERE build = :build
ORDER BY archive, ordinal NULLS FIRST, field, cause;
