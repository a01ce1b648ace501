-- doc: what is wrong with the archives and contents of a build
-- param: build build newest label of the build; null for all
-- example: pakdb query @problems
-- example: pakdb query @problems null --format jsonl
SELECT build, archive, path, field, printf('0x%x', offset) AS offset, cause
FROM problems
WHERE :build IS NULL OR build = :build
ORDER BY build_id, archive, ordinal, field;
