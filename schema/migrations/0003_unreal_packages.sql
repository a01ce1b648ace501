-- Unreal packages, and references that name their target instead of giving its id.

-- Texts that repeat: names of packages, objects and classes, and the paths that
-- stand in front of object names. Each is stored once, whatever uses it.
CREATE TABLE name (
    name_id INTEGER PRIMARY KEY,
    name    TEXT NOT NULL
) STRICT;
-- key is the first 8 bytes of the BLAKE3 of the lower-cased text, little-endian,
-- signed: texts that differ in case share it.
-- Serves: find a text, whatever its case. Apart from name for the same reason as
-- path_key.
CREATE TABLE name_key (
    key     INTEGER NOT NULL,
    name_id INTEGER NOT NULL REFERENCES name,
    PRIMARY KEY (key, name_id)
) STRICT, WITHOUT ROWID;

-- NULL: the key is an id; else the key is that of the name.
ALTER TABLE symbol ADD COLUMN name_id INTEGER REFERENCES name;
ALTER TABLE ref ADD COLUMN name_id INTEGER REFERENCES name;

-- What entries are called by where they lie: mount point and path decide, for
-- which reason it belongs to neither the path nor the content.
CREATE TABLE entry_symbol (
    archive_id INTEGER NOT NULL REFERENCES archive,
    ordinal    INTEGER NOT NULL,
    space_id   INTEGER NOT NULL REFERENCES word,
    key        INTEGER NOT NULL,             -- as in symbol
    name_id    INTEGER REFERENCES name,      -- as in symbol
    PRIMARY KEY (archive_id, ordinal, space_id, key)
) STRICT, WITHOUT ROWID;

-- The summary of an Unreal package (UE1 to UE5).
CREATE TABLE package (
    content_id        INTEGER PRIMARY KEY REFERENCES content,
    engine_id         INTEGER NOT NULL REFERENCES word, -- UE1 to UE5; '' when not even that is known
    version           INTEGER NOT NULL,      -- UE1 to UE3: package version; UE4, UE5: the ue4 version, 0 unversioned
    version5          INTEGER NOT NULL,      -- the ue5 version, 0 for none
    legacy_version    INTEGER NOT NULL,      -- UE4, UE5: -2 and below; otherwise 0
    licensee          INTEGER NOT NULL,
    layout_id         INTEGER NOT NULL REFERENCES word, -- the rules by which the tables were read
    engine_version    TEXT,
    compatible_engine TEXT,
    cooker_version    INTEGER NOT NULL,
    flags             INTEGER NOT NULL,      -- as stored; their meaning depends on the engine
    guid              BLOB,                  -- 16 bytes
    persistent_guid   BLOB,                  -- 16 bytes
    saved_hash        BLOB,                  -- 20 bytes, UE5 from 1016 in place of guid
    name_id           INTEGER REFERENCES name, -- where the file stores its own name
    compression_id    INTEGER NOT NULL REFERENCES word, -- '' for none
    traits            INTEGER NOT NULL,      -- 1 big-endian, 2 unversioned, 4 exports lie in the .uexp beside it
    header_size       INTEGER NOT NULL,      -- end of the tables; 0: the generation does not say
    name_count        INTEGER NOT NULL,      -- the counts are what the summary declares,
    import_count      INTEGER NOT NULL,      -- also where a table could not be read
    export_count      INTEGER NOT NULL
) STRICT;

CREATE TABLE package_name (
    content_id INTEGER NOT NULL REFERENCES content,
    ordinal    INTEGER NOT NULL,
    name_id    INTEGER NOT NULL REFERENCES name,
    flags      INTEGER NOT NULL,             -- UE1 to UE3
    PRIMARY KEY (content_id, ordinal)
) STRICT, WITHOUT ROWID;

-- Objects refer to objects by number: 0 none, n > 0 export n-1, n < 0 import -n-1.
-- The text of an object is outer_path || object || '_' || number.
CREATE TABLE package_import (
    content_id       INTEGER NOT NULL REFERENCES content,
    ordinal          INTEGER NOT NULL,
    class_package_id INTEGER NOT NULL REFERENCES name,
    class_id         INTEGER NOT NULL REFERENCES name,
    outer            INTEGER NOT NULL,       -- object; 0: the import is a package
    outer_path_id    INTEGER REFERENCES name, -- ends in its separator; NULL: outer is 0
    object_id        INTEGER NOT NULL REFERENCES name,
    number           INTEGER,                -- NULL: none
    flags            INTEGER NOT NULL,       -- 1 native, 2 editor only, 4 optional
    PRIMARY KEY (content_id, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE package_export (
    content_id    INTEGER NOT NULL REFERENCES content,
    ordinal       INTEGER NOT NULL,
    class         INTEGER NOT NULL,          -- object; 0: it is itself a class
    super         INTEGER NOT NULL,          -- object
    outer         INTEGER NOT NULL,          -- object; 0: it lies in the package itself
    archetype     INTEGER NOT NULL,          -- object; of UE1 and UE2 the super of a class, else class
    class_id      INTEGER NOT NULL REFERENCES name, -- bare name of class
    super_id      INTEGER REFERENCES name,   -- bare name of super
    outer_path_id INTEGER REFERENCES name,   -- as in package_import
    object_id     INTEGER NOT NULL REFERENCES name,
    number        INTEGER,                   -- NULL: none
    flags         INTEGER NOT NULL,          -- of the object, as stored
    offset        INTEGER NOT NULL,          -- in the package, decompressed
    size          INTEGER NOT NULL,
    export_flags  INTEGER NOT NULL,          -- 1 forced, 2 not for client, 4 not for server, 8 not in editor's game, 16 asset, 32 inherited, 64 public hash
    package_flags INTEGER NOT NULL,
    PRIMARY KEY (content_id, ordinal)
) STRICT, WITHOUT ROWID;

-- What earlier saves of a package held.
CREATE TABLE package_generation (
    content_id  INTEGER NOT NULL REFERENCES content,
    ordinal     INTEGER NOT NULL,
    exports     INTEGER NOT NULL,
    names       INTEGER NOT NULL,
    net_objects INTEGER NOT NULL,
    PRIMARY KEY (content_id, ordinal)
) STRICT, WITHOUT ROWID;
