-- doc: contents and bytes of a build by kind; what no inspector knows, by its extension
-- param: build build newest label of the build
-- bytes: size, stored
-- example: pakdb query @size-by-kind
WITH content AS (
    SELECT content_id, max(kind) AS kind, max(ext) AS ext, max(dir) AS dir, max(size) AS size, sum(stored) AS stored
    FROM entries
    WHERE build = :build AND content_id IS NOT NULL
    GROUP BY content_id
), named AS (
    SELECT size, stored,
           CASE
               WHEN kind IN ('unreal-package', 'zen-package') AND dir LIKE '%\_\_External%' ESCAPE '\' THEN kind || ' of World Partition'
               WHEN kind IN ('unreal-package', 'zen-package') AND dir || '/' LIKE '%/\_Generated\_/%' ESCAPE '\' THEN kind || ' of World Partition'
               WHEN kind IN ('unreal-package', 'zen-package') AND ext = 'umap' THEN kind || ' of a map'
               WHEN kind IS NOT NULL THEN kind
               WHEN ext = 'uexp' THEN 'exports of packages'
               WHEN ext IN ('ubulk', 'uptnl') THEN 'bulk data of packages'
               WHEN ext = 'usmap' THEN 'mappings'
               WHEN ext IN ('png', 'jpg', 'jpeg', 'tga', 'dds', 'bmp', 'exr', 'hdr') THEN 'picture'
               WHEN ext IN ('ogg', 'mp3', 'opus', 'bank') THEN 'sound'
               WHEN ext IN ('mp4', 'bk2', 'bik', 'webm', 'wmv') THEN 'video'
               WHEN ext IN ('json', 'xml', 'csv', 'tsv', 'txt', 'md', 'lua', 'html', 'css', 'js', 'py', 'yaml', 'yml', 'utxt') THEN 'text: ' || ext
               WHEN ext IN ('zip', 'gz', 'xz', '7z', 'zst', 'rar') THEN 'compressed file'
               ELSE 'other'
           END AS kind
    FROM content
)
SELECT kind, count(*) AS contents, sum(size) AS size, sum(stored) AS stored,
       round(100.0 * sum(size) / (SELECT sum(size) FROM named), 1) AS percent
FROM named
GROUP BY kind
ORDER BY size DESC, kind;
