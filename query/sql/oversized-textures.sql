-- doc: textures of a build whose longer side is beyond a limit, the largest first
-- param: side integer 2048 the limit in pixels
-- param: build build newest label of the build
-- bytes: bytes
-- example: pakdb query @oversized-textures
-- example: pakdb query @oversized-textures 4096
SELECT width, height, slices, format, lod_group, bytes, path, texture
FROM textures
WHERE build = :build AND max(width, height) > :side
ORDER BY bytes DESC, path, texture;
