-- What plugins and projects of Unreal Engine say of themselves.
CREATE TABLE plugin_descriptor (
    content_id      INTEGER NOT NULL REFERENCES content,
    seq             INTEGER NOT NULL,             -- in the order of the file
    project         INTEGER NOT NULL,             -- 1: a project
    name_id         INTEGER REFERENCES name,      -- NULL: that of the file
    title_id        INTEGER REFERENCES name,
    description_id  INTEGER REFERENCES name,
    category_id     INTEGER REFERENCES name,
    created_by_id   INTEGER REFERENCES name,
    version         INTEGER NOT NULL,
    version_name_id INTEGER REFERENCES name,
    engine_id       INTEGER REFERENCES name,
    enabled         INTEGER,                      -- NULL: it does not say
    content         INTEGER NOT NULL,             -- 1: it may have content
    modules         TEXT NOT NULL,                -- JSON: list of objects
    plugins         TEXT NOT NULL,                -- JSON: list of objects
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;
