-- What tells, of two Unreal packages whose bytes differ, whether and where they
-- differ in more than noise: the GUIDs and hashes that every cook writes anew.
-- header is 0 for the content of a package, whole or without its exports' bytes.
-- For a .uexp, which holds these, it is what the content of its package begins its
-- hash with (first 8 bytes, little-endian, signed): where one export ends and the
-- next begins stands in the package.
-- Serves: which changed assets are cook noise, which exports changed.
CREATE TABLE package_digest (
    content_id INTEGER NOT NULL REFERENCES content,
    header     INTEGER NOT NULL,
    essence    BLOB NOT NULL,                -- of all but noise: first 16 bytes of the BLAKE3
    exports    BLOB,                         -- 8 bytes for each export, of its bytes but noise; zeros: none here. NULL: of all
    PRIMARY KEY (content_id, header)
) STRICT, WITHOUT ROWID;
