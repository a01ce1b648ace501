-- doc: copies that one archive of Retro Studios has of an asset, what they waste, and whether they differ
-- param: limit integer 50 how many, those that waste most first
-- param: build build newest label of the build
-- param: differ integer 0 1 for those only whose copies are not equal
-- bytes: wasted
-- example: pakdb query @retro-duplicates
-- example: pakdb query @retro-duplicates 1000 -p differ=1
-- contents: how many different ones the copies have, filled up to the archive's
-- boundary: above 1 which one a game finds depends on where it reads. storages:
-- in how many ways they are stored.
SELECT e.archive, e.path,
       (SELECT group_concat(n.name, ', ' ORDER BY n.ordinal)
        FROM x_named_resource n
        WHERE n.archive_id = e.archive_id AND n.id_lo = e.asset_key
          AND n.type_id = (SELECT word_id FROM x_word WHERE word = e.type)) AS names,
       count(*) AS copies,
       sum(e.stored) - max(e.stored) AS wasted,
       count(DISTINCT e.padded_content) AS contents,
       count(DISTINCT e.method || ' ' || e.stored) AS storages
FROM entries e
JOIN archives a ON a.build_id = e.build_id AND a.archive_id = e.archive_id AND a.format = 'retropak'
WHERE e.build = :build
GROUP BY e.archive_id, e.path_id
HAVING count(*) > 1 AND (:differ = 0 OR contents > 1)
ORDER BY wasted DESC, e.archive, e.path
LIMIT :limit;
