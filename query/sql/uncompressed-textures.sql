-- doc: textures of a build whose pixels are stored one by one, with the bytes that blocks of 4 x 4 would take (BC7, or BC4 of grey)
-- param: least integer 65536 of so many bytes at least
-- param: build build newest label of the build
-- bytes: bytes, saved
-- example: pakdb query @uncompressed-textures
WITH plain AS (
    SELECT *, CASE
                  WHEN format IN ('PF_B8G8R8A8', 'PF_R8G8B8A8', 'PF_A8R8G8B8') THEN bytes / 4
                  WHEN format IN ('PF_G8', 'PF_L8', 'PF_R8', 'PF_A8') THEN bytes / 2
                  WHEN format IN ('PF_FloatRGBA', 'PF_A16B16G16R16') THEN bytes / 8
                  WHEN format = 'PF_A32B32G32R32F' THEN bytes / 16
              END AS packed
    FROM textures
    WHERE build = :build
)
SELECT format, width, height, bytes, bytes - packed AS saved,
       lod_group, compression, path, texture
FROM plain
WHERE packed IS NOT NULL AND bytes >= :least
ORDER BY bytes - packed DESC, path, texture;
