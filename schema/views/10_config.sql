-- view config: the settings in .ini files, line by line
CREATE VIEW config AS
SELECT b.label AS build,
       ba.name AS archive,
       d.prefix || p.name AS path,
       s.name AS section,
       c.op,
       k.name AS key,
       v.name AS value,
       c.seq AS ordinal,
       c.section_id,
       c.key_id,
       c.value_id,
       e.path_id,
       e.content_id,
       e.archive_id,
       b.build_id
FROM build b
JOIN build_archive ba ON ba.build_id = b.build_id
JOIN entry e ON e.archive_id = ba.archive_id
LEFT JOIN path p ON p.path_id = e.path_id
LEFT JOIN dir d ON d.dir_id = p.dir_id
JOIN config_line c ON c.content_id = e.content_id
LEFT JOIN name s ON s.name_id = c.section_id
LEFT JOIN name k ON k.name_id = c.key_id
LEFT JOIN name v ON v.name_id = c.value_id
WHERE b.complete = 1;

-- view gameplay_tags: the gameplay tags that settings declare
CREATE VIEW gameplay_tags AS
SELECT b.label AS build,
       ba.name AS archive,
       d.prefix || p.name AS path,
       substr(v.name, instr(v.name, 'Tag="') + 5, instr(substr(v.name, instr(v.name, 'Tag="') + 5), '"') - 1) AS tag,
       CASE
           WHEN instr(v.name, 'DevComment="')
               THEN substr(v.name, instr(v.name, 'DevComment="') + 12, instr(substr(v.name, instr(v.name, 'DevComment="') + 12), '"') - 1)
       END AS comment,
       c.op,
       c.seq AS ordinal,
       e.path_id,
       e.content_id,
       e.archive_id,
       b.build_id
FROM build b
JOIN build_archive ba ON ba.build_id = b.build_id
JOIN entry e ON e.archive_id = ba.archive_id
LEFT JOIN path p ON p.path_id = e.path_id
LEFT JOIN dir d ON d.dir_id = p.dir_id
JOIN config_line c ON c.content_id = e.content_id
JOIN name k ON k.name_id = c.key_id AND k.name = 'GameplayTagList' COLLATE NOCASE
JOIN name v ON v.name_id = c.value_id AND v.name LIKE '(Tag="%"%'
WHERE b.complete = 1;
