-- doc: how well each method compresses in a build
-- param: build build newest label of the build
-- bytes: size, stored, saved
-- example: pakdb query @compression
SELECT method, sum(entries) AS entries, sum(size) AS size, sum(stored) AS stored,
       sum(size) - sum(stored) AS saved,
       round(1.0 * sum(stored) / nullif(sum(size), 0), 3) AS ratio
FROM totals
WHERE build = :build
GROUP BY method
ORDER BY sum(stored) DESC, method;
