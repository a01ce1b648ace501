-- view localized_files: the files of localised texts (.locres) that a game sees, with their cultures
CREATE VIEW localized_files AS
WITH file AS MATERIALIZED (
    SELECT b.label,
           ba.name AS archive,
           d.prefix || p.name AS path,
           substr(p.name, 1, length(p.name) - length(px.word) - 1) AS stem,
           substr(d.dir, length(rtrim(d.dir, replace(d.dir, '/', ''))) + 1) AS folder,
           a.game_root || d.prefix AS place,
           l.version, l.keys, l.native,
           e.path_id, e.content_id, e.archive_id, b.build_id
    FROM x_build b
    JOIN x_build_archive ba ON ba.build_id = b.build_id
    JOIN x_archive a ON a.archive_id = ba.archive_id
    JOIN x_entry e ON e.archive_id = ba.archive_id
    JOIN x_locres l ON l.content_id = e.content_id
    JOIN x_path p ON p.path_id = e.path_id
    JOIN x_dir d ON d.dir_id = p.dir_id
    JOIN x_word px ON px.word_id = p.ext_id
    WHERE b.complete = 1
      AND e.flags & 42 = 0 -- as in files
      AND NOT EXISTS (SELECT 1
                      FROM x_build_shadow s
                      WHERE s.build_id = b.build_id AND s.mount = ba.ordinal AND s.row = e.row)
), cultured AS MATERIALIZED ( -- Game/de/Game.locres, or de.locres
    SELECT *,
           CASE WHEN nested THEN folder WHEN named THEN stem END AS culture,
           CASE WHEN nested THEN substr(place, 1, length(place) - length(folder) - 1) ELSE place END AS target_path,
           CASE WHEN nested THEN stem WHEN named THEN nullif(folder, '') ELSE stem END AS target
    FROM (SELECT *,
                 lower(substr('/' || place, -length(stem) - length(folder) - 3)) = lower('/' || stem || '/' || folder || '/') AS nested,
                 stem GLOB '[a-z][a-z]' OR stem GLOB '[a-z][a-z][a-z]' OR stem GLOB '[a-z][a-z]-*' OR stem GLOB '[a-z][a-z][a-z]-*' AS named
          FROM file)
), meta AS MATERIALIZED (
    SELECT ba.build_id, a.game_root || d.prefix AS target_path, w.word AS culture
    FROM x_locmeta_culture m
    JOIN x_word w ON w.word_id = m.culture_id
    JOIN x_entry e ON e.content_id = m.content_id
    JOIN x_build_archive ba ON ba.archive_id = e.archive_id
    JOIN x_archive a ON a.archive_id = e.archive_id
    JOIN x_path p ON p.path_id = e.path_id
    JOIN x_dir d ON d.dir_id = p.dir_id
    WHERE m.native = 1
), judged AS MATERIALIZED (
    SELECT c.*,
           coalesce((SELECT max(m.culture = c.culture) FROM meta m WHERE m.build_id = c.build_id AND m.target_path = c.target_path),
                    c.native * 2 > c.keys) AS is_native
    FROM cultured c
), sourced AS MATERIALIZED (
    SELECT j.*,
           (SELECT n.content_id
            FROM judged n
            WHERE n.build_id = j.build_id AND n.target_path = j.target_path AND n.is_native AND n.target IS j.target
            ORDER BY n.native DESC, n.path
            LIMIT 1) AS source_content_id
    FROM judged j
)
SELECT label AS build,
       archive,
       path,
       target,
       culture,
       CAST(is_native AS INTEGER) AS native,
       keys AS text_count,
       version,
       target_path,
       source_content_id,
       path_id,
       content_id,
       archive_id,
       build_id
FROM sourced;

-- view translations: the texts that players read, by culture
CREATE VIEW translations AS
SELECT f.build,
       f.archive,
       f.path,
       f.target,
       f.culture,
       ns.name AS namespace,
       k.name AS key,
       x.name AS text,
       printf('%08x', t.source_hash) AS source_hash,
       CAST((SELECT s.source_hash <> t.source_hash
             FROM x_localized_text s
             WHERE s.content_id = f.source_content_id AND s.key_id = t.key_id AND s.namespace_id = t.namespace_id
             LIMIT 1) AS INTEGER) AS stale,
       (SELECT sx.name
        FROM x_localized_text s
        JOIN x_name sx ON sx.name_id = s.text_id
        WHERE s.content_id = f.source_content_id AND s.key_id = t.key_id AND s.namespace_id = t.namespace_id
        LIMIT 1) AS source,
       f.native,
       t.seq AS ordinal,
       f.target_path,
       t.namespace_id,
       t.key_id,
       t.text_id,
       f.path_id,
       f.content_id,
       f.archive_id,
       f.build_id
FROM localized_files f
JOIN x_localized_text t ON t.content_id = f.content_id
LEFT JOIN x_name ns ON ns.name_id = t.namespace_id
LEFT JOIN x_name k ON k.name_id = t.key_id
LEFT JOIN x_name x ON x.name_id = t.text_id;

-- view missing_translations: texts of the native culture that another culture lacks
CREATE VIEW missing_translations AS
SELECT f.build,
       f.archive,
       f.path,
       f.target,
       f.culture,
       ns.name AS namespace,
       k.name AS key,
       x.name AS source,
       printf('%08x', t.source_hash) AS source_hash,
       t.namespace_id,
       t.key_id,
       f.path_id,
       f.content_id,
       f.archive_id,
       f.build_id
FROM localized_files f
JOIN x_localized_text t ON t.content_id = f.source_content_id
LEFT JOIN x_name ns ON ns.name_id = t.namespace_id
LEFT JOIN x_name k ON k.name_id = t.key_id
LEFT JOIN x_name x ON x.name_id = t.text_id
WHERE f.native = 0
  AND NOT EXISTS (SELECT 1
                  FROM x_localized_text o
                  WHERE o.content_id = f.content_id AND o.key_id = t.key_id AND o.namespace_id = t.namespace_id);
