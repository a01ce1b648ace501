-- Texts that are of no format of a game's own, some lines at a time: JSON, XML, CSV, Lua and others.
CREATE TABLE text_block (
    content_id INTEGER NOT NULL REFERENCES content,
    seq        INTEGER NOT NULL,             -- in the order of the file
    line       INTEGER NOT NULL,             -- number of the first, from 1; a long line has several rows
    name_id    INTEGER NOT NULL REFERENCES name,
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;
