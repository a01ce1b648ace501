-- Code of Unreal Engine: blueprints and UnrealScript.

-- The functions of a package, and its states and classes that have code.
CREATE TABLE script (
    set_id     INTEGER NOT NULL REFERENCES value_set,
    ordinal    INTEGER NOT NULL,             -- as in value_export
    flags      INTEGER NOT NULL,             -- as stored
    native     INTEGER,                      -- UE1 to UE3: the number that code calls it by
    statements INTEGER NOT NULL,
    tokens     INTEGER NOT NULL,
    size       INTEGER NOT NULL,             -- of the code, bytes
    memory     INTEGER NOT NULL,             -- the same in memory
    hash       INTEGER,                      -- of its normal form; NULL: opaque
    why_id     INTEGER REFERENCES name,      -- why it is
    PRIMARY KEY (set_id, ordinal)
) STRICT, WITHOUT ROWID;

-- What they call, and the objects and texts that they name.
CREATE TABLE script_use (
    set_id    INTEGER NOT NULL REFERENCES value_set,
    seq       INTEGER NOT NULL,
    export    INTEGER NOT NULL,              -- ordinal
    event_id  INTEGER REFERENCES name,       -- the event of a blueprint that it is part of
    kind      INTEGER NOT NULL,              -- calls: 0 final, 1 virtual, 2 math, 3 delegate, 4 native; 8 object, 9 soft path, 10 string, 11 text
    name_id   INTEGER NOT NULL REFERENCES name, -- path or name of the function, path of the object, or the text
    count     INTEGER NOT NULL,
    target    INTEGER,                       -- key of the package that the path leads to
    PRIMARY KEY (set_id, seq)
) STRICT, WITHOUT ROWID;
-- Serves: who calls a function.
CREATE INDEX script_use_name ON script_use (name_id);

-- The names that texts in code are translated by.
CREATE TABLE script_text (
    set_id       INTEGER NOT NULL REFERENCES value_set,
    seq          INTEGER NOT NULL,           -- as in script_use
    namespace_id INTEGER NOT NULL REFERENCES name,
    key_id       INTEGER NOT NULL REFERENCES name,
    PRIMARY KEY (set_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER value_set_deleted_scripts AFTER DELETE ON value_set
BEGIN
    DELETE FROM script WHERE set_id = old.set_id;
    DELETE FROM script_use WHERE set_id = old.set_id;
    DELETE FROM script_text WHERE set_id = old.set_id;
END;
