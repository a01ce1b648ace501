-- doc: the builds of the catalog, oldest first
-- bytes: stored
-- example: pakdb query @builds
SELECT build, created_at, entry_count, stored, problem_count
FROM builds
ORDER BY build_id;
