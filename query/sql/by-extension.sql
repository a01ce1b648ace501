-- doc: entries and bytes of a build by extension
-- param: build build newest label of the build
-- bytes: size, stored
-- example: pakdb query @by-extension
SELECT ext, sum(entries) AS entries, sum(size) AS size, sum(stored) AS stored
FROM totals
WHERE build = :build
GROUP BY ext
ORDER BY sum(stored) DESC, ext;
