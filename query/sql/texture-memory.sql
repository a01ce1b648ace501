-- doc: textures of a build by group and by the longer side, with what they take in memory: the mips of Unreal packages
-- param: build build newest label of the build
-- bytes: bytes, bytes_beside
-- example: pakdb query @texture-memory
SELECT coalesce(lod_group, '(unknown)') AS lod_group, max(width, height) AS side, count(*) AS textures,
       sum(bytes) AS bytes, sum(bytes_beside) AS bytes_beside
FROM textures
WHERE build = :build AND format IS NOT NULL
GROUP BY 1, 2
ORDER BY sum(bytes) DESC, 1, 2;
