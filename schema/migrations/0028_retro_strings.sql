-- Texts of Metroid Prime, in several languages.
CREATE TABLE retro_string (
    content_id  INTEGER NOT NULL REFERENCES content,
    seq         INTEGER NOT NULL,            -- in the order of the file
    language_id INTEGER NOT NULL REFERENCES word,
    number      INTEGER NOT NULL,            -- of the text in its language, from 0
    key_id      INTEGER REFERENCES name,     -- NULL: the text has no name
    text_id     INTEGER NOT NULL REFERENCES name,
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;
