-- doc: entries and bytes of a build by type (as the archive says) and kind (as the content says)
-- param: build build newest label of the build
-- bytes: size, stored
-- example: pakdb query @by-type
SELECT type, kind, count(*) AS entries, sum(size) AS size, sum(stored) AS stored
FROM entries
WHERE build = :build
GROUP BY type, kind
ORDER BY sum(stored) DESC, type, kind;
