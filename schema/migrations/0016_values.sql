-- Values in packages of Unreal Engine.

-- What was read of the exports that a content holds. It follows from the content, from
-- the package whose exports they are, and, where context is not 0, from what declares
-- their classes.
CREATE TABLE value_set (
    set_id       INTEGER PRIMARY KEY,
    content_id   INTEGER REFERENCES content, -- NULL: of mappings
    header       INTEGER NOT NULL,           -- as in value_entry
    context      INTEGER NOT NULL,
    mapping_id   INTEGER REFERENCES mapping,
    reader_id    INTEGER NOT NULL REFERENCES word,
    engine       INTEGER NOT NULL,           -- 100 times the major version, and the minor; 0: UE1 to UE3
    traits       INTEGER NOT NULL,           -- 1 unversioned lists, 2 the package does not state its engine
    exports      INTEGER NOT NULL,           -- how many
    exact        INTEGER NOT NULL,
    tailed       INTEGER NOT NULL,
    lost         INTEGER NOT NULL,
    fields       INTEGER NOT NULL,
    opaque       INTEGER NOT NULL,
    guessed      INTEGER NOT NULL,
    bytes        INTEGER NOT NULL,
    opaque_bytes INTEGER NOT NULL,
    tail_bytes   INTEGER NOT NULL,
    missing      INTEGER NOT NULL,           -- lost exports of which no schema is known
    missing_id   INTEGER REFERENCES name     -- the class that most of these want
) STRICT;
-- Serves: the values of a content.
CREATE UNIQUE INDEX value_set_content ON value_set (content_id, header, context);

-- Mappings that were given: the schemas of a game's program.
CREATE TABLE mapping (
    mapping_id INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,                -- of the file
    digest     BLOB NOT NULL UNIQUE,         -- BLAKE3 of the file
    used       INTEGER NOT NULL,             -- the greatest is the one that was given last
    data       BLOB NOT NULL                 -- the file
) STRICT;

-- Which sets with a context hold in a build.
CREATE TABLE build_value (
    build_id INTEGER NOT NULL REFERENCES build,
    set_id   INTEGER NOT NULL REFERENCES value_set,
    PRIMARY KEY (build_id, set_id)
) STRICT, WITHOUT ROWID;
-- Serves: delete a set.
CREATE INDEX build_value_set ON build_value (set_id);

-- The entries whose contents hold the exports of a package.
CREATE TABLE value_entry (
    lineage_id INTEGER NOT NULL,
    row        INTEGER NOT NULL,             -- as in entry_row
    path_id    INTEGER REFERENCES path,      -- of the package
    header     INTEGER NOT NULL,             -- 0: the content is the package; else the start of its essence, as in package_digest
    name_id    INTEGER REFERENCES name,      -- of the package; the three as in entry_symbol
    root_id    INTEGER REFERENCES word,
    start      INTEGER,
    PRIMARY KEY (lineage_id, row)
) STRICT, WITHOUT ROWID;
-- Serves: the values of a package.
CREATE INDEX value_entry_path ON value_entry (path_id);

-- The objects of a package, for the names of those that have values.
CREATE TABLE value_export (
    set_id        INTEGER NOT NULL REFERENCES value_set,
    ordinal       INTEGER NOT NULL,
    class_id      INTEGER NOT NULL REFERENCES name,
    outer_path_id INTEGER REFERENCES name,   -- the three as in package_export
    object_id     INTEGER NOT NULL REFERENCES name,
    number        INTEGER,
    status        INTEGER NOT NULL,          -- 0 exact, 1 data behind the list, 2 opaque
    super_id      INTEGER REFERENCES name,   -- of classes and structs: path of the parent
    why_id        INTEGER REFERENCES name,   -- why it is opaque
    PRIMARY KEY (set_id, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE property (
    set_id   INTEGER NOT NULL REFERENCES value_set,
    seq      INTEGER NOT NULL,               -- in the order of the exports and their bytes
    export   INTEGER NOT NULL,               -- ordinal
    name_id  INTEGER NOT NULL REFERENCES name, -- of the innermost field
    field_id INTEGER REFERENCES name,        -- path of the field with [] for the outermost element; NULL: the name
    place    INTEGER,                        -- index of that element
    key_id   INTEGER REFERENCES name,        -- or its key
    type_id  INTEGER NOT NULL REFERENCES word,
    value    ANY,                            -- a number
    text_id  INTEGER REFERENCES name,        -- or a text
    ref      INTEGER,                        -- of references: 0 none, n > 0 export n-1, n < 0 import -n-1
    target   INTEGER,                        -- key of the package that a reference leads to
    flags    INTEGER NOT NULL,               -- 1 class data, 2 zero, 4 guessed, 8 opaque, 16 array in one value
    PRIMARY KEY (set_id, seq)
) STRICT, WITHOUT ROWID;
-- Serves: fields by name and number.
CREATE INDEX property_name ON property (name_id, value);

-- The names that texts are translated by.
CREATE TABLE property_text (
    set_id       INTEGER NOT NULL REFERENCES value_set,
    seq          INTEGER NOT NULL,           -- as in property
    namespace_id INTEGER NOT NULL REFERENCES name, -- or the table
    key_id       INTEGER NOT NULL REFERENCES name,
    PRIMARY KEY (set_id, seq)
) STRICT, WITHOUT ROWID;

-- The properties that classes and structs declare, in the order of positions.
CREATE TABLE class_field (
    set_id  INTEGER NOT NULL REFERENCES value_set,
    seq     INTEGER NOT NULL,
    export  INTEGER NOT NULL,                -- ordinal of the class
    name_id INTEGER NOT NULL REFERENCES name,
    type_id INTEGER NOT NULL REFERENCES name,
    place   INTEGER NOT NULL,                -- position among the own
    count   INTEGER NOT NULL,                -- elements of a fixed array
    flags   INTEGER NOT NULL,
    PRIMARY KEY (set_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE enum_member (
    set_id  INTEGER NOT NULL REFERENCES value_set,
    seq     INTEGER NOT NULL,
    export  INTEGER NOT NULL,                -- ordinal of the enum
    name_id INTEGER NOT NULL REFERENCES name,
    value   INTEGER NOT NULL,
    PRIMARY KEY (set_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER value_set_deleted AFTER DELETE ON value_set
BEGIN
    DELETE FROM property WHERE set_id = old.set_id;
    DELETE FROM property_text WHERE set_id = old.set_id;
    DELETE FROM class_field WHERE set_id = old.set_id;
    DELETE FROM enum_member WHERE set_id = old.set_id;
    DELETE FROM value_export WHERE set_id = old.set_id;
    DELETE FROM build_value WHERE set_id = old.set_id;
END;

-- Stands for the mappings, the engine and the classes of packages by which the values
-- with a context were read. Builds of one state share these.
ALTER TABLE build ADD COLUMN value_state INTEGER;
