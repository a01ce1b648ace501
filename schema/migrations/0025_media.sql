-- Textures and sounds in packages of Unreal Engine.

-- What the class data of a texture says. Sizes are those of the picture that was imported.
CREATE TABLE texture (
    set_id      INTEGER NOT NULL REFERENCES value_set,
    export      INTEGER NOT NULL,            -- ordinal
    format_id   INTEGER REFERENCES word,     -- "PF_DXT1"; NULL: it was not read
    width       INTEGER NOT NULL,
    height      INTEGER NOT NULL,
    slices      INTEGER NOT NULL,
    first_mip   INTEGER NOT NULL,            -- of the chain that is stored
    mips        INTEGER NOT NULL,            -- that are stored
    virtual     INTEGER NOT NULL,            -- 1: as tiles
    srgb        INTEGER,                     -- NULL: the properties were not read
    group_id    INTEGER REFERENCES word,     -- "TEXTUREGROUP_World"
    compress_id INTEGER REFERENCES word,     -- "TC_Default"
    why_id      INTEGER REFERENCES name,     -- why it was not read
    PRIMARY KEY (set_id, export)
) STRICT, WITHOUT ROWID;

-- Where the bytes of mips lie, or of the parts of a texture that is stored as tiles.
CREATE TABLE texture_mip (
    set_id  INTEGER NOT NULL REFERENCES value_set,
    seq     INTEGER NOT NULL,
    export  INTEGER NOT NULL,                -- ordinal
    mip     INTEGER,                         -- from first_mip on; NULL: a part with tiles of several
    width   INTEGER,
    height  INTEGER,
    file_id INTEGER NOT NULL REFERENCES word, -- "", inside the package, or an extension: ".ubulk"
    size    INTEGER NOT NULL,                -- bytes, decoded
    PRIMARY KEY (set_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE sound (
    set_id   INTEGER NOT NULL REFERENCES value_set,
    export   INTEGER NOT NULL,               -- ordinal
    codec_id INTEGER NOT NULL REFERENCES word,
    channels INTEGER,                        -- the three are NULL where neither stream nor properties say
    rate     INTEGER,
    duration REAL,                           -- seconds
    bytes    INTEGER NOT NULL,
    beside   INTEGER NOT NULL,               -- of them in files beside the package
    why_id   INTEGER REFERENCES name,        -- why it was not read
    PRIMARY KEY (set_id, export)
) STRICT, WITHOUT ROWID;

DROP TRIGGER value_set_deleted;
CREATE TRIGGER value_set_deleted AFTER DELETE ON value_set
BEGIN
    DELETE FROM property WHERE set_id = old.set_id;
    DELETE FROM property_text WHERE set_id = old.set_id;
    DELETE FROM class_field WHERE set_id = old.set_id;
    DELETE FROM enum_member WHERE set_id = old.set_id;
    DELETE FROM texture WHERE set_id = old.set_id;
    DELETE FROM texture_mip WHERE set_id = old.set_id;
    DELETE FROM sound WHERE set_id = old.set_id;
    DELETE FROM value_export WHERE set_id = old.set_id;
    DELETE FROM build_value WHERE set_id = old.set_id;
END;
