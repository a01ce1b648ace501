-- What the game sees is decided once, while a build is written; whoever compares
-- builds reads it here and need not know formats.

-- What the archive is called by, together with others that are mounted with it:
-- its name without the extension. NULL: its name.
ALTER TABLE build_archive ADD COLUMN stem TEXT;
UPDATE build_archive
SET stem = substr(name, 1, length(name) - 4)
WHERE lower(substr(name, -4)) = '.pak'
  AND archive_id IN (SELECT archive_id FROM archive WHERE format = 'unrealpak');
UPDATE build_archive
SET stem = substr(name, 1, length(name) - 5)
WHERE lower(substr(name, -5)) = '.utoc'
  AND archive_id IN (SELECT archive_id FROM archive WHERE format = 'iostore');

-- The header of a container describes the container and is no file of the game:
-- flag 32. It hides no other.
DELETE FROM build_shadow
WHERE EXISTS (SELECT 1
              FROM build_archive ba
              JOIN archive a ON a.archive_id = ba.archive_id AND a.format = 'iostore'
              JOIN entry e ON e.archive_id = ba.archive_id AND e.ordinal = build_shadow.ordinal
              WHERE ba.build_id = build_shadow.build_id AND ba.ordinal = build_shadow.mount
                AND e.type_id = (SELECT word_id FROM word WHERE word = 'ContainerHeader'));
UPDATE entry
SET flags = flags | 32, file_key = NULL
WHERE type_id = (SELECT word_id FROM word WHERE word = 'ContainerHeader')
  AND archive_id IN (SELECT archive_id FROM archive WHERE format = 'iostore');
