-- What rows named that were removed. The next removal of a build deletes those that nothing
-- else names, and need not look at all others: kind is 1 for content_id, 2 for path_id,
-- 3 for name_id. id 0: any, so that all are looked at.
CREATE TABLE removed (
    kind INTEGER NOT NULL,
    id   INTEGER NOT NULL,
    PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
INSERT INTO removed (kind, id)
SELECT k.value, 0
FROM json_each('[1, 2, 3]') k
WHERE EXISTS (SELECT 1 FROM content) OR EXISTS (SELECT 1 FROM path) OR EXISTS (SELECT 1 FROM name);

-- No index tells what uses a name.
CREATE TRIGGER value_set_removed AFTER DELETE ON value_set
BEGIN
    INSERT OR IGNORE INTO removed (kind, id) VALUES (3, 0);
END;
