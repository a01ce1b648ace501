CREATE TABLE word (
    word_id INTEGER PRIMARY KEY,
    word    TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE build (
    build_id   INTEGER PRIMARY KEY,
    label      TEXT NOT NULL,
    created_at TEXT NOT NULL,                -- RFC 3339, UTC
    complete   INTEGER NOT NULL DEFAULT 0    -- invisible until 1
, value_state INTEGER) STRICT;
CREATE UNIQUE INDEX build_label ON build (label) WHERE complete = 1;
CREATE TABLE archive (
    archive_id    INTEGER PRIMARY KEY,
    size          INTEGER NOT NULL,          -- of the file
    mtime         INTEGER NOT NULL,          -- of the file, Unix nanoseconds
    quick         BLOB NOT NULL,             -- BLAKE3 over size and samples of the file
    digest        BLOB,                      -- BLAKE3 of the whole file
    scan          TEXT NOT NULL,             -- what made the rows: format, revisions, options
    format        TEXT NOT NULL,
    version       TEXT NOT NULL,
    mount_point   TEXT NOT NULL,
    encrypted     INTEGER NOT NULL,
    entry_count   INTEGER NOT NULL DEFAULT 0,
    entry_size    INTEGER NOT NULL DEFAULT 0, -- sum of entry.size
    entry_stored  INTEGER NOT NULL DEFAULT 0, -- sum of entry.stored
    problem_count INTEGER NOT NULL DEFAULT 0,
    complete      INTEGER NOT NULL DEFAULT 0
, lineage_id INTEGER NOT NULL DEFAULT 0, edition INTEGER NOT NULL DEFAULT 0, row_bits INTEGER NOT NULL DEFAULT 0, row_base INTEGER NOT NULL DEFAULT 0, game_root TEXT NOT NULL DEFAULT '', summed INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX archive_quick ON archive (quick);
CREATE TABLE build_archive (
    build_id    INTEGER NOT NULL REFERENCES build,
    ordinal     INTEGER NOT NULL,            -- order of the paths given
    archive_id  INTEGER NOT NULL REFERENCES archive,
    name        TEXT NOT NULL,               -- relative to the folder that was scanned
    location    TEXT NOT NULL,               -- where the file lay, absolute
    mount_order INTEGER NOT NULL, place INTEGER NOT NULL DEFAULT 0, last_wins INTEGER NOT NULL DEFAULT 0, stem TEXT, value_problems INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (build_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX build_archive_archive ON build_archive (archive_id);
CREATE TABLE dir (
    dir_id INTEGER PRIMARY KEY,
    prefix TEXT NOT NULL UNIQUE,
    dir    TEXT NOT NULL                     -- prefix without its last slash
) STRICT;
CREATE TABLE path (
    path_id INTEGER PRIMARY KEY,
    dir_id  INTEGER NOT NULL REFERENCES dir,
    name    TEXT NOT NULL,
    ext_id  INTEGER NOT NULL REFERENCES word -- lower case, without the dot
) STRICT;
CREATE TABLE path_key (
    key     INTEGER NOT NULL,
    path_id INTEGER NOT NULL REFERENCES path,
    PRIMARY KEY (key, path_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE content (
    content_id   INTEGER PRIMARY KEY,
    hash         BLOB NOT NULL,              -- BLAKE3 of the decoded bytes, 32 bytes
    size         INTEGER NOT NULL,
    kind_id      INTEGER REFERENCES word,    -- NULL: nothing is known of it
    inspected_id INTEGER REFERENCES word     -- inspector and revision whose facts are stored
) STRICT;
CREATE TABLE content_key (
    key        INTEGER NOT NULL,
    content_id INTEGER NOT NULL REFERENCES content,
    PRIMARY KEY (key, content_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE "entry_row" (
    lineage_id INTEGER NOT NULL,
    row    INTEGER NOT NULL,
    path_id    INTEGER REFERENCES path,      -- NULL: the archive stores no name
    content_id INTEGER REFERENCES content,   -- NULL: not decoded (see problem), or a delete record
    offset     INTEGER NOT NULL,             -- -1: no place in the file
    stored     INTEGER NOT NULL,
    size       INTEGER NOT NULL,
    method_id  INTEGER NOT NULL REFERENCES word,
    flags      INTEGER NOT NULL,             -- 1 encrypted, 2 deleted
    mtime      INTEGER,                      -- Unix seconds, as the archive says
    type_id    INTEGER REFERENCES word,
    id_hi      INTEGER,                      -- asset id above 64 bits, else NULL
    id_lo      INTEGER,                      -- asset id, signed; NULL: none
    id_bits    INTEGER,                      -- 32, 64, 96 or 128
    path_hash  INTEGER, file_key BLOB, sum BLOB, padded BLOB, since INTEGER NOT NULL DEFAULT 0, until INTEGER NOT NULL DEFAULT 0, print INTEGER,                      -- as the archive stores it, signed
    PRIMARY KEY (lineage_id, row)
) STRICT, WITHOUT ROWID;
CREATE INDEX entry_path ON "entry_row" (path_id);
CREATE INDEX entry_content ON "entry_row" (content_id);
CREATE INDEX entry_asset ON "entry_row" (id_lo) WHERE id_lo IS NOT NULL;
CREATE TABLE problem (
    archive_id INTEGER NOT NULL REFERENCES archive,
    seq        INTEGER NOT NULL,
    ordinal    INTEGER,                      -- entry, NULL: the file as a whole
    path       TEXT,                         -- name of the entry, where it has one
    field      TEXT NOT NULL,
    offset     INTEGER,                      -- in the file, NULL: no place
    cause      TEXT NOT NULL, whole INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (archive_id, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE content_problem (
    content_id INTEGER NOT NULL REFERENCES content,
    seq        INTEGER NOT NULL,
    field      TEXT NOT NULL,
    offset     INTEGER,                      -- in the content, NULL: no place
    cause      TEXT NOT NULL,
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE symbol (
    content_id INTEGER NOT NULL REFERENCES content,
    seq        INTEGER NOT NULL,
    space_id   INTEGER NOT NULL REFERENCES word,
    key        INTEGER NOT NULL,             -- id, signed; or the hash of a lower-cased name
    path_id    INTEGER REFERENCES path, name_id INTEGER REFERENCES name,      -- NULL: the entry that holds the content
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE path_symbol (
    path_id  INTEGER NOT NULL REFERENCES path,
    space_id INTEGER NOT NULL REFERENCES word,
    key      INTEGER NOT NULL,
    PRIMARY KEY (path_id, space_id, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE build_symbol (
    build_id INTEGER NOT NULL REFERENCES build,
    space_id INTEGER NOT NULL REFERENCES word,
    key      INTEGER NOT NULL,
    path_id  INTEGER NOT NULL REFERENCES path,
    paths    INTEGER NOT NULL,               -- how many paths claim the key
    present  INTEGER NOT NULL,               -- an entry of the build has the path
    PRIMARY KEY (build_id, space_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX build_symbol_path ON build_symbol (path_id, build_id);
CREATE TABLE ref (
    content_id INTEGER NOT NULL REFERENCES content,
    seq        INTEGER NOT NULL,
    kind_id    INTEGER NOT NULL REFERENCES word,
    space_id   INTEGER NOT NULL REFERENCES word,
    key        INTEGER NOT NULL,
    flags      INTEGER NOT NULL, name_id INTEGER REFERENCES name,             -- 1 weak, 2 native, 4 editor only
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE ref_key (
    key        INTEGER NOT NULL,
    content_id INTEGER NOT NULL REFERENCES content,
    PRIMARY KEY (key, content_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE named_resource (
    archive_id INTEGER NOT NULL REFERENCES archive,
    ordinal    INTEGER NOT NULL,
    name       TEXT NOT NULL,
    type_id    INTEGER NOT NULL REFERENCES word,
    id_hi      INTEGER,                      -- asset id above 64 bits, else NULL
    id_lo      INTEGER NOT NULL,
    id_bits    INTEGER NOT NULL,
    PRIMARY KEY (archive_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX named_resource_id ON named_resource (id_lo);
CREATE TABLE calligraphy_record (
    content_id   INTEGER NOT NULL REFERENCES content, -- of the directory
    seq          INTEGER NOT NULL,
    space_id     INTEGER NOT NULL REFERENCES word,
    id           INTEGER NOT NULL,
    guid         INTEGER NOT NULL,
    blueprint    INTEGER NOT NULL,           -- id; prototypes only
    path_id      INTEGER NOT NULL REFERENCES path,
    flags        INTEGER NOT NULL,
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX calligraphy_record_guid ON calligraphy_record (guid);
CREATE INDEX calligraphy_record_path ON calligraphy_record (path_id);
CREATE TABLE calligraphy_replacement (
    content_id INTEGER NOT NULL REFERENCES content,
    seq        INTEGER NOT NULL,
    old_guid   INTEGER NOT NULL,
    new_guid   INTEGER NOT NULL,             -- as stored
    last_guid  INTEGER NOT NULL,             -- where the chain ends; 0: deleted
    name       TEXT NOT NULL,
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE calligraphy_asset (
    content_id INTEGER NOT NULL REFERENCES content, -- of the .type
    seq        INTEGER NOT NULL,
    id         INTEGER NOT NULL,
    guid       INTEGER NOT NULL,
    flags      INTEGER NOT NULL,
    name       TEXT NOT NULL,
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX calligraphy_asset_id ON calligraphy_asset (id);
CREATE TABLE calligraphy_curve (
    content_id INTEGER PRIMARY KEY REFERENCES content,
    start      INTEGER NOT NULL,             -- position of the first value
    points     TEXT NOT NULL                 -- JSON array; null is not a number
) STRICT;
CREATE TABLE calligraphy_blueprint (
    content_id    INTEGER PRIMARY KEY REFERENCES content,
    runtime_class TEXT NOT NULL,
    default_id    INTEGER NOT NULL
) STRICT;
CREATE TABLE calligraphy_member (
    content_id INTEGER NOT NULL REFERENCES content, -- of the .blueprint
    field      INTEGER NOT NULL,             -- id of the field
    seq        INTEGER NOT NULL,
    name       TEXT NOT NULL,
    type       TEXT NOT NULL,                -- A B C D L P R S T
    list       INTEGER NOT NULL,
    subtype    INTEGER NOT NULL,             -- id
    PRIMARY KEY (content_id, field, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE calligraphy_value (
    content_id INTEGER NOT NULL REFERENCES content,
    ordinal    INTEGER NOT NULL,             -- of the row in the file
    owner      INTEGER,                      -- ordinal of the R value whose body this is in
    blueprint  INTEGER NOT NULL,             -- id of the declaring blueprint
    copy       INTEGER NOT NULL,
    field      INTEGER NOT NULL,             -- id of the field
    type       TEXT NOT NULL,                -- A B C D L P R S T
    position   INTEGER,                      -- in a list; NULL: not a list
    value      ANY,                          -- number; id of A C P S T; parent id of R
    PRIMARY KEY (content_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE TABLE calligraphy_resource (
    content_id INTEGER PRIMARY KEY REFERENCES content,
    signature  INTEGER NOT NULL,
    version    INTEGER NOT NULL,
    class_id   INTEGER NOT NULL,
    class      TEXT
) STRICT;
CREATE TABLE content_scan (
    content_id INTEGER PRIMARY KEY REFERENCES content,
    spec_id    INTEGER NOT NULL REFERENCES word, -- which ids, and how they lie
    known      INTEGER NOT NULL              -- stands for the set of ids used; 0: not searched yet
) STRICT;
CREATE TABLE name (
    name_id INTEGER PRIMARY KEY,
    name    TEXT NOT NULL
) STRICT;
CREATE TABLE name_key (
    key     INTEGER NOT NULL,
    name_id INTEGER NOT NULL REFERENCES name,
    PRIMARY KEY (key, name_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE entry_symbol (
    lineage_id INTEGER NOT NULL,
    row    INTEGER NOT NULL,
    space_id   INTEGER NOT NULL REFERENCES word,
    key        INTEGER NOT NULL,             -- as in symbol
    name_id    INTEGER REFERENCES name, root_id INTEGER REFERENCES word, start INTEGER,      -- as in symbol
    PRIMARY KEY (lineage_id, row, space_id, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE package (
    content_id        INTEGER PRIMARY KEY REFERENCES content,
    engine_id         INTEGER NOT NULL REFERENCES word, -- UE1 to UE5; '' when not even that is known
    version           INTEGER NOT NULL,      -- UE1 to UE3: package version; UE4, UE5: the ue4 version, 0 unversioned
    version5          INTEGER NOT NULL,      -- the ue5 version, 0 for none
    legacy_version    INTEGER NOT NULL,      -- UE4, UE5: -2 and below; otherwise 0
    licensee          INTEGER NOT NULL,
    layout_id         INTEGER NOT NULL REFERENCES word, -- the rules by which the tables were read
    engine_version    TEXT,
    compatible_engine TEXT,
    cooker_version    INTEGER NOT NULL,
    flags             INTEGER NOT NULL,      -- as stored; their meaning depends on the engine
    guid              BLOB,                  -- 16 bytes
    persistent_guid   BLOB,                  -- 16 bytes
    saved_hash        BLOB,                  -- 20 bytes, UE5 from 1016 in place of guid
    name_id           INTEGER REFERENCES name, -- where the file stores its own name
    compression_id    INTEGER NOT NULL REFERENCES word, -- '' for none
    traits            INTEGER NOT NULL,      -- 1 big-endian, 2 unversioned, 4 exports lie in the .uexp beside it
    header_size       INTEGER NOT NULL,      -- end of the tables; 0: the generation does not say
    name_count        INTEGER NOT NULL,      -- the counts are what the summary declares,
    import_count      INTEGER NOT NULL,      -- also where a table could not be read
    export_count      INTEGER NOT NULL
) STRICT;
CREATE TABLE package_name (
    content_id INTEGER NOT NULL REFERENCES content,
    ordinal    INTEGER NOT NULL,
    name_id    INTEGER NOT NULL REFERENCES name,
    flags      INTEGER NOT NULL,             -- UE1 to UE3
    PRIMARY KEY (content_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE TABLE package_import (
    content_id       INTEGER NOT NULL REFERENCES content,
    ordinal          INTEGER NOT NULL,
    class_package_id INTEGER NOT NULL REFERENCES name,
    class_id         INTEGER NOT NULL REFERENCES name,
    outer            INTEGER NOT NULL,       -- object; 0: the import is a package
    outer_path_id    INTEGER REFERENCES name, -- ends in its separator; NULL: outer is 0
    object_id        INTEGER NOT NULL REFERENCES name,
    number           INTEGER,                -- NULL: none
    flags            INTEGER NOT NULL,       -- 1 native, 2 editor only, 4 optional
    PRIMARY KEY (content_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE TABLE package_export (
    content_id    INTEGER NOT NULL REFERENCES content,
    ordinal       INTEGER NOT NULL,
    class         INTEGER NOT NULL,          -- object; 0: it is itself a class
    super         INTEGER NOT NULL,          -- object
    outer         INTEGER NOT NULL,          -- object; 0: it lies in the package itself
    archetype     INTEGER NOT NULL,          -- object; of UE1 and UE2 the super of a class, else class
    class_id      INTEGER NOT NULL REFERENCES name, -- bare name of class
    super_id      INTEGER REFERENCES name,   -- bare name of super
    outer_path_id INTEGER REFERENCES name,   -- as in package_import
    object_id     INTEGER NOT NULL REFERENCES name,
    number        INTEGER,                   -- NULL: none
    flags         INTEGER NOT NULL,          -- of the object, as stored
    offset        INTEGER NOT NULL,          -- in the package, decompressed
    size          INTEGER NOT NULL,
    export_flags  INTEGER NOT NULL,          -- 1 forced, 2 not for client, 4 not for server, 8 not in editor's game, 16 asset, 32 inherited, 64 public hash
    package_flags INTEGER NOT NULL,
    PRIMARY KEY (content_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE TABLE package_generation (
    content_id  INTEGER NOT NULL REFERENCES content,
    ordinal     INTEGER NOT NULL,
    exports     INTEGER NOT NULL,
    names       INTEGER NOT NULL,
    net_objects INTEGER NOT NULL,
    PRIMARY KEY (content_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX entry_unread ON "entry_row" (lineage_id) WHERE content_id IS NULL AND sum IS NOT NULL;
CREATE TABLE build_shadow (
    build_id   INTEGER NOT NULL REFERENCES build,
    mount      INTEGER NOT NULL,
    row    INTEGER NOT NULL,
    by_mount   INTEGER NOT NULL,
    by_row INTEGER NOT NULL,
    PRIMARY KEY (build_id, mount, row)
) STRICT, WITHOUT ROWID;
CREATE INDEX build_shadow_by ON build_shadow (build_id, by_mount, by_row);
CREATE TABLE content_sketch (
    content_id INTEGER PRIMARY KEY REFERENCES content,
    sketch     BLOB NOT NULL
) STRICT;
CREATE TABLE package_digest (
    content_id INTEGER NOT NULL REFERENCES content,
    header     INTEGER NOT NULL,
    essence    BLOB NOT NULL,                -- of all but noise: first 16 bytes of the BLAKE3
    exports    BLOB,                         -- 8 bytes for each export, of its bytes but noise; zeros: none here. NULL: of all
    PRIMARY KEY (content_id, header)
) STRICT, WITHOUT ROWID;
CREATE TABLE script_object (
    content_id INTEGER NOT NULL REFERENCES content,
    id         INTEGER NOT NULL,             -- signed
    name_id    INTEGER NOT NULL REFERENCES name,
    PRIMARY KEY (content_id, id)
) STRICT, WITHOUT ROWID;
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
CREATE TABLE build_name (
    build_id INTEGER NOT NULL REFERENCES build,
    mount    INTEGER NOT NULL,
    row  INTEGER NOT NULL,
    path_id  INTEGER NOT NULL REFERENCES path,
    by_mount INTEGER NOT NULL,
    PRIMARY KEY (build_id, mount, row)
) STRICT, WITHOUT ROWID;
CREATE INDEX path_dir ON path (dir_id);
CREATE INDEX entry_since ON entry_row (lineage_id, since) WHERE since > 0;
CREATE INDEX entry_until ON entry_row (lineage_id, until) WHERE until > 0;
CREATE UNIQUE INDEX archive_edition ON archive (lineage_id, edition);
CREATE TABLE sum_key (
    key        INTEGER NOT NULL,
    content_id INTEGER NOT NULL REFERENCES content,
    PRIMARY KEY (key, content_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE value_set (
    set_id       INTEGER PRIMARY KEY,
    content_id   INTEGER REFERENCES content, -- NULL: of mappings
    header       INTEGER NOT NULL,           -- as in value_entry
    context      INTEGER NOT NULL,
    mapping_id   INTEGER REFERENCES mapping,
    reader_id    INTEGER NOT NULL REFERENCES word,
    engine       INTEGER NOT NULL,           -- 100 times the major version, and the minor; 0: UE1 to UE3
    traits       INTEGER NOT NULL,           -- 1 unversioned lists, 2 the package does not state its engine
    exports      INTEGER NOT NULL,           -- how many
    exact        INTEGER NOT NULL,
    tailed       INTEGER NOT NULL,
    lost         INTEGER NOT NULL,
    fields       INTEGER NOT NULL,
    opaque       INTEGER NOT NULL,
    guessed      INTEGER NOT NULL,
    bytes        INTEGER NOT NULL,
    opaque_bytes INTEGER NOT NULL,
    tail_bytes   INTEGER NOT NULL,
    missing      INTEGER NOT NULL,           -- lost exports of which no schema is known
    missing_id   INTEGER REFERENCES name     -- the class that most of these want
) STRICT;
CREATE UNIQUE INDEX value_set_content ON value_set (content_id, header, context);
CREATE TABLE mapping (
    mapping_id INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,                -- of the file
    digest     BLOB NOT NULL UNIQUE,         -- BLAKE3 of the file
    used       INTEGER NOT NULL,             -- the greatest is the one that was given last
    data       BLOB NOT NULL                 -- the file
) STRICT;
CREATE TABLE build_value (
    build_id INTEGER NOT NULL REFERENCES build,
    set_id   INTEGER NOT NULL REFERENCES value_set,
    PRIMARY KEY (build_id, set_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX build_value_set ON build_value (set_id);
CREATE TABLE value_entry (
    lineage_id INTEGER NOT NULL,
    row        INTEGER NOT NULL,             -- as in entry_row
    path_id    INTEGER REFERENCES path,      -- of the package
    header     INTEGER NOT NULL,             -- 0: the content is the package; else the start of its essence, as in package_digest
    name_id    INTEGER REFERENCES name,      -- of the package; the three as in entry_symbol
    root_id    INTEGER REFERENCES word,
    start      INTEGER,
    PRIMARY KEY (lineage_id, row)
) STRICT, WITHOUT ROWID;
CREATE INDEX value_entry_path ON value_entry (path_id);
CREATE TABLE value_export (
    set_id        INTEGER NOT NULL REFERENCES value_set,
    ordinal       INTEGER NOT NULL,
    class_id      INTEGER NOT NULL REFERENCES name,
    outer_path_id INTEGER REFERENCES name,   -- the three as in package_export
    object_id     INTEGER NOT NULL REFERENCES name,
    number        INTEGER,
    status        INTEGER NOT NULL,          -- 0 exact, 1 data behind the list, 2 opaque
    super_id      INTEGER REFERENCES name,   -- of classes and structs: path of the parent
    why_id        INTEGER REFERENCES name,   -- why it is opaque
    PRIMARY KEY (set_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE TABLE property (
    set_id   INTEGER NOT NULL REFERENCES value_set,
    seq      INTEGER NOT NULL,               -- in the order of the exports and their bytes
    export   INTEGER NOT NULL,               -- ordinal
    name_id  INTEGER NOT NULL REFERENCES name, -- of the innermost field
    field_id INTEGER REFERENCES name,        -- path of the field with [] for the outermost element; NULL: the name
    place    INTEGER,                        -- index of that element
    key_id   INTEGER REFERENCES name,        -- or its key
    type_id  INTEGER NOT NULL REFERENCES word,
    value    ANY,                            -- a number
    text_id  INTEGER REFERENCES name,        -- or a text
    ref      INTEGER,                        -- of references: 0 none, n > 0 export n-1, n < 0 import -n-1
    target   INTEGER,                        -- key of the package that a reference leads to
    flags    INTEGER NOT NULL,               -- 1 class data, 2 zero, 4 guessed, 8 opaque, 16 array in one value
    PRIMARY KEY (set_id, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX property_name ON property (name_id, value);
CREATE TABLE property_text (
    set_id       INTEGER NOT NULL REFERENCES value_set,
    seq          INTEGER NOT NULL,           -- as in property
    namespace_id INTEGER NOT NULL REFERENCES name, -- or the table
    key_id       INTEGER NOT NULL REFERENCES name,
    PRIMARY KEY (set_id, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE class_field (
    set_id  INTEGER NOT NULL REFERENCES value_set,
    seq     INTEGER NOT NULL,
    export  INTEGER NOT NULL,                -- ordinal of the class
    name_id INTEGER NOT NULL REFERENCES name,
    type_id INTEGER NOT NULL REFERENCES name,
    place   INTEGER NOT NULL,                -- position among the own
    count   INTEGER NOT NULL,                -- elements of a fixed array
    flags   INTEGER NOT NULL,
    PRIMARY KEY (set_id, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE enum_member (
    set_id  INTEGER NOT NULL REFERENCES value_set,
    seq     INTEGER NOT NULL,
    export  INTEGER NOT NULL,                -- ordinal of the enum
    name_id INTEGER NOT NULL REFERENCES name,
    value   INTEGER NOT NULL,
    PRIMARY KEY (set_id, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE archive_sum (
    archive_id INTEGER NOT NULL REFERENCES archive,
    seq        INTEGER NOT NULL,
    ext_id     INTEGER REFERENCES word,      -- NULL: the archive stores no names
    type_id    INTEGER REFERENCES word,
    method_id  INTEGER NOT NULL REFERENCES word,
    flags      INTEGER NOT NULL,
    entries    INTEGER NOT NULL,
    size       INTEGER NOT NULL,
    stored     INTEGER NOT NULL,
    PRIMARY KEY (archive_id, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE locres (
    content_id INTEGER PRIMARY KEY REFERENCES content,
    version    INTEGER NOT NULL,
    namespaces INTEGER NOT NULL,
    keys       INTEGER NOT NULL,
    strings    INTEGER NOT NULL,
    native     INTEGER NOT NULL              -- keys whose text has the source hash itself
) STRICT;
CREATE TABLE localized_text (
    content_id   INTEGER NOT NULL REFERENCES content,
    seq          INTEGER NOT NULL,           -- in stored order
    namespace_id INTEGER NOT NULL REFERENCES name,
    key_id       INTEGER NOT NULL REFERENCES name,
    text_id      INTEGER REFERENCES name,
    source_hash  INTEGER NOT NULL,
    PRIMARY KEY (content_id, key_id, namespace_id, seq) -- so that another culture's text of a key is found
) STRICT, WITHOUT ROWID;
CREATE TABLE locmeta_culture (
    content_id INTEGER NOT NULL REFERENCES content,
    seq        INTEGER NOT NULL,
    culture_id INTEGER NOT NULL REFERENCES word,
    native     INTEGER NOT NULL,             -- 1: the others are translated from it
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;
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
CREATE INDEX registry_dependency_from ON registry_dependency (from_key);
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
CREATE TABLE config_line (
    content_id INTEGER NOT NULL REFERENCES content,
    seq        INTEGER NOT NULL,             -- in the order of the file
    section_id INTEGER NOT NULL REFERENCES name,
    op         TEXT NOT NULL,                -- "+", "-", ".", "!", or ""
    key_id     INTEGER NOT NULL REFERENCES name,
    value_id   INTEGER NOT NULL REFERENCES name,
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE script (
    set_id     INTEGER NOT NULL REFERENCES value_set,
    ordinal    INTEGER NOT NULL,             -- as in value_export
    flags      INTEGER NOT NULL,             -- as stored
    native     INTEGER,                      -- UE1 to UE3: the number that code calls it by
    statements INTEGER NOT NULL,
    tokens     INTEGER NOT NULL,
    size       INTEGER NOT NULL,             -- of the code, bytes
    memory     INTEGER NOT NULL,             -- the same in memory
    hash       INTEGER,                      -- of its normal form; NULL: opaque
    why_id     INTEGER REFERENCES name,      -- why it is
    PRIMARY KEY (set_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE TABLE script_use (
    set_id    INTEGER NOT NULL REFERENCES value_set,
    seq       INTEGER NOT NULL,
    export    INTEGER NOT NULL,              -- ordinal
    event_id  INTEGER REFERENCES name,       -- the event of a blueprint that it is part of
    kind      INTEGER NOT NULL,              -- calls: 0 final, 1 virtual, 2 math, 3 delegate, 4 native; 8 object, 9 soft path, 10 string, 11 text
    name_id   INTEGER NOT NULL REFERENCES name, -- path or name of the function, path of the object, or the text
    count     INTEGER NOT NULL,
    target    INTEGER,                       -- key of the package that the path leads to
    PRIMARY KEY (set_id, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX script_use_name ON script_use (name_id);
CREATE TABLE script_text (
    set_id       INTEGER NOT NULL REFERENCES value_set,
    seq          INTEGER NOT NULL,           -- as in script_use
    namespace_id INTEGER NOT NULL REFERENCES name,
    key_id       INTEGER NOT NULL REFERENCES name,
    PRIMARY KEY (set_id, seq)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER value_set_deleted_scripts AFTER DELETE ON value_set
BEGIN
    DELETE FROM script WHERE set_id = old.set_id;
    DELETE FROM script_use WHERE set_id = old.set_id;
    DELETE FROM script_text WHERE set_id = old.set_id;
END;
CREATE TABLE search_state (
    subject INTEGER PRIMARY KEY,             -- 0 blocks, 1 names, 2 file names, 3 folders, 4 contents, 5 sets of values
    done    INTEGER NOT NULL                 -- the last id that is indexed; of blocks: that was given out
) STRICT;
CREATE TABLE search_span (
    first_block INTEGER PRIMARY KEY,         -- a block is a row of a full-text table: some texts whose ids follow each other
    subject     INTEGER NOT NULL,            -- as in search_state
    first       INTEGER NOT NULL,            -- id of the first text of the first block
    last        INTEGER NOT NULL             -- id of the last text of the last one
) STRICT;
CREATE TABLE search_use (
    chunk INTEGER NOT NULL,                  -- name_id / 32
    use   INTEGER NOT NULL,                  -- number of a column that has some of these names, or had
    owner INTEGER NOT NULL,                  -- content_id or set_id of the rows
    part  INTEGER NOT NULL,                  -- the next column of their key / 64
    PRIMARY KEY (chunk, use, owner, part)
) STRICT, WITHOUT ROWID;
CREATE TABLE search_due (
    content_id INTEGER PRIMARY KEY           -- has other facts than when it was indexed
) STRICT;
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
CREATE TABLE content_count (
    content_id INTEGER NOT NULL REFERENCES content,
    seq        INTEGER NOT NULL,
    figure_id  INTEGER NOT NULL REFERENCES word,
    value      INTEGER NOT NULL,
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE texture (
    set_id      INTEGER NOT NULL REFERENCES value_set,
    export      INTEGER NOT NULL,            -- ordinal
    format_id   INTEGER REFERENCES word,     -- "PF_DXT1"; NULL: it was not read
    width       INTEGER NOT NULL,
    height      INTEGER NOT NULL,
    slices      INTEGER NOT NULL,
    first_mip   INTEGER NOT NULL,            -- of the chain that is stored
    mips        INTEGER NOT NULL,            -- that are stored
    virtual     INTEGER NOT NULL,            -- 1: as tiles
    srgb        INTEGER,                     -- NULL: the properties were not read
    group_id    INTEGER REFERENCES word,     -- "TEXTUREGROUP_World"
    compress_id INTEGER REFERENCES word,     -- "TC_Default"
    why_id      INTEGER REFERENCES name,     -- why it was not read
    PRIMARY KEY (set_id, export)
) STRICT, WITHOUT ROWID;
CREATE TABLE texture_mip (
    set_id  INTEGER NOT NULL REFERENCES value_set,
    seq     INTEGER NOT NULL,
    export  INTEGER NOT NULL,                -- ordinal
    mip     INTEGER,                         -- from first_mip on; NULL: a part with tiles of several
    width   INTEGER,
    height  INTEGER,
    file_id INTEGER NOT NULL REFERENCES word, -- "", inside the package, or an extension: ".ubulk"
    size    INTEGER NOT NULL,                -- bytes, decoded
    PRIMARY KEY (set_id, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE sound (
    set_id   INTEGER NOT NULL REFERENCES value_set,
    export   INTEGER NOT NULL,               -- ordinal
    codec_id INTEGER NOT NULL REFERENCES word,
    channels INTEGER,                        -- the three are NULL where neither stream nor properties say
    rate     INTEGER,
    duration REAL,                           -- seconds
    bytes    INTEGER NOT NULL,
    beside   INTEGER NOT NULL,               -- of them in files beside the package
    why_id   INTEGER REFERENCES name,        -- why it was not read
    PRIMARY KEY (set_id, export)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER value_set_deleted AFTER DELETE ON value_set
BEGIN
    DELETE FROM property WHERE set_id = old.set_id;
    DELETE FROM property_text WHERE set_id = old.set_id;
    DELETE FROM class_field WHERE set_id = old.set_id;
    DELETE FROM enum_member WHERE set_id = old.set_id;
    DELETE FROM texture WHERE set_id = old.set_id;
    DELETE FROM texture_mip WHERE set_id = old.set_id;
    DELETE FROM sound WHERE set_id = old.set_id;
    DELETE FROM value_export WHERE set_id = old.set_id;
    DELETE FROM build_value WHERE set_id = old.set_id;
END;
CREATE TABLE removed (
    kind INTEGER NOT NULL,
    id   INTEGER NOT NULL,
    PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER value_set_removed AFTER DELETE ON value_set
BEGIN
    INSERT OR IGNORE INTO removed (kind, id) VALUES (3, 0);
END;
CREATE TABLE text_block (
    content_id INTEGER NOT NULL REFERENCES content,
    seq        INTEGER NOT NULL,             -- in the order of the file
    line       INTEGER NOT NULL,             -- number of the first, from 1; a long line has several rows
    name_id    INTEGER NOT NULL REFERENCES name,
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE retro_string (
    content_id  INTEGER NOT NULL REFERENCES content,
    seq         INTEGER NOT NULL,            -- in the order of the file
    language_id INTEGER NOT NULL REFERENCES word,
    number      INTEGER NOT NULL,            -- of the text in its language, from 0
    key_id      INTEGER REFERENCES name,     -- NULL: the text has no name
    text_id     INTEGER NOT NULL REFERENCES name,
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE seal (
    only_row     INTEGER PRIMARY KEY CHECK (only_row = 1),
    file_time    INTEGER NOT NULL, -- microseconds since 1970
    checked_time INTEGER NOT NULL  -- the same
) STRICT;
CREATE TABLE archive_shift (
    archive_id INTEGER NOT NULL REFERENCES archive,
    row        INTEGER NOT NULL,
    ordinals   INTEGER NOT NULL,
    offsets    INTEGER NOT NULL,
    width      INTEGER NOT NULL,
    parts      BLOB,
    PRIMARY KEY (archive_id, row)
) STRICT, WITHOUT ROWID;
CREATE INDEX build_archive_name ON build_archive (name);
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
