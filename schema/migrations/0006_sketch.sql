-- What similar contents are recognised by: up to 32 hashes of chunks, the
-- smallest ones, sorted, 4 bytes each, little-endian. Only contents of some size
-- have one, and only those of scans that were asked for it.
CREATE TABLE content_sketch (
    content_id INTEGER PRIMARY KEY REFERENCES content,
    sketch     BLOB NOT NULL
) STRICT;
