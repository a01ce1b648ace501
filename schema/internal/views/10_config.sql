-- view config: the settings in .ini files, line by line
CREATE VIEW config AS
SELECT e.build,
       e.archive,
       e.path,
       s.name COLLATE NOCASE AS section,
       c.op,
       k.name COLLATE NOCASE AS key,
       v.name AS value,
       c.seq AS ordinal,
       c.section_id,
       c.key_id,
       c.value_id,
       e.path_id,
       e.content_id,
       e.archive_id,
       e.build_id
FROM x_stored e
JOIN x_config_line c ON c.content_id = e.content_id
LEFT JOIN x_name s ON s.name_id = c.section_id
LEFT JOIN x_name k ON k.name_id = c.key_id
LEFT JOIN x_name v ON v.name_id = c.value_id;

-- view gameplay_tags: the gameplay tags that settings declare
CREATE VIEW gameplay_tags AS
SELECT e.build,
       e.archive,
       e.path,
       substr(v.name, instr(v.name, 'Tag="') + 5, instr(substr(v.name, instr(v.name, 'Tag="') + 5), '"') - 1) COLLATE NOCASE AS tag,
       CASE
           WHEN instr(v.name, 'DevComment="')
               THEN substr(v.name, instr(v.name, 'DevComment="') + 12, instr(substr(v.name, instr(v.name, 'DevComment="') + 12), '"') - 1)
       END AS comment,
       c.op,
       c.seq AS ordinal,
       e.path_id,
       e.content_id,
       e.archive_id,
       e.build_id
FROM x_stored e
JOIN x_config_line c ON c.content_id = e.content_id
JOIN x_name k ON k.name_id = c.key_id AND k.name = 'GameplayTagList' COLLATE NOCASE
JOIN x_name v ON v.name_id = c.value_id AND v.name LIKE '(Tag="%"%';

-- view config_effective: the settings of Unreal Engine that hold, after all files of a kind were read in their order
CREATE VIEW config_effective AS
WITH named AS MATERIALIZED ( -- the files that a game sees, and where they lie
    SELECT b.build_id,
           b.label,
           d.prefix || p.name AS path,
           substr(p.name, 1, length(p.name) - 4) AS stem,
           lower('/' || a.game_root || d.prefix) AS place,
           substr(d.dir, length(rtrim(d.dir, replace(d.dir, '/', ''))) + 1) AS folder,
           e.path_id,
           e.content_id
    FROM (SELECT DISTINCT content_id FROM x_config_line) c -- first: most builds have few of these, or none
    CROSS JOIN x_entry_row e ON e.content_id = c.content_id
    CROSS JOIN x_path p ON p.path_id = e.path_id
    CROSS JOIN x_word px ON px.word_id = p.ext_id AND px.word = 'ini'
    CROSS JOIN x_dir d ON d.dir_id = p.dir_id
    CROSS JOIN x_archive a ON a.lineage_id = e.lineage_id AND e.since <= a.edition AND (e.until = 0 OR e.until > a.edition)
    CROSS JOIN x_build_archive ba ON ba.archive_id = a.archive_id
    CROSS JOIN x_build b ON b.build_id = ba.build_id AND b.complete = 1
    WHERE e.flags & 42 = 0 -- as in files
      AND (p.name LIKE 'Base_%' OR p.name LIKE 'Default_%'
           OR p.name LIKE '%' || substr(d.dir, length(rtrim(d.dir, replace(d.dir, '/', ''))) + 1) || '_%')
      AND NOT EXISTS (SELECT 1
                      FROM x_build_shadow s
                      WHERE s.build_id = b.build_id AND s.mount = ba.ordinal AND s.row = e.row)
), layered AS MATERIALIZED ( -- Config/BaseEngine.ini, Config/DefaultEngine.ini, Config/Windows/WindowsEngine.ini
    SELECT *,
           CASE WHEN shared THEN '' ELSE folder END AS platform,
           CASE
               WHEN shared AND stem LIKE 'Base%' THEN substr(stem, 5)
               WHEN shared THEN substr(stem, 8)
               WHEN stem LIKE 'Base' || folder || '%' THEN substr(stem, 5 + length(folder))
               ELSE substr(stem, 1 + length(folder))
           END AS file,
           CASE
               WHEN shared AND stem LIKE 'Base%' THEN 1
               WHEN shared THEN 3
               WHEN stem LIKE 'Base' || folder || '%' THEN 2
               WHEN place LIKE '%/engine/%' THEN 4
               ELSE 5
           END AS layer
    FROM (SELECT *, place LIKE '%/config/' AS shared FROM named)
    WHERE place NOT LIKE '%/plugins/%'
      AND (shared AND (stem LIKE 'Base_%' OR stem LIKE 'Default_%')
           OR place LIKE '%/config/' || folder || '/' AND (stem LIKE folder || '_%' OR stem LIKE 'Base' || folder || '_%'))
), target AS MATERIALIZED (
    SELECT DISTINCT build_id, label, platform FROM layered
    UNION
    SELECT build_id, label, '' FROM layered
), line AS ( -- what each platform reads, in its order
    SELECT t.build_id,
           t.label,
           t.platform,
           l.file,
           l.path,
           l.path_id,
           l.content_id,
           c.op,
           s.name AS section,
           k.name AS key,
           v.name AS value,
           c.seq,
           l.layer << 48 | c.seq AS turn
    FROM target t
    CROSS JOIN layered l ON l.build_id = t.build_id AND l.platform IN ('', t.platform)
    CROSS JOIN x_config_line c ON c.content_id = l.content_id
    CROSS JOIN x_name s ON s.name_id = c.section_id
    CROSS JOIN x_name k ON k.name_id = c.key_id AND k.name <> ''
    CROSS JOIN x_name v ON v.name_id = c.value_id
), reset AS ( -- a line without operator replaces what was there, as ! does
    SELECT *,
           max(turn) FILTER (WHERE op IN ('', '!')) OVER (PARTITION BY build_id, platform, lower(file), lower(section), lower(key)) AS since,
           max(turn) FILTER (WHERE op = '-') OVER (PARTITION BY build_id, platform, lower(file), lower(section), lower(key), lower(value)) AS removed
    FROM line
), present AS ( -- + adds what is not there
    SELECT *,
           row_number() OVER (PARTITION BY build_id, platform, lower(file), lower(section), lower(key), lower(value) ORDER BY turn) AS nth
    FROM reset
    WHERE op IN ('', '+', '.') AND turn >= coalesce(since, 0) AND turn > coalesce(removed, -1)
)
SELECT label AS build,
       platform COLLATE NOCASE AS platform,
       file COLLATE NOCASE AS file,
       section COLLATE NOCASE AS section,
       key COLLATE NOCASE AS key,
       value,
       path,
       CAST(row_number() OVER (PARTITION BY build_id, platform, lower(file), lower(section), lower(key) ORDER BY turn) - 1 AS INTEGER) AS position,
       CAST(count(*) OVER (PARTITION BY build_id, platform, lower(file), lower(section), lower(key)) AS INTEGER) AS value_count,
       seq AS ordinal,
       path_id,
       content_id,
       build_id
FROM present
WHERE nth = 1 OR op = '.';
