-- doc: the builds of the catalog, oldest first
-- example: pakdb query @builds
SELECT build, created_at, archive_count, entry_count, size, stored,
       human_size(stored) AS stored_human, problem_count
FROM builds
ORDER BY build_id;
