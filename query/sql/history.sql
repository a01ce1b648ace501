-- doc: an entry through all builds: where it is, and when its content changed; the files of an Unreal asset are one
-- param: path text - path, the end of one, or an id, as for "pakdb log"
-- bytes: size, stored
-- example: pakdb query @history Calligraphy/Curve.directory
-- example: pakdb query @history WPN_Pistol_A
WITH wanted AS MATERIALIZED ( -- the file with the tables first
    SELECT p.path_id, j.key AS part
    FROM json_each(asset_paths(:path)) j
    CROSS JOIN x_path_key k ON k.key = key_of_path(j.value)
    CROSS JOIN x_path p ON p.path_id = k.path_id
    CROSS JOIN x_dir d ON d.dir_id = p.dir_id
    WHERE d.prefix || p.name = j.value
), copy AS (
    SELECT e.build_id, wanted.part, e.archive, e.size, e.stored, e.content, e.content_id, e.deleted OR s.mount IS NOT NULL AS deleted,
           count(*) OVER (PARTITION BY e.build_id, wanted.part) AS copies,
           row_number() OVER (PARTITION BY e.build_id, wanted.part ORDER BY e.deleted OR s.mount IS NOT NULL, ba.place, e.row_id) AS rank
    FROM wanted
    CROSS JOIN entries e ON e.path_id = wanted.path_id
    JOIN x_build_archive ba ON ba.build_id = e.build_id AND ba.archive_id = e.archive_id AND ba.name = e.archive
    LEFT JOIN x_build_shadow s ON s.build_id = e.build_id AND s.mount = ba.ordinal AND s.row = e.row_id
), here AS ( -- the columns are those of the first file, as of any one min(); sizes are of all
    SELECT build_id, min(part) AS part, archive, most AS copies, sum(size) AS size, sum(stored) AS stored, content,
           json_group_array(json_array(part, content_id) ORDER BY part) AS contents
    FROM (SELECT *, max(copies) OVER (PARTITION BY build_id) AS most FROM copy WHERE rank = 1 AND deleted = 0)
    GROUP BY build_id
), step AS (
    SELECT b.build, b.build_id, h.archive, h.copies, h.size, h.stored, h.content, h.contents, h.part IS NOT NULL AS here,
           lag(h.part IS NOT NULL, 1, 0) OVER w AS was_here, lag(h.contents) OVER w AS was_contents
    FROM builds b
    LEFT JOIN here h ON h.build_id = b.build_id
    WINDOW w AS (ORDER BY b.build_id)
)
SELECT build,
       CASE WHEN here AND NOT was_here THEN 'added'
            WHEN here AND contents IS NOT was_contents THEN 'changed'
            WHEN here THEN 'same'
            WHEN was_here THEN 'removed'
            ELSE 'absent' END AS change,
       archive, copies, size, stored, content
FROM step
WHERE EXISTS (SELECT 1 FROM wanted)
ORDER BY build_id;
