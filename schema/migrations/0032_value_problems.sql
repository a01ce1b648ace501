-- What a reader of values could not read for what the bytes say, or for a limit.
CREATE TABLE value_problem (
    set_id   INTEGER NOT NULL REFERENCES value_set,
    seq      INTEGER NOT NULL,
    field_id INTEGER NOT NULL REFERENCES name,
    offset   INTEGER,                        -- in the content, NULL: no place
    cause_id INTEGER NOT NULL REFERENCES name,
    PRIMARY KEY (set_id, seq)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER value_set_deleted_problems AFTER DELETE ON value_set
BEGIN
    DELETE FROM value_problem WHERE set_id = old.set_id;
END;

-- How many of them the archive has in this build: others read its values by other classes.
ALTER TABLE build_archive ADD COLUMN value_problems INTEGER NOT NULL DEFAULT 0;
