-- The catalog: builds mount archives, archives hold entries, entries have a
-- path and a content. Paths and contents are stored once, whichever builds and
-- archives share them; an archive is scanned once, whichever builds mount it.
-- Ids are handed out in order of first appearance, so that the tables and the
-- indexes on them grow at their ends: random keys would rewrite the whole
-- tree at every commit.

-- Short strings that repeat: methods, types, kinds.
CREATE TABLE word (
    word_id INTEGER PRIMARY KEY,
    word    TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE build (
    build_id   INTEGER PRIMARY KEY,
    label      TEXT NOT NULL,
    created_at TEXT NOT NULL,                -- RFC 3339, UTC
    complete   INTEGER NOT NULL DEFAULT 0    -- invisible until 1
) STRICT;
-- Serves: find a build by label; makes labels unique among complete builds.
CREATE UNIQUE INDEX build_label ON build (label) WHERE complete = 1;

-- One scanned file. Immutable once complete.
CREATE TABLE archive (
    archive_id    INTEGER PRIMARY KEY,
    size          INTEGER NOT NULL,          -- of the file
    mtime         INTEGER NOT NULL,          -- of the file, Unix nanoseconds
    quick         BLOB NOT NULL,             -- BLAKE3 over size and samples of the file
    digest        BLOB,                      -- BLAKE3 of the whole file
    scan          TEXT NOT NULL,             -- what made the rows: format, revisions, options
    format        TEXT NOT NULL,
    version       TEXT NOT NULL,
    mount_point   TEXT NOT NULL,
    encrypted     INTEGER NOT NULL,
    entry_count   INTEGER NOT NULL DEFAULT 0,
    entry_size    INTEGER NOT NULL DEFAULT 0, -- sum of entry.size
    entry_stored  INTEGER NOT NULL DEFAULT 0, -- sum of entry.stored
    problem_count INTEGER NOT NULL DEFAULT 0,
    complete      INTEGER NOT NULL DEFAULT 0
) STRICT;
-- Serves: has this file been scanned already?
CREATE INDEX archive_quick ON archive (quick);

CREATE TABLE build_archive (
    build_id    INTEGER NOT NULL REFERENCES build,
    ordinal     INTEGER NOT NULL,            -- order of the paths given
    archive_id  INTEGER NOT NULL REFERENCES archive,
    name        TEXT NOT NULL,               -- relative to the folder that was scanned
    location    TEXT NOT NULL,               -- where the file lay, absolute
    mount_order INTEGER NOT NULL,
    PRIMARY KEY (build_id, ordinal)
) STRICT, WITHOUT ROWID;
-- Serves: which builds mount an archive.
CREATE INDEX build_archive_archive ON build_archive (archive_id);

-- A path is prefix || name. Every prefix but the empty one ends in a slash.
CREATE TABLE dir (
    dir_id INTEGER PRIMARY KEY,
    prefix TEXT NOT NULL UNIQUE,
    dir    TEXT NOT NULL                     -- prefix without its last slash
) STRICT;

CREATE TABLE path (
    path_id INTEGER PRIMARY KEY,
    dir_id  INTEGER NOT NULL REFERENCES dir,
    name    TEXT NOT NULL,
    ext_id  INTEGER NOT NULL REFERENCES word -- lower case, without the dot
) STRICT;
-- key is the first 8 bytes of the path's BLAKE3, little-endian, signed.
-- Serves: find a path. Apart from path so that rows can be added in key order.
CREATE TABLE path_key (
    key     INTEGER NOT NULL,
    path_id INTEGER NOT NULL REFERENCES path,
    PRIMARY KEY (key, path_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE content (
    content_id   INTEGER PRIMARY KEY,
    hash         BLOB NOT NULL,              -- BLAKE3 of the decoded bytes, 32 bytes
    size         INTEGER NOT NULL,
    kind_id      INTEGER REFERENCES word,    -- NULL: nothing is known of it
    inspected_id INTEGER REFERENCES word     -- inspector and revision whose facts are stored
) STRICT;
-- key is the first 8 bytes of hash, little-endian, signed.
-- Serves: find a content. Apart from content for the same reason as path_key.
CREATE TABLE content_key (
    key        INTEGER NOT NULL,
    content_id INTEGER NOT NULL REFERENCES content,
    PRIMARY KEY (key, content_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE entry (
    archive_id INTEGER NOT NULL REFERENCES archive,
    ordinal    INTEGER NOT NULL,
    path_id    INTEGER REFERENCES path,      -- NULL: the archive stores no name
    content_id INTEGER REFERENCES content,   -- NULL: not decoded (see problem), or a delete record
    offset     INTEGER NOT NULL,             -- -1: no place in the file
    stored     INTEGER NOT NULL,
    size       INTEGER NOT NULL,
    method_id  INTEGER NOT NULL REFERENCES word,
    flags      INTEGER NOT NULL,             -- 1 encrypted, 2 deleted
    mtime      INTEGER,                      -- Unix seconds, as the archive says
    type_id    INTEGER REFERENCES word,
    id_hi      INTEGER,                      -- asset id above 64 bits, else NULL
    id_lo      INTEGER,                      -- asset id, signed; NULL: none
    id_bits    INTEGER,                      -- 32, 64, 96 or 128
    path_hash  INTEGER,                      -- as the archive stores it, signed
    PRIMARY KEY (archive_id, ordinal)
) STRICT, WITHOUT ROWID;
-- Serves: history of a path, renames.
CREATE INDEX entry_path ON entry (path_id);
-- Serves: who holds a content, duplicates.
CREATE INDEX entry_content ON entry (content_id);
-- Serves: look up an asset id.
CREATE INDEX entry_asset ON entry (id_lo) WHERE id_lo IS NOT NULL;

-- Findings about a file or one of its entries.
CREATE TABLE problem (
    archive_id INTEGER NOT NULL REFERENCES archive,
    seq        INTEGER NOT NULL,
    ordinal    INTEGER,                      -- entry, NULL: the file as a whole
    path       TEXT,                         -- name of the entry, where it has one
    field      TEXT NOT NULL,
    offset     INTEGER,                      -- in the file, NULL: no place
    cause      TEXT NOT NULL,
    PRIMARY KEY (archive_id, seq)
) STRICT, WITHOUT ROWID;

-- Findings about a content, whichever entries hold it.
CREATE TABLE content_problem (
    content_id INTEGER NOT NULL REFERENCES content,
    seq        INTEGER NOT NULL,
    field      TEXT NOT NULL,
    offset     INTEGER,                      -- in the content, NULL: no place
    cause      TEXT NOT NULL,
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;
