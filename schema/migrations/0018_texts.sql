-- Localised texts of Unreal Engine.

-- The texts of one culture; which one it is, the path of the file says.
CREATE TABLE locres (
    content_id INTEGER PRIMARY KEY REFERENCES content,
    version    INTEGER NOT NULL,
    namespaces INTEGER NOT NULL,
    keys       INTEGER NOT NULL,
    strings    INTEGER NOT NULL,
    native     INTEGER NOT NULL              -- keys whose text has the source hash itself
) STRICT;

CREATE TABLE localized_text (
    content_id   INTEGER NOT NULL REFERENCES content,
    seq          INTEGER NOT NULL,           -- in stored order
    namespace_id INTEGER NOT NULL REFERENCES name,
    key_id       INTEGER NOT NULL REFERENCES name,
    text_id      INTEGER REFERENCES name,
    source_hash  INTEGER NOT NULL,
    PRIMARY KEY (content_id, key_id, namespace_id, seq) -- so that another culture's text of a key is found
) STRICT, WITHOUT ROWID;

-- The cultures that a .locmeta lists.
CREATE TABLE locmeta_culture (
    content_id INTEGER NOT NULL REFERENCES content,
    seq        INTEGER NOT NULL,
    culture_id INTEGER NOT NULL REFERENCES word,
    native     INTEGER NOT NULL,             -- 1: the others are translated from it
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;
