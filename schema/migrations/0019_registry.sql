-- AssetRegistry.bin of Unreal Engine.

CREATE TABLE asset_registry (
    content_id   INTEGER PRIMARY KEY REFERENCES content,
    version      INTEGER NOT NULL,
    filtered     INTEGER NOT NULL,           -- 1: without data of the editor
    assets       INTEGER NOT NULL,
    tags         INTEGER NOT NULL,
    nodes        INTEGER NOT NULL,           -- that have dependencies
    dependencies INTEGER NOT NULL,
    packages     INTEGER NOT NULL
) STRICT;

CREATE TABLE registry_asset (
    content_id INTEGER NOT NULL REFERENCES content,
    seq        INTEGER NOT NULL,
    package_id INTEGER NOT NULL REFERENCES name,
    class_id   INTEGER NOT NULL REFERENCES name,
    object_id  INTEGER NOT NULL REFERENCES name,
    chunks     TEXT,                         -- numbers: "0,3"
    flags      INTEGER NOT NULL,             -- of the package
    bundled    INTEGER NOT NULL,             -- how many assets its bundles name
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE registry_tag (
    content_id INTEGER NOT NULL REFERENCES content,
    seq        INTEGER NOT NULL,             -- in the order of the assets
    asset      INTEGER NOT NULL,             -- seq of the asset
    tag_id     INTEGER NOT NULL REFERENCES name,
    value_id   INTEGER NOT NULL REFERENCES name,
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE registry_dependency (
    content_id INTEGER NOT NULL REFERENCES content,
    seq        INTEGER NOT NULL,
    from_id    INTEGER NOT NULL REFERENCES name,
    to_id      INTEGER NOT NULL REFERENCES name,
    from_key   INTEGER NOT NULL,             -- of the names, as in build_symbol
    to_key     INTEGER NOT NULL,
    kind       INTEGER NOT NULL,             -- 0 package, 1 name, 2 manage
    flags      INTEGER NOT NULL,             -- 1 hard, 2 used in the game
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;
-- Serves: what a package needs.
CREATE INDEX registry_dependency_from ON registry_dependency (from_key);
-- Serves: who needs a package.
CREATE INDEX registry_dependency_to ON registry_dependency (to_key);

CREATE TABLE registry_package (
    content_id  INTEGER NOT NULL REFERENCES content,
    seq         INTEGER NOT NULL,
    package_id  INTEGER NOT NULL REFERENCES name,
    key         INTEGER NOT NULL,            -- of the name
    disk_size   INTEGER NOT NULL,
    saved_hash  BLOB,                        -- 16 or 20 bytes
    cooked_hash BLOB,                        -- MD5
    flags       INTEGER NOT NULL,
    ext         TEXT,
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;
