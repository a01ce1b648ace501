-- IoStore containers of Unreal Engine: what names chunks, and what containers
-- say about packages.

-- The objects of a game's program that packages refer to by id, as a
-- ScriptObjects chunk lists them. name is the path of the object.
CREATE TABLE script_object (
    content_id INTEGER NOT NULL REFERENCES content,
    id         INTEGER NOT NULL,             -- signed
    name_id    INTEGER NOT NULL REFERENCES name,
    PRIMARY KEY (content_id, id)
) STRICT, WITHOUT ROWID;

-- The packages of a container, as its ContainerHeader lists them. Ids are
-- signed.
CREATE TABLE container_package (
    content_id INTEGER NOT NULL REFERENCES content,
    seq        INTEGER NOT NULL,
    package    INTEGER NOT NULL,             -- id
    shaders    INTEGER NOT NULL,             -- how many shader maps it uses
    optional   INTEGER NOT NULL,             -- its optional segment is meant
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE container_import (
    content_id INTEGER NOT NULL REFERENCES content,
    seq        INTEGER NOT NULL,             -- over all packages
    package    INTEGER NOT NULL,             -- id of who imports
    import     INTEGER NOT NULL,             -- id of what is imported
    soft       INTEGER NOT NULL,             -- on demand only
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;

-- The path that a chunk without one has in another container of the build: an
-- entry of archive mount, ordinal (of build_archive), stands for the file path_id
-- of archive by_mount. Made when the build is published.
CREATE TABLE build_name (
    build_id INTEGER NOT NULL REFERENCES build,
    mount    INTEGER NOT NULL,
    ordinal  INTEGER NOT NULL,
    path_id  INTEGER NOT NULL REFERENCES path,
    by_mount INTEGER NOT NULL,
    PRIMARY KEY (build_id, mount, ordinal)
) STRICT, WITHOUT ROWID;
