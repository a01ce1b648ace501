-- doc: the builds, oldest first
-- example: pakdb query --on clickhouse://localhost/game @builds
SELECT build, created_at, archive_count, entry_count, size, stored, problem_count
FROM builds
ORDER BY created_at, build;
