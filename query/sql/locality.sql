-- doc: how far apart what each named resource needs lies in its archive, and the seeks of loading it
-- param: limit integer 50 how many, those with the most seeking first
-- param: build build newest label of the build
-- param: weak integer 0 1 to follow references too that may be chance hits of a search
-- bytes: seek, seek_sorted, spread, stored
-- example: pakdb query @locality
-- example: pakdb query @locality 1000 1.52 --format csv
-- spread: from the first byte needed to the last. seek: bytes skipped, forward
-- and back, when entries are loaded in the order of references, each after what
-- it needs, from the nearest copy ahead as the games do. seek_sorted: the same,
-- loaded in the order of the file. elsewhere: entries that only other archives
-- have.
SELECT value ->> 'seek' AS seek,
       value ->> 'sorted' AS seek_sorted, value ->> 'spread' AS spread,
       value ->> 'stored' AS stored, value ->> 'entries' AS entries, value ->> 'elsewhere' AS elsewhere,
       value ->> 'archive' AS archive, value ->> 'path' AS path, value ->> 'name' AS name
FROM json_each(graph_locality(:build, :weak))
WHERE value ->> 'entries' > 0
ORDER BY seek DESC, spread DESC, archive, name
LIMIT :limit;
