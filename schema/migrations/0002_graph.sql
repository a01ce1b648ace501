-- What contents define and refer to. Facts belong to a content and are stored
-- once, whichever builds and archives hold it; what a reference leads to depends
-- on the build, and is looked up in build_symbol.

-- Content content_id says that key in a space stands for a path.
CREATE TABLE symbol (
    content_id INTEGER NOT NULL REFERENCES content,
    seq        INTEGER NOT NULL,
    space_id   INTEGER NOT NULL REFERENCES word,
    key        INTEGER NOT NULL,             -- id, signed; or the hash of a lower-cased name
    path_id    INTEGER REFERENCES path,      -- NULL: the entry that holds the content
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;

-- The same, said by the path itself: some ids are hashes of paths.
CREATE TABLE path_symbol (
    path_id  INTEGER NOT NULL REFERENCES path,
    space_id INTEGER NOT NULL REFERENCES word,
    key      INTEGER NOT NULL,
    PRIMARY KEY (path_id, space_id, key)
) STRICT, WITHOUT ROWID;

-- What each key stands for in one build. Made when the build is published.
CREATE TABLE build_symbol (
    build_id INTEGER NOT NULL REFERENCES build,
    space_id INTEGER NOT NULL REFERENCES word,
    key      INTEGER NOT NULL,
    path_id  INTEGER NOT NULL REFERENCES path,
    paths    INTEGER NOT NULL,               -- how many paths claim the key
    present  INTEGER NOT NULL,               -- an entry of the build has the path
    PRIMARY KEY (build_id, space_id, key)
) STRICT, WITHOUT ROWID;
-- Serves: the keys of a path, to find what refers to it.
CREATE INDEX build_symbol_path ON build_symbol (path_id, build_id);

-- Content content_id refers to key in a space.
CREATE TABLE ref (
    content_id INTEGER NOT NULL REFERENCES content,
    seq        INTEGER NOT NULL,
    kind_id    INTEGER NOT NULL REFERENCES word,
    space_id   INTEGER NOT NULL REFERENCES word,
    key        INTEGER NOT NULL,
    flags      INTEGER NOT NULL,             -- 1 weak, 2 native, 4 editor only
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;
-- Serves: what refers to a key. Apart from ref so that rows can be added in key
-- order; without repeats.
CREATE TABLE ref_key (
    key        INTEGER NOT NULL,
    content_id INTEGER NOT NULL REFERENCES content,
    PRIMARY KEY (key, content_id)
) STRICT, WITHOUT ROWID;

-- Public names of entries, in formats that keep names apart. Several names may
-- share an id, and several ids a name.
CREATE TABLE named_resource (
    archive_id INTEGER NOT NULL REFERENCES archive,
    ordinal    INTEGER NOT NULL,
    name       TEXT NOT NULL,
    type_id    INTEGER NOT NULL REFERENCES word,
    id_hi      INTEGER,                      -- asset id above 64 bits, else NULL
    id_lo      INTEGER NOT NULL,
    id_bits    INTEGER NOT NULL,
    PRIMARY KEY (archive_id, ordinal)
) STRICT, WITHOUT ROWID;
-- Serves: the names of an asset.
CREATE INDEX named_resource_id ON named_resource (id_lo);

-- Marvel Heroes' game database. Ids and GUIDs are signed; 0 is none.
CREATE TABLE calligraphy_record (
    content_id   INTEGER NOT NULL REFERENCES content, -- of the directory
    seq          INTEGER NOT NULL,
    space_id     INTEGER NOT NULL REFERENCES word,
    id           INTEGER NOT NULL,
    guid         INTEGER NOT NULL,
    blueprint    INTEGER NOT NULL,           -- id; prototypes only
    path_id      INTEGER NOT NULL REFERENCES path,
    flags        INTEGER NOT NULL,
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;
-- Serves: the record of a GUID, renames.
CREATE INDEX calligraphy_record_guid ON calligraphy_record (guid);
-- Serves: the record of a file.
CREATE INDEX calligraphy_record_path ON calligraphy_record (path_id);

CREATE TABLE calligraphy_replacement (
    content_id INTEGER NOT NULL REFERENCES content,
    seq        INTEGER NOT NULL,
    old_guid   INTEGER NOT NULL,
    new_guid   INTEGER NOT NULL,             -- as stored
    last_guid  INTEGER NOT NULL,             -- where the chain ends; 0: deleted
    name       TEXT NOT NULL,
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE calligraphy_asset (
    content_id INTEGER NOT NULL REFERENCES content, -- of the .type
    seq        INTEGER NOT NULL,
    id         INTEGER NOT NULL,
    guid       INTEGER NOT NULL,
    flags      INTEGER NOT NULL,
    name       TEXT NOT NULL,
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;
-- Serves: the name of an asset value.
CREATE INDEX calligraphy_asset_id ON calligraphy_asset (id);

CREATE TABLE calligraphy_curve (
    content_id INTEGER PRIMARY KEY REFERENCES content,
    start      INTEGER NOT NULL,             -- position of the first value
    points     TEXT NOT NULL                 -- JSON array; null is not a number
) STRICT;

CREATE TABLE calligraphy_blueprint (
    content_id    INTEGER PRIMARY KEY REFERENCES content,
    runtime_class TEXT NOT NULL,
    default_id    INTEGER NOT NULL
) STRICT;

CREATE TABLE calligraphy_member (
    content_id INTEGER NOT NULL REFERENCES content, -- of the .blueprint
    field      INTEGER NOT NULL,             -- id of the field
    seq        INTEGER NOT NULL,
    name       TEXT NOT NULL,
    type       TEXT NOT NULL,                -- A B C D L P R S T
    list       INTEGER NOT NULL,
    subtype    INTEGER NOT NULL,             -- id
    PRIMARY KEY (content_id, field, seq)
) STRICT, WITHOUT ROWID;

-- One row a value of a .prototype or .defaults; an empty list is a row of NULL.
CREATE TABLE calligraphy_value (
    content_id INTEGER NOT NULL REFERENCES content,
    ordinal    INTEGER NOT NULL,             -- of the row in the file
    owner      INTEGER,                      -- ordinal of the R value whose body this is in
    blueprint  INTEGER NOT NULL,             -- id of the declaring blueprint
    copy       INTEGER NOT NULL,
    field      INTEGER NOT NULL,             -- id of the field
    type       TEXT NOT NULL,                -- A B C D L P R S T
    position   INTEGER,                      -- in a list; NULL: not a list
    value      ANY,                          -- number; id of A C P S T; parent id of R
    PRIMARY KEY (content_id, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE calligraphy_resource (
    content_id INTEGER PRIMARY KEY REFERENCES content,
    signature  INTEGER NOT NULL,
    version    INTEGER NOT NULL,
    class_id   INTEGER NOT NULL,
    class      TEXT
) STRICT;

-- Contents of unknown structure, in which known ids are searched.
CREATE TABLE content_scan (
    content_id INTEGER PRIMARY KEY REFERENCES content,
    spec_id    INTEGER NOT NULL REFERENCES word, -- which ids, and how they lie
    known      INTEGER NOT NULL              -- stands for the set of ids used; 0: not searched yet
) STRICT;
