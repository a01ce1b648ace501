-- doc: entries and bytes of a build by archive
-- param: build build newest label of the build
-- bytes: size, stored
-- example: pakdb query @by-archive
SELECT archive, sum(entries) AS entries, sum(size) AS size, sum(stored) AS stored,
       round(1.0 * sum(stored) / nullif(sum(size), 0), 3) AS ratio
FROM totals
WHERE build = :build
GROUP BY archive_id
ORDER BY sum(stored) DESC, archive;
