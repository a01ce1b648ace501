-- Archives that follow each other, such as those of one name in successive builds,
-- are editions of one lineage. A row of entry_row holds for the editions from since
-- on, up to but without until (0: until further notice): an entry that does not
-- change costs nothing in a next edition.
--
-- Rows of a lineage lie in the order in which the archives store the entries. Room is
-- left between them (row_bits), for what later editions put there. row is what other
-- tables know an entry by. Its ordinal and offset are those of the edition that it
-- came with, and what archive_shift says of a later one: (row >> row_bits) - row_base
-- + ordinals, and offset + offsets.

ALTER TABLE entry RENAME TO entry_row;
ALTER TABLE entry_row RENAME COLUMN archive_id TO lineage_id;
ALTER TABLE entry_row RENAME COLUMN ordinal TO row;
ALTER TABLE entry_row ADD COLUMN since INTEGER NOT NULL DEFAULT 0;
ALTER TABLE entry_row ADD COLUMN until INTEGER NOT NULL DEFAULT 0;
-- The start of a hash over all that the archive says about the entry but its place:
-- an entry of a next edition that has the same is the same, if its content is. NULL:
-- scanned before there were editions.
ALTER TABLE entry_row ADD COLUMN print INTEGER;
-- Serves: what an edition brought, and what it ended.
CREATE INDEX entry_since ON entry_row (lineage_id, since) WHERE since > 0;
CREATE INDEX entry_until ON entry_row (lineage_id, until) WHERE until > 0;

ALTER TABLE archive ADD COLUMN lineage_id INTEGER NOT NULL DEFAULT 0; -- archive_id of the first edition
ALTER TABLE archive ADD COLUMN edition INTEGER NOT NULL DEFAULT 0;
ALTER TABLE archive ADD COLUMN row_bits INTEGER NOT NULL DEFAULT 0;
ALTER TABLE archive ADD COLUMN row_base INTEGER NOT NULL DEFAULT 0;
UPDATE archive SET lineage_id = archive_id;
-- Serves: the editions for which a row holds.
CREATE UNIQUE INDEX archive_edition ON archive (lineage_id, edition);

-- By how much ordinals and offsets differ in an edition from those of the rows, from
-- a row on up to the next one listed here.
CREATE TABLE archive_shift (
    archive_id INTEGER NOT NULL REFERENCES archive,
    row        INTEGER NOT NULL,
    ordinals   INTEGER NOT NULL,
    offsets    INTEGER NOT NULL,
    PRIMARY KEY (archive_id, row)
) STRICT, WITHOUT ROWID;

ALTER TABLE entry_symbol RENAME COLUMN archive_id TO lineage_id;
ALTER TABLE entry_symbol RENAME COLUMN ordinal TO row;
ALTER TABLE build_shadow RENAME COLUMN ordinal TO row;
ALTER TABLE build_shadow RENAME COLUMN by_ordinal TO by_row;
ALTER TABLE build_name RENAME COLUMN ordinal TO row;

-- A lineage outlives its first edition: rows refer to no archive.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema
SET sql = replace(replace(sql, 'lineage_id INTEGER NOT NULL REFERENCES archive', 'lineage_id INTEGER NOT NULL'),
                  '"lineage_id" INTEGER NOT NULL REFERENCES archive', '"lineage_id" INTEGER NOT NULL')
WHERE type = 'table' AND name IN ('entry_row', 'entry_symbol');
PRAGMA writable_schema = RESET;
