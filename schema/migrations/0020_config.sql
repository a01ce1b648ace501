-- Settings of Unreal Engine.
CREATE TABLE config_line (
    content_id INTEGER NOT NULL REFERENCES content,
    seq        INTEGER NOT NULL,             -- in the order of the file
    section_id INTEGER NOT NULL REFERENCES name,
    op         TEXT NOT NULL,                -- "+", "-", ".", "!", or ""
    key_id     INTEGER NOT NULL REFERENCES name,
    value_id   INTEGER NOT NULL REFERENCES name,
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;
