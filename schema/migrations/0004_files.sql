-- What a game sees of a build whose archives are mounted: of several entries
-- that are the same file, one counts. And the checksums that archives state, by
-- which contents are known without being read.

-- First 16 bytes of the BLAKE3 of the entry's path in the game's file system,
-- normalised: what is the same file has the same key. NULL: it has no path, or
-- was scanned before there were keys, and never hides another.
ALTER TABLE entry ADD COLUMN file_key BLOB;
-- What the archive says about the entry's bytes, where that was confirmed by
-- reading them, or is all that is known (content_id is NULL).
ALTER TABLE entry ADD COLUMN sum BLOB;
-- Serves: which entries wait for their content to be known. Empty but for quick
-- scans.
CREATE INDEX entry_unread ON entry (archive_id) WHERE content_id IS NULL AND sum IS NOT NULL;

-- Among the archives of a build 0 wins, then 1, and so on. Archives of one
-- mount_order have different places too.
ALTER TABLE build_archive ADD COLUMN place INTEGER NOT NULL DEFAULT 0;
-- Of several entries of one file in one archive the last counts, not the first.
ALTER TABLE build_archive ADD COLUMN last_wins INTEGER NOT NULL DEFAULT 0;

-- Entries that a game does not see, and what hides each: another entry, or a
-- delete record. mount is build_archive.ordinal. Made when the build is
-- published.
CREATE TABLE build_shadow (
    build_id   INTEGER NOT NULL REFERENCES build,
    mount      INTEGER NOT NULL,
    ordinal    INTEGER NOT NULL,
    by_mount   INTEGER NOT NULL,
    by_ordinal INTEGER NOT NULL,
    PRIMARY KEY (build_id, mount, ordinal)
) STRICT, WITHOUT ROWID;
-- Serves: how many entries an entry hides.
CREATE INDEX build_shadow_by ON build_shadow (build_id, by_mount, by_ordinal);

-- Stored bytes that were read once, and the content that they decode to.
CREATE TABLE stored_sum (
    sum        BLOB NOT NULL,
    method_id  INTEGER NOT NULL REFERENCES word,
    stored     INTEGER NOT NULL,
    encrypted  INTEGER NOT NULL,
    content_id INTEGER NOT NULL REFERENCES content,
    PRIMARY KEY (sum, method_id, stored, encrypted)
) STRICT, WITHOUT ROWID;
