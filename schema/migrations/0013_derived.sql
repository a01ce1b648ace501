-- What follows from other rows is stored no longer.

-- Stored bytes that were read lead to the content that they decode to. The checksum and
-- what it covers are in entry_row; key is the first 8 bytes of the checksum,
-- little-endian, signed, filled up with zeros.
-- Serves: which content does a checksum stand for, before an entry is read.
CREATE TABLE sum_key (
    key        INTEGER NOT NULL,
    content_id INTEGER NOT NULL REFERENCES content,
    PRIMARY KEY (key, content_id)
) STRICT, WITHOUT ROWID;
INSERT INTO sum_key (key, content_id)
SELECT DISTINCT key_of_sum(sum) AS key, content_id
FROM stored_sum
ORDER BY key, content_id;
DROP TABLE stored_sum;

-- The name of a package is nearly always the path of its entry without the extension,
-- from character start (1: the first) on, behind a text that many share. Such a name
-- has no row in table name; name_id is NULL then.
ALTER TABLE entry_symbol ADD COLUMN root_id INTEGER REFERENCES word;
ALTER TABLE entry_symbol ADD COLUMN start INTEGER;
