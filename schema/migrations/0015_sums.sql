-- Checksums of stored bytes get keys when a scan asks for one: most catalogs never do.
-- archive.summed: 1 when sum_key has the checksums of this edition and of those before it.
ALTER TABLE archive ADD COLUMN summed INTEGER NOT NULL DEFAULT 0;
DELETE FROM sum_key;
