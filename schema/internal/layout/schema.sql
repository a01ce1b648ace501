-- The tables of a catalog. Users read the views (../views/*.sql, described in SCHEMA.md);
-- the tables change without notice. There are no migrations: a catalog of another layout
-- is refused, and its builds are indexed again.
--
-- The names begin with x_, so that a list of names shows where the views end. Comments
-- leave that out.
--
-- A build mounts archives (build_archive), an archive has entries (entry_row, by the view
-- entry), an entry has a path (path, dir) and a content (content). Paths and contents are
-- stored once, whichever builds and archives share them; an archive is scanned once,
-- whichever builds mount it.
--
--   build -- build_archive -- archive -- entry --+-- path -- dir
--     |                          |               |     +---- path_key, path_symbol
--     |            problem, archive_place,       |
--     |            archive_sum, folder_sum       |
--     +-- build_symbol                           +-- content -- content_key, content_problem
--                                                      +-- symbol, ref -- ref_key, calligraphy_...
--
-- Ids are handed out in order of first appearance, so that the tables and the indexes on
-- them grow at their ends: random keys would rewrite the whole tree at every commit. For
-- the same reason tables whose name ends in _key are indexes apart from what they index:
-- they are filled in key order, and lack the rows that only a build in the making needs.
--
-- Rows of builds and archives that are not complete belong to a scan that runs or was
-- interrupted; views leave them out.


-- ---- Builds mount archives ----

-- One build.
CREATE TABLE x_build (
    build_id    INTEGER PRIMARY KEY,
    label       TEXT NOT NULL,               -- given by the user; unique among complete builds
    created_at  TEXT NOT NULL,               -- RFC 3339, UTC
    complete    INTEGER NOT NULL DEFAULT 0,  -- 0: not visible; the next scan removes it
    -- stands for the mappings, the engine and the classes of packages by which values with a
    -- context were read; NULL: no values depend on them
    value_state INTEGER
) STRICT;
-- Serves: find a build by label; makes labels unique among complete builds.
CREATE UNIQUE INDEX build_label ON x_build (label) WHERE complete = 1;

-- Which archives a build mounts, and under which names.
CREATE TABLE x_build_archive (
    build_id       INTEGER NOT NULL REFERENCES x_build,
    ordinal        INTEGER NOT NULL,         -- order of the given paths
    archive_id     INTEGER NOT NULL REFERENCES x_archive,
    name             TEXT NOT NULL,            -- relative to the scanned folder
    location       TEXT NOT NULL,            -- absolute path of the file at the time of the scan
    mount_order    INTEGER NOT NULL,         -- if two archives hold a path, the higher order wins
    -- position among the archives of the build: of two that hold a file, the lower one provides
    -- it
    place          INTEGER NOT NULL DEFAULT 0,
    -- 1: of several entries of one file in the archive the last one counts, not the first
    last_wins      INTEGER NOT NULL DEFAULT 0,
    -- its name without the extension: archives of one stem are mounted together; NULL: the
    -- archive is mounted by itself
    stem           TEXT,
    -- rows of value_problem of the values of its entries, as this build reads them
    value_problems INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (build_id, ordinal)
) STRICT, WITHOUT ROWID;
-- Serves: which builds mount an archive.
CREATE INDEX build_archive_archive ON x_build_archive (archive_id);
-- A scan looks up the archives of earlier builds that had the name of each of its
-- own.
CREATE INDEX build_archive_name ON x_build_archive (name);

-- One scanned file, shared by all builds that mount it.
--
-- A complete row never changes. A file counts as the same archive if its size, quick
-- digest and scan match, and also its time or its digest. Therefore a change between
-- the samples of the quick digest, in a file of more than 1 MiB whose time was set
-- back, is not noticed until pakdb index --force.
CREATE TABLE x_archive (
    archive_id    INTEGER PRIMARY KEY,
    size          INTEGER NOT NULL,          -- of the file
    mtime         INTEGER NOT NULL,          -- of the file, Unix nanoseconds
    -- BLAKE3 over size, both ends and 16 samples of the file, 32 bytes; for files up to 1 MiB
    -- over the whole file
    quick         BLOB NOT NULL,
    -- BLAKE3 of the whole file, 32 bytes; NULL: the file could not be read to its end
    digest        BLOB,
    -- scan key of the rows: format and inspectors with revisions, AES keys
    scan          TEXT NOT NULL,
    format        TEXT NOT NULL,             -- "": the file could not be read
    version       TEXT NOT NULL,             -- "" for none
    mount_point   TEXT NOT NULL,             -- "" for none
    encrypted     INTEGER NOT NULL,          -- 1: the index or an entry is encrypted
    entry_count   INTEGER NOT NULL DEFAULT 0, -- rows in entry
    entry_size    INTEGER NOT NULL DEFAULT 0, -- sum of entry.size
    entry_stored  INTEGER NOT NULL DEFAULT 0, -- sum of entry.stored
    problem_count INTEGER NOT NULL DEFAULT 0, -- findings, including those about contents
    complete      INTEGER NOT NULL DEFAULT 0, -- 0: being scanned
    lineage_id    INTEGER NOT NULL DEFAULT 0, -- archive_id of the first edition, which may be gone
    edition       INTEGER NOT NULL DEFAULT 0, -- from 0, in the order of scans
    -- mount_point as the game resolves it, with a slash at its end; "" for its root
    game_root     TEXT NOT NULL DEFAULT '',
    summed        INTEGER NOT NULL DEFAULT 0 -- 1: sum_key has the checksums of this edition and those before it
) STRICT;
-- Serves: has this file been scanned already?
CREATE INDEX archive_quick ON x_archive (quick);
-- Serves: the editions for which a row holds.
CREATE UNIQUE INDEX archive_edition ON x_archive (lineage_id, edition);

-- What the entries of an archive come to, by extension, type, method and flags: the
-- view totals has it with texts. An archive that would have more than 4,096 rows has
-- none.
CREATE TABLE x_archive_sum (
    archive_id INTEGER NOT NULL REFERENCES x_archive,
    seq        INTEGER NOT NULL,             -- of the row in the archive, in no order that matters
    ext_id     INTEGER REFERENCES x_word,      -- word: extension; NULL: the entries have no names
    type_id    INTEGER REFERENCES x_word,      -- word: FourCC or the like; NULL: the archive stores none
    method_id  INTEGER NOT NULL REFERENCES x_word, -- word: "none", "lz4", ...
    flags      INTEGER NOT NULL,             -- entry_row.flags
    entries    INTEGER NOT NULL,             -- how many there are
    size       INTEGER NOT NULL,             -- sum of entry_row.size
    stored     INTEGER NOT NULL,             -- sum of entry_row.stored
    PRIMARY KEY (archive_id, seq)
) STRICT, WITHOUT ROWID;

-- The files of archives that lie directly in each folder. Delete records, entries of archives that
-- are entries, and what describes an archive are no files of the game. Files that other entries
-- hide are counted: the view folders takes them away. A row holds for editions as one of entry_row.
CREATE TABLE x_folder_sum (
    lineage_id INTEGER NOT NULL,             -- archive.lineage_id
    dir_id     INTEGER NOT NULL,             -- of dir; 0: of files without a path
    since      INTEGER NOT NULL,             -- the first edition that has the row
    until      INTEGER NOT NULL DEFAULT 0,   -- the first edition that does not have it; 0: none yet
    files      INTEGER NOT NULL,             -- how many
    size       INTEGER NOT NULL,             -- sum of entry_row.size
    stored     INTEGER NOT NULL,             -- sum of entry_row.stored
    largest    INTEGER NOT NULL,             -- size of the largest file
    ext_id     INTEGER NOT NULL REFERENCES x_word, -- word: the extension of that file; of equally large ones the first
    PRIMARY KEY (lineage_id, dir_id, since)
) STRICT, WITHOUT ROWID;

-- Findings about a file or one of its entries.
CREATE TABLE x_problem (
    archive_id INTEGER NOT NULL REFERENCES x_archive,
    seq        INTEGER NOT NULL,             -- ascending; may have gaps
    ordinal    INTEGER,                      -- of the entry; NULL: the finding is about the whole file
    -- of the entry; NULL: the finding is about the whole file, or the entry has no name
    path       TEXT,
    field      TEXT NOT NULL,                -- name of the field in the format; "" for none
    offset     INTEGER,                      -- in the file; NULL: no specific offset
    cause      TEXT NOT NULL,                -- begins with its class
    whole      INTEGER NOT NULL DEFAULT 0,   -- 1: of the archive as a whole, see view problems
    PRIMARY KEY (archive_id, seq)
) STRICT, WITHOUT ROWID;


-- ---- Entries of archives ----

-- The entries of a lineage of archives: files that followed each other under one
-- name, or had most of their entries in common where the name was a new one. A row
-- holds for the editions from since on, up to but without until. The view entry has
-- the entries of each archive.
CREATE TABLE x_entry_row (
    lineage_id INTEGER NOT NULL,             -- archive.lineage_id
    -- ascends as the entries lie in the archives; entries of later editions lie between those of
    -- the first
    row        INTEGER NOT NULL,
    path_id    INTEGER REFERENCES x_path,      -- NULL: the entry has no name
    content_id INTEGER REFERENCES x_content,   -- NULL: not decoded (see problem), or a delete record
    stored     INTEGER NOT NULL,             -- bytes on disk
    size       INTEGER NOT NULL,             -- bytes decoded, as the archive says
    method_id  INTEGER NOT NULL REFERENCES x_word, -- word: "none", "lz4", ...
    -- 1 encrypted, 2 deleted, 8 nested, 16 unnamed: the archive has no path for it, and the path
    -- consists of type and id, 32 own: it describes the archive and is no file of the game
    flags      INTEGER NOT NULL,
    mtime      INTEGER,                      -- Unix seconds, as the archive says; NULL: the archive stores none
    type_id    INTEGER REFERENCES x_word,      -- word: FourCC or the like; NULL: the archive stores none
    id_hi      INTEGER,                      -- its upper 64 bits, signed; NULL: the asset id has 64 bits or less
    id_lo      INTEGER,                      -- its lower 64 bits, signed; NULL: the archive stores no asset id
    id_bits    INTEGER,                      -- 32, 64, 96 or 128; NULL: the archive stores no asset id
    path_hash  INTEGER,                      -- as the archive stores it, signed; NULL: the archive stores none
    -- checksum stated by the archive; NULL: the archive states none, or reading the content did
    -- not confirm it
    sum        BLOB,
    -- BLAKE3 of the content padded to the alignment of its archive, 32 bytes; NULL: lengths are
    -- exact, or not decoded
    padded     BLOB,
    since      INTEGER NOT NULL DEFAULT 0,   -- the first edition that has the row
    until      INTEGER NOT NULL DEFAULT 0,   -- the first edition that does not have it; 0: none yet
    -- start of a hash over what the archive says about the entry but its place
    print      INTEGER NOT NULL,
    PRIMARY KEY (lineage_id, row)
) STRICT, WITHOUT ROWID;
-- Serves: history of a path, renames.
CREATE INDEX entry_path ON x_entry_row (path_id);
-- Serves: who holds a content, duplicates.
CREATE INDEX entry_content ON x_entry_row (content_id);
-- Serves: look up an asset id.
CREATE INDEX entry_asset ON x_entry_row (id_lo) WHERE id_lo IS NOT NULL;
-- Serves: which entries wait for their content to be known. Empty but for quick
-- scans.
CREATE INDEX entry_unread ON x_entry_row (lineage_id) WHERE content_id IS NULL AND sum IS NOT NULL;
-- Serves: what an edition brought, and what it ended.
CREATE INDEX entry_since ON x_entry_row (lineage_id, since) WHERE since > 0;
CREATE INDEX entry_until ON x_entry_row (lineage_id, until) WHERE until > 0;

-- Where the entries of an archive lie, up to 512 at a time. A row is for the row that it
-- names and for all after it, up to the next one listed. Every change of an archive moves
-- what comes after it, so that offsets are no part of entry_row, and other programs see
-- NULL as the offset of an entry.
CREATE TABLE x_archive_place (
    archive_id INTEGER NOT NULL REFERENCES x_archive,
    row        INTEGER NOT NULL,             -- entry_row.row of the first entry
    ordinal    INTEGER NOT NULL,             -- of that; of a later one ordinal + (its row - row) / step
    step       INTEGER NOT NULL,             -- how far the rows of two entries lie apart
    -- DEFLATE of a number for each entry in the order of rows, as a varint: 0 if the entry has
    -- no place, else 1 more than the zigzag difference of its offset from the end of the entry
    -- before it that has one; the first one differs from 0
    offsets    BLOB NOT NULL,
    PRIMARY KEY (archive_id, row)
) STRICT, WITHOUT ROWID;

-- A public name of an entry, in formats that store names separately.
CREATE TABLE x_named_resource (
    archive_id INTEGER NOT NULL REFERENCES x_archive,
    ordinal    INTEGER NOT NULL,             -- position in the archive's table of names, from 0
    name       TEXT NOT NULL,                -- names may repeat
    type_id    INTEGER NOT NULL REFERENCES x_word, -- word: FourCC of the named entry
    id_hi      INTEGER,                      -- its upper 64 bits, signed; NULL: the asset id has 64 bits or less
    id_lo      INTEGER NOT NULL,             -- its lower 64 bits, signed
    id_bits    INTEGER NOT NULL,             -- 32, 64, 96 or 128
    PRIMARY KEY (archive_id, ordinal)
) STRICT, WITHOUT ROWID;
-- Serves: the names of an asset.
CREATE INDEX named_resource_id ON x_named_resource (id_lo);

-- Finds the content that stored bytes decode to, by the checksum that an archive
-- states about them. A checksum that is the start of the content's own hash has no
-- row: content_key finds it. A scan that needs the table fills it, as --quick does;
-- until then it is empty, and archive.summed is 0.
CREATE TABLE x_sum_key (
    -- first 8 bytes of entry_row.sum, little-endian, signed, filled up with zeros
    key        INTEGER NOT NULL,
    -- also compare sum, method, stored size and encryption with a row of entry_row
    content_id INTEGER NOT NULL REFERENCES x_content,
    PRIMARY KEY (key, content_id)
) STRICT, WITHOUT ROWID;


-- ---- Paths and words, each stored once ----

-- One folder of paths.
CREATE TABLE x_dir (
    dir_id INTEGER PRIMARY KEY,
    prefix TEXT NOT NULL UNIQUE,             -- unique; ends in a slash, or is empty
    dir    TEXT NOT NULL                     -- prefix without the last slash
) STRICT;

-- One path, shared by all builds and archives that have it.
CREATE TABLE x_path (
    path_id INTEGER PRIMARY KEY,
    dir_id  INTEGER NOT NULL REFERENCES x_dir,
    name      TEXT NOT NULL,                   -- last part of the path
    ext_id  INTEGER NOT NULL REFERENCES x_word -- word: extension in lower case without the dot; "" for none
) STRICT;
-- Serves: the paths of a folder.
CREATE INDEX path_dir ON x_path (dir_id);

-- Finds a path by the hash of its text.
CREATE TABLE x_path_key (
    -- first 8 bytes of the BLAKE3 of the whole path, little-endian, signed
    key     INTEGER NOT NULL,
    path_id INTEGER NOT NULL REFERENCES x_path, -- two paths may share a key: also compare the text
    PRIMARY KEY (key, path_id)
) STRICT, WITHOUT ROWID;

-- Short strings that repeat: methods, types, kinds, extensions, spaces.
CREATE TABLE x_word (
    word_id INTEGER PRIMARY KEY,
    word    TEXT NOT NULL UNIQUE             -- unique
) STRICT;

-- One text: the name of a package, object or class, or a path that precedes object
-- names.
CREATE TABLE x_name (
    name_id INTEGER PRIMARY KEY,
    name    TEXT NOT NULL                    -- as stored
) STRICT;

-- Finds a text, ignoring case.
CREATE TABLE x_name_key (
    -- first 8 bytes of the BLAKE3 of the lower-cased text, little-endian, signed
    key     INTEGER NOT NULL,
    name_id INTEGER NOT NULL REFERENCES x_name, -- texts that differ only in case share a key
    PRIMARY KEY (key, name_id)
) STRICT, WITHOUT ROWID;


-- ---- Contents, each stored once ----

-- One distinct decoded content.
CREATE TABLE x_content (
    content_id   INTEGER PRIMARY KEY,        -- ascending in order of first appearance
    -- BLAKE3 of the decoded bytes, 32 bytes; the first 20 of them until the content is read
    hash         BLOB NOT NULL,
    size         INTEGER NOT NULL,           -- bytes decoded
    kind_id      INTEGER REFERENCES x_word,    -- word: "calligraphy-prototype", ...; NULL: the kind is unknown
    -- word: inspector and revision that made the facts; NULL: no inspector handled it
    inspected_id INTEGER REFERENCES x_word
) STRICT;

-- Finds a content by its hash.
CREATE TABLE x_content_key (
    key        INTEGER NOT NULL,             -- first 8 bytes of the hash, little-endian, signed
    content_id INTEGER NOT NULL REFERENCES x_content, -- two contents may share a key: also compare the hash
    PRIMARY KEY (key, content_id)
) STRICT, WITHOUT ROWID;

-- Findings about a content, for all entries that hold it.
CREATE TABLE x_content_problem (
    content_id INTEGER NOT NULL REFERENCES x_content,
    seq        INTEGER NOT NULL,             -- from 0
    field      TEXT NOT NULL,                -- name of the field in the format; "" for none
    offset     INTEGER,                      -- in the content; NULL: no specific offset
    cause      TEXT NOT NULL,                -- begins with its class
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;

-- Sketches, by which similar contents are found. Scans with --no-sketch and --quick
-- make none, and only contents above a certain size have one.
CREATE TABLE x_content_sketch (
    content_id INTEGER PRIMARY KEY REFERENCES x_content,
    -- up to 32 hashes of chunks, the smallest ones, sorted, 4 bytes each, little-endian
    sketch     BLOB NOT NULL
) STRICT;


-- ---- The graph: what contents define and refer to ----

-- A content defines that a key in a space means a path. What records of directories of
-- Marvel Heroes define is in calligraphy_record alone.
CREATE TABLE x_symbol (
    content_id INTEGER NOT NULL REFERENCES x_content, -- that says so
    seq        INTEGER NOT NULL,             -- from 0
    space_id   INTEGER NOT NULL REFERENCES x_word, -- word: "prototype", "calligraphy_guid", ...
    key        INTEGER NOT NULL,             -- id, signed; or the hash of a lower-cased name
    path_id    INTEGER REFERENCES x_path,      -- NULL: the target is the entry with the content itself
    name_id    INTEGER REFERENCES x_name,      -- the key is that of this name; NULL: the key is an id
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;

-- A path defines a key by itself: some ids are hashes of paths.
CREATE TABLE x_path_symbol (
    path_id  INTEGER NOT NULL REFERENCES x_path,
    space_id INTEGER NOT NULL REFERENCES x_word, -- word
    key      INTEGER NOT NULL,               -- id, signed
    PRIMARY KEY (path_id, space_id, key)
) STRICT, WITHOUT ROWID;

-- The name of an entry that follows from its mount point and path. Where root_id is
-- not NULL, the name is that word and the path without its extension, from character
-- start on. The view packages shows it.
CREATE TABLE x_entry_symbol (
    lineage_id INTEGER NOT NULL,             -- archive.lineage_id
    row        INTEGER NOT NULL,             -- entry_row.row
    space_id   INTEGER NOT NULL REFERENCES x_word, -- word: "package", ...
    key        INTEGER NOT NULL,             -- as in symbol
    name_id    INTEGER REFERENCES x_name,      -- the name; NULL: the key is an id, or root_id is not NULL
    -- word: what the name begins with; NULL: the key is an id, or name_id is not NULL
    root_id    INTEGER REFERENCES x_word,
    start      INTEGER,                      -- 1: the path from its first character on; NULL: root_id is NULL
    PRIMARY KEY (lineage_id, row, space_id, key)
) STRICT, WITHOUT ROWID;

-- A content refers to a key in a space.
CREATE TABLE x_ref (
    content_id INTEGER NOT NULL REFERENCES x_content, -- that refers
    -- order in the content; from 4294967296 on, found by search; from 8589934592 on, of values
    seq        INTEGER NOT NULL,
    kind_id    INTEGER NOT NULL REFERENCES x_word, -- word: "parent", "curve", ...
    space_id   INTEGER NOT NULL REFERENCES x_word, -- word: the space in which the key is looked up
    key        INTEGER NOT NULL,             -- id, signed; or the hash of a lower-cased name
    flags      INTEGER NOT NULL,             -- 1 weak, 2 native, 4 used by the editor only
    name_id    INTEGER REFERENCES x_name,      -- the key is that of this name; NULL: the key is an id
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;

-- Finds the contents that refer to a key.
CREATE TABLE x_ref_key (
    key        INTEGER NOT NULL,             -- as in ref
    content_id INTEGER NOT NULL REFERENCES x_content, -- of the content that refers to the key, in any space
    PRIMARY KEY (key, content_id)
) STRICT, WITHOUT ROWID;

-- Contents of unknown structure that are searched for known ids.
CREATE TABLE x_content_scan (
    content_id INTEGER PRIMARY KEY REFERENCES x_content,
    -- word: how to search: width, byte order and alignment of ids, flags of the references,
    -- whether common numbers are skipped, spaces
    spec_id    INTEGER NOT NULL REFERENCES x_word,
    known      INTEGER NOT NULL              -- identifies the set of ids that was searched; 0: not searched yet
) STRICT;


-- ---- What is computed when a build is published ----

-- The meaning of each key in one build.
--
-- Computed from symbol and path_symbol when the build is published: the path that is
-- mounted first wins.
CREATE TABLE x_build_symbol (
    build_id INTEGER NOT NULL REFERENCES x_build,
    space_id INTEGER NOT NULL REFERENCES x_word, -- word
    key      INTEGER NOT NULL,               -- as in symbol
    path_id  INTEGER NOT NULL REFERENCES x_path,
    paths    INTEGER NOT NULL,               -- number of paths that claim the key
    present  INTEGER NOT NULL,               -- 1: an entry of the build has this path
    PRIMARY KEY (build_id, space_id, key)
) STRICT, WITHOUT ROWID;
-- Serves: the keys of a path, to find what refers to it.
CREATE INDEX build_symbol_path ON x_build_symbol (path_id, build_id);

-- Entries that a game does not see, and what hides each. Computed when a build is
-- published.
CREATE TABLE x_build_shadow (
    build_id INTEGER NOT NULL REFERENCES x_build,
    mount    INTEGER NOT NULL,               -- build_archive.ordinal of the hidden entry's archive
    row      INTEGER NOT NULL,               -- entry.row of the hidden entry
    by_mount INTEGER NOT NULL,               -- build_archive.ordinal of the archive that hides it
    by_row   INTEGER NOT NULL,               -- entry.row of the entry or delete record that hides it
    PRIMARY KEY (build_id, mount, row)
) STRICT, WITHOUT ROWID;
-- Serves: how many entries an entry hides.
CREATE INDEX build_shadow_by ON x_build_shadow (build_id, by_mount, by_row);

-- Paths of chunks whose own container has none. Made when the build is published.
CREATE TABLE x_build_name (
    build_id INTEGER NOT NULL REFERENCES x_build, -- build
    mount    INTEGER NOT NULL,               -- build_archive.ordinal of the container
    row      INTEGER NOT NULL,               -- entry.row of the chunk
    path_id  INTEGER NOT NULL REFERENCES x_path, -- the path it has in another container
    by_mount INTEGER NOT NULL,               -- build_archive.ordinal of the container that has the path
    PRIMARY KEY (build_id, mount, row)
) STRICT, WITHOUT ROWID;

-- Which sets of values with a context hold in a build. Those without hold in every
-- build.
CREATE TABLE x_build_value (
    build_id INTEGER NOT NULL REFERENCES x_build,
    set_id   INTEGER NOT NULL REFERENCES x_value_set,
    PRIMARY KEY (build_id, set_id)
) STRICT, WITHOUT ROWID;
-- Serves: delete a set.
CREATE INDEX build_value_set ON x_build_value (set_id);


-- ---- Marvel Heroes: Calligraphy ----

-- One line of a directory of Marvel Heroes' game database.
CREATE TABLE x_calligraphy_record (
    content_id INTEGER NOT NULL REFERENCES x_content, -- of the directory
    seq        INTEGER NOT NULL,             -- order in the directory
    space_id   INTEGER NOT NULL REFERENCES x_word, -- word: "curve", "asset_type", "blueprint", "prototype"
    id         INTEGER NOT NULL,             -- hash of the path
    guid       INTEGER NOT NULL,             -- survives a rename
    blueprint  INTEGER NOT NULL,             -- id; 0: not a prototype
    path_id    INTEGER NOT NULL REFERENCES x_path, -- of the listed file
    flags      INTEGER NOT NULL,             -- of prototypes 1 abstract, 2 protected; of others 1 protected
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;
-- Serves: the record of a GUID, renames.
CREATE INDEX calligraphy_record_guid ON x_calligraphy_record (guid);
-- Serves: the record of a file.
CREATE INDEX calligraphy_record_path ON x_calligraphy_record (path_id);

-- One line of Replacement.directory.
CREATE TABLE x_calligraphy_replacement (
    content_id INTEGER NOT NULL REFERENCES x_content, -- of the directory
    seq        INTEGER NOT NULL,             -- order in the directory
    old_guid   INTEGER NOT NULL,             -- GUID of the replaced record
    new_guid   INTEGER NOT NULL,             -- as stored; 0: deleted
    last_guid  INTEGER NOT NULL,             -- where the chain ends; 0: deleted
    name       TEXT NOT NULL,                -- dotted path that the record had
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;

-- One value of an asset type.
CREATE TABLE x_calligraphy_asset (
    content_id INTEGER NOT NULL REFERENCES x_content, -- of the .type
    seq        INTEGER NOT NULL,             -- order in the file
    id         INTEGER NOT NULL,             -- by which values name it
    guid       INTEGER NOT NULL,             -- of the value
    flags      INTEGER NOT NULL,             -- as stored
    name       TEXT NOT NULL,                -- what people call it
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;
-- Serves: the name of an asset value.
CREATE INDEX calligraphy_asset_id ON x_calligraphy_asset (id);

-- One curve.
CREATE TABLE x_calligraphy_curve (
    content_id INTEGER PRIMARY KEY REFERENCES x_content,
    start      INTEGER NOT NULL,             -- position of the first value; may be negative
    points     TEXT NOT NULL                 -- JSON array of numbers; null is not a number
) STRICT;

-- One blueprint. Its parents and its contributing blueprints are references.
CREATE TABLE x_calligraphy_blueprint (
    content_id    INTEGER PRIMARY KEY REFERENCES x_content,
    runtime_class TEXT NOT NULL,             -- class in the game's program for its prototypes
    default_id    INTEGER NOT NULL           -- id of the prototype with its default values
) STRICT;

-- One field that a blueprint declares.
CREATE TABLE x_calligraphy_member (
    content_id INTEGER NOT NULL REFERENCES x_content, -- of the .blueprint
    field      INTEGER NOT NULL,             -- id of the field
    seq        INTEGER NOT NULL,             -- order in the blueprint
    name       TEXT NOT NULL,                -- of the field
    type       TEXT NOT NULL,                -- A B C D L P R S T, as in calligraphy_fields
    list       INTEGER NOT NULL,             -- 1: takes a list
    -- id: of the asset type of an A, of the blueprint of a P or R; 0: none
    subtype    INTEGER NOT NULL,
    PRIMARY KEY (content_id, field, seq)
) STRICT, WITHOUT ROWID;

-- One value of a prototype's field.
CREATE TABLE x_calligraphy_value (
    content_id INTEGER NOT NULL REFERENCES x_content, -- of the .prototype or .defaults
    ordinal    INTEGER NOT NULL,             -- of the row in the file
    -- ordinal of the R value whose body contains this value; NULL: not in an embedded body
    owner      INTEGER,
    -- the declaring blueprint, its copy number and the field, as view x_calligraphy_field has them: few
    -- differ, and as columns of this table they would be half of it
    member_id  INTEGER NOT NULL REFERENCES x_name,
    type       TEXT NOT NULL,                -- A B C D L P R S T, as in calligraphy_fields
    position   INTEGER,                      -- from 0; NULL: not in a list, or an empty list
    -- B, D, L: the number, or 'NaN'; A, C, P, S, T: the id; R: the id of the parent; NULL: an empty list
    value      ANY,
    PRIMARY KEY (content_id, ordinal)
) STRICT, WITHOUT ROWID;

-- The head of a resource file.
CREATE TABLE x_calligraphy_resource (
    content_id INTEGER PRIMARY KEY REFERENCES x_content,
    signature  INTEGER NOT NULL,             -- first 4 bytes, little-endian
    version    INTEGER NOT NULL,             -- second 4 bytes
    class_id   INTEGER NOT NULL,             -- third 4 bytes: hash of the class's name
    class      TEXT                          -- class in the game's program; NULL: no known name has this hash
) STRICT;


-- ---- Unreal packages ----

-- The summary of an Unreal package (UE1 to UE5).
CREATE TABLE x_package (
    content_id        INTEGER PRIMARY KEY REFERENCES x_content,
    engine_id         INTEGER NOT NULL REFERENCES x_word, -- word: "UE1" to "UE5"; "": unknown
    -- UE1 to UE3: package version; UE4 and UE5: the UE4 version, 0: unversioned
    version           INTEGER NOT NULL,
    version5          INTEGER NOT NULL,      -- the UE5 version, 0: none
    legacy_version    INTEGER NOT NULL,      -- UE4 and UE5: -2 and below; otherwise 0
    licensee          INTEGER NOT NULL,      -- licensee version
    layout_id         INTEGER NOT NULL REFERENCES x_word, -- word: layout by which the tables were read
    engine_version    TEXT,                  -- version of the engine that saved it; NULL: none stored
    compatible_engine TEXT,                  -- oldest engine that can read the package; NULL: none stored
    cooker_version    INTEGER NOT NULL,      -- UE3; otherwise 0
    flags             INTEGER NOT NULL,      -- as stored; their meaning depends on the engine
    guid              BLOB,                  -- 16 bytes; NULL: none stored
    persistent_guid   BLOB,                  -- 16 bytes; NULL: none stored
    saved_hash        BLOB,                  -- 20 bytes; UE5 from 1016 on, in place of guid; NULL: none stored
    name_id           INTEGER REFERENCES x_name, -- NULL: the file does not store its own name
    compression_id    INTEGER NOT NULL REFERENCES x_word, -- word; "": none
    -- 1 big-endian, 2 unversioned, 4 the exports are in the .uexp beside it
    traits            INTEGER NOT NULL,
    header_size       INTEGER NOT NULL,      -- end of the tables; 0: not stored in the generation
    name_count        INTEGER NOT NULL,      -- as declared, even if the table could not be read
    import_count      INTEGER NOT NULL,      -- as name_count
    export_count      INTEGER NOT NULL       -- as name_count
) STRICT;

-- One name of an Unreal package's name table.
CREATE TABLE x_package_name (
    content_id INTEGER NOT NULL REFERENCES x_content,
    ordinal    INTEGER NOT NULL,             -- position in the table, from 0
    name_id    INTEGER NOT NULL REFERENCES x_name,
    flags      INTEGER NOT NULL,             -- UE1 to UE3; otherwise 0
    PRIMARY KEY (content_id, ordinal)
) STRICT, WITHOUT ROWID;

-- One object of another package that an Unreal package uses.
CREATE TABLE x_package_import (
    content_id       INTEGER NOT NULL REFERENCES x_content,
    ordinal          INTEGER NOT NULL,       -- position in the table, from 0
    class_package_id INTEGER NOT NULL REFERENCES x_name, -- name: package of its class
    class_id         INTEGER NOT NULL REFERENCES x_name, -- name: its class
    outer            INTEGER NOT NULL,       -- 0 none; n > 0 export n-1; n < 0 import -n-1
    outer_path_id    INTEGER REFERENCES x_name, -- name: full name of outer, with its separator; NULL: outer is 0
    object_id        INTEGER NOT NULL REFERENCES x_name, -- name: bare
    number           INTEGER,                -- number appended to the name after "_"; NULL: none
    flags            INTEGER NOT NULL,       -- 1 native, 2 editor only, 4 optional
    PRIMARY KEY (content_id, ordinal)
) STRICT, WITHOUT ROWID;

-- One object in an Unreal package.
CREATE TABLE x_package_export (
    content_id    INTEGER NOT NULL REFERENCES x_content,
    ordinal       INTEGER NOT NULL,          -- position in the table, from 0
    -- n > 0 export n-1; n < 0 import -n-1; 0: the object is itself a class
    class         INTEGER NOT NULL,
    super         INTEGER NOT NULL,          -- as class
    outer         INTEGER NOT NULL,          -- as class; 0: it is at the top level of the package
    archetype     INTEGER NOT NULL,          -- as class; UE1 and UE2 store none: super of a class, else class
    class_id      INTEGER NOT NULL REFERENCES x_name, -- name: bare name of class
    super_id      INTEGER REFERENCES x_name,   -- name: bare name of super; NULL: it has no parent class
    outer_path_id INTEGER REFERENCES x_name,   -- name: full name of outer, with its separator; NULL: outer is 0
    object_id     INTEGER NOT NULL REFERENCES x_name, -- name: bare
    number        INTEGER,                   -- number appended to the name after "_"; NULL: none
    flags         INTEGER NOT NULL,          -- of the object, as stored
    offset        INTEGER NOT NULL,          -- in the package, decompressed
    size          INTEGER NOT NULL,          -- bytes
    export_flags  INTEGER NOT NULL,          -- as in exports
    package_flags INTEGER NOT NULL,          -- as stored
    PRIMARY KEY (content_id, ordinal)
) STRICT, WITHOUT ROWID;

-- The counts of an earlier save of an Unreal package.
CREATE TABLE x_package_generation (
    content_id  INTEGER NOT NULL REFERENCES x_content,
    ordinal     INTEGER NOT NULL,            -- from 0, the oldest first
    exports     INTEGER NOT NULL,            -- how many there were
    names       INTEGER NOT NULL,            -- how many there were
    net_objects INTEGER NOT NULL,            -- 0: not stored
    PRIMARY KEY (content_id, ordinal)
) STRICT, WITHOUT ROWID;

-- Hashes that show whether two Unreal packages differ in more than noise, and where.
-- Noise is the GUIDs and hashes that every cook writes anew. A package that is split
-- into .uasset and .uexp has a row for each.
CREATE TABLE x_package_digest (
    content_id INTEGER NOT NULL REFERENCES x_content,
    -- 0: the content is the package. Otherwise the content holds the bytes of a package's
    -- exports, and this is the first 8 bytes of the hash of that package, little-endian, signed
    header     INTEGER NOT NULL,
    essence    BLOB NOT NULL,                -- first 16 bytes of the BLAKE3 of everything that is not noise
    -- for each export of the package the first 8 bytes of the BLAKE3 of its bytes without noise;
    -- zeros if it has no bytes in this content; NULL: no export has bytes in this content
    exports    BLOB,
    PRIMARY KEY (content_id, header)
) STRICT, WITHOUT ROWID;


-- ---- Containers of Unreal Engine (IoStore) ----

-- The objects of a game's program, as listed in a ScriptObjects chunk.
CREATE TABLE x_script_object (
    content_id INTEGER NOT NULL REFERENCES x_content, -- of the chunk
    id         INTEGER NOT NULL,             -- hash of the path, signed
    name_id    INTEGER NOT NULL REFERENCES x_name, -- name: the path
    PRIMARY KEY (content_id, id)
) STRICT, WITHOUT ROWID;

-- The packages of a container, as its ContainerHeader lists them.
CREATE TABLE x_container_package (
    content_id INTEGER NOT NULL REFERENCES x_content, -- of the chunk
    seq        INTEGER NOT NULL,             -- 0, 1, ...
    package    INTEGER NOT NULL,             -- id, signed
    shaders    INTEGER NOT NULL,             -- number of shader maps it uses
    optional   INTEGER NOT NULL,             -- 1: the row is about its optional segment
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;

-- What the packages of a container import, as its ContainerHeader lists it.
CREATE TABLE x_container_import (
    content_id INTEGER NOT NULL REFERENCES x_content, -- of the chunk
    seq        INTEGER NOT NULL,             -- 0, 1, ... over all packages
    package    INTEGER NOT NULL,             -- id of the importing package, signed
    import     INTEGER NOT NULL,             -- id of the imported package, signed
    soft       INTEGER NOT NULL,             -- 1: on demand only
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;


-- ---- Values in Unreal packages ----

-- Mappings (.usmap) that were given to a scan: the classes of a game's program. They
-- are used again until others are given.
CREATE TABLE x_mapping (
    mapping_id INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,                -- of the file
    digest     BLOB NOT NULL UNIQUE,         -- BLAKE3 of the file
    used       INTEGER NOT NULL,             -- the greatest is the one that was given last
    data       BLOB NOT NULL                 -- the file
) STRICT;

-- What was read of the exports that a content holds. It follows from the content,
-- from the package whose exports they are, and, where context is not 0, from what
-- declares their classes. Triggers delete the rows of other tables with it.
CREATE TABLE x_value_set (
    set_id       INTEGER PRIMARY KEY,
    -- holds the bytes of the exports: the package, or its .uexp; NULL: of mappings
    content_id   INTEGER REFERENCES x_content,
    -- 0: the content is the package; otherwise the first 8 bytes, little-endian, signed, of
    -- package_digest.essence of the package
    header       INTEGER NOT NULL,
    -- 0: it follows from these alone; otherwise a digest of the mappings, schemas of other
    -- packages and engine that were used
    context      INTEGER NOT NULL,
    mapping_id   INTEGER REFERENCES x_mapping, -- these are the classes and enums of mappings; NULL: of a package
    reader_id    INTEGER NOT NULL REFERENCES x_word, -- word: "unreal-values/1"
    engine       INTEGER NOT NULL,           -- 100 times the major version, and the minor: 427; 0: UE1 to UE3
    traits       INTEGER NOT NULL,           -- 1 unversioned lists, 2 the package does not state its engine
    exports      INTEGER NOT NULL,           -- the counts are those of view property_coverage
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
    missing_id   INTEGER REFERENCES x_name     -- name: the class that most of these want; NULL: nothing is missing
) STRICT;
-- Serves: the values of a content.
CREATE UNIQUE INDEX value_set_content ON x_value_set (content_id, header, context);

-- A set of values takes its rows with it. No index tells which names they used.
CREATE TRIGGER value_set_deleted AFTER DELETE ON x_value_set
BEGIN
    DELETE FROM x_value_export WHERE set_id = old.set_id;
    DELETE FROM x_property WHERE set_id = old.set_id;
    DELETE FROM x_property_text WHERE set_id = old.set_id;
    DELETE FROM x_class_field WHERE set_id = old.set_id;
    DELETE FROM x_enum_member WHERE set_id = old.set_id;
    DELETE FROM x_value_problem WHERE set_id = old.set_id;
    DELETE FROM x_script WHERE set_id = old.set_id;
    DELETE FROM x_script_use WHERE set_id = old.set_id;
    DELETE FROM x_script_text WHERE set_id = old.set_id;
    DELETE FROM x_texture WHERE set_id = old.set_id;
    DELETE FROM x_texture_mip WHERE set_id = old.set_id;
    DELETE FROM x_sound WHERE set_id = old.set_id;
    DELETE FROM x_build_value WHERE set_id = old.set_id;
    INSERT OR IGNORE INTO x_removed (kind, id) VALUES (3, 0);
END;

-- The entries whose contents hold the exports of a package that has values.
CREATE TABLE x_value_entry (
    lineage_id INTEGER NOT NULL,             -- as in entry_row
    row        INTEGER NOT NULL,             -- as in entry_row
    -- of the package: of the .uasset, where the entry is its .uexp; NULL: the package has no
    -- name
    path_id    INTEGER REFERENCES x_path,
    header     INTEGER NOT NULL,             -- as in value_set
    -- name of the package; NULL: root_id and start say it, or it is not known
    name_id    INTEGER REFERENCES x_name,
    -- word: the part before the rest of the path; NULL: as in entry_symbol
    root_id    INTEGER REFERENCES x_word,
    start      INTEGER,                      -- of the rest, from 1; NULL: as in entry_symbol
    PRIMARY KEY (lineage_id, row)
) STRICT, WITHOUT ROWID;
-- Serves: the values of a package.
CREATE INDEX value_entry_path ON x_value_entry (path_id);

-- The objects of packages that have values.
CREATE TABLE x_value_export (
    set_id        INTEGER NOT NULL REFERENCES x_value_set,
    ordinal       INTEGER NOT NULL,          -- position in the table of exports, from 0
    class_id      INTEGER NOT NULL REFERENCES x_name, -- name
    -- name: the part before its own, with a point; NULL: it is at the top level
    outer_path_id INTEGER REFERENCES x_name,
    object_id     INTEGER NOT NULL REFERENCES x_name, -- name
    number        INTEGER,                   -- follows the name: "_" and this; NULL: its name has none
    status        INTEGER NOT NULL,          -- 0 exact, 1 data after the list, 2 opaque
    -- name: path of the parent; NULL: no class or struct, or without a parent
    super_id      INTEGER REFERENCES x_name,
    why_id        INTEGER REFERENCES x_name,   -- name: why it was not, or not to its end; NULL: it was read
    PRIMARY KEY (set_id, ordinal)
) STRICT, WITHOUT ROWID;

-- Values, one row each.
CREATE TABLE x_property (
    set_id   INTEGER NOT NULL REFERENCES x_value_set,
    seq      INTEGER NOT NULL,               -- in the order of the exports and their bytes
    export   INTEGER NOT NULL,               -- ordinal of the export
    name_id  INTEGER NOT NULL REFERENCES x_name, -- name of the innermost field
    -- name: path of the field, with [] for the outermost element; NULL: it is the name, with []
    -- where there is an element
    field_id INTEGER REFERENCES x_name,
    -- index of the outermost element; NULL: the path has no element, or one with a key
    place    INTEGER,
    -- name: key of the outermost element; NULL: the path has no element, or one with an index
    key_id   INTEGER REFERENCES x_name,
    type_id  INTEGER NOT NULL REFERENCES x_word, -- word
    value    ANY,                            -- the number; of an array in one value its count; NULL: no number
    -- name: the text; path of an object of another package; NULL: a number, or an object of the
    -- package
    text_id  INTEGER REFERENCES x_name,
    ref        INTEGER,                        -- 0 none; n > 0 export n-1; n < 0 import -n-1; NULL: no reference
    target   INTEGER,                        -- key of the package's name; NULL: leads to no other package
    -- 1 class data, 2 zero, 4 guessed, or read by a class that does not fit other objects, 8
    -- opaque (text_id is the reason), 16 array in one value
    flags    INTEGER NOT NULL,
    PRIMARY KEY (set_id, seq)
) STRICT, WITHOUT ROWID;
-- Serves: fields by name and number.
CREATE INDEX property_name ON x_property (name_id, value);

-- The names by which texts are translated.
CREATE TABLE x_property_text (
    set_id       INTEGER NOT NULL REFERENCES x_value_set,
    seq          INTEGER NOT NULL,           -- as in property
    namespace_id INTEGER NOT NULL REFERENCES x_name, -- name: namespace, or path of the string table
    key_id       INTEGER NOT NULL REFERENCES x_name, -- name
    PRIMARY KEY (set_id, seq)
) STRICT, WITHOUT ROWID;

-- The properties that classes and structs declare.
CREATE TABLE x_class_field (
    set_id  INTEGER NOT NULL REFERENCES x_value_set,
    seq     INTEGER NOT NULL,                -- in the order of the exports and of positions
    export  INTEGER NOT NULL,                -- ordinal of the class in value_export
    name_id INTEGER NOT NULL REFERENCES x_name, -- name
    type_id INTEGER NOT NULL REFERENCES x_name, -- name
    place   INTEGER NOT NULL,                -- position among the own properties
    count   INTEGER NOT NULL,                -- elements of a fixed array, and positions that it takes
    flags   INTEGER NOT NULL,                -- as stored
    PRIMARY KEY (set_id, seq)
) STRICT, WITHOUT ROWID;

-- The members of enums.
CREATE TABLE x_enum_member (
    set_id  INTEGER NOT NULL REFERENCES x_value_set,
    seq     INTEGER NOT NULL,                -- in the order of the exports and of the file
    export  INTEGER NOT NULL,                -- ordinal of the enum in value_export
    name_id INTEGER NOT NULL REFERENCES x_name, -- name, without that of the enum
    value   INTEGER NOT NULL,                -- its number
    PRIMARY KEY (set_id, seq)
) STRICT, WITHOUT ROWID;

-- What of a set of values could not be read because of what the bytes say, or because
-- of a limit: one row for each cause. Objects of which only the schema is unknown are
-- in property_coverage alone.
CREATE TABLE x_value_problem (
    set_id   INTEGER NOT NULL REFERENCES x_value_set,
    seq      INTEGER NOT NULL,               -- from 0
    -- name of what is damaged: values, code, picture, sound, or a field of the package
    field_id INTEGER NOT NULL REFERENCES x_name,
    offset   INTEGER,                        -- in the content; NULL: no specific offset
    cause_id INTEGER NOT NULL REFERENCES x_name, -- begins with its class, and says how many objects are concerned
    PRIMARY KEY (set_id, seq)
) STRICT, WITHOUT ROWID;


-- ---- Code, textures and sounds in Unreal packages ----

-- The functions of packages, and states and classes that have code; functions has
-- texts.
CREATE TABLE x_script (
    set_id     INTEGER NOT NULL REFERENCES x_value_set,
    ordinal    INTEGER NOT NULL,             -- as in value_export
    flags      INTEGER NOT NULL,             -- as stored
    native     INTEGER,                      -- UE1 to UE3: the number that code calls it by; NULL: none
    statements INTEGER NOT NULL,             -- of the code, at the top level
    tokens     INTEGER NOT NULL,             -- of the code, at any depth
    size       INTEGER NOT NULL,             -- of the code, bytes
    memory     INTEGER NOT NULL,             -- the same in memory
    hash       INTEGER,                      -- of the normal form, its first 8 bytes, signed; NULL: opaque
    why_id     INTEGER REFERENCES x_name,      -- name: why not; NULL: it was understood
    PRIMARY KEY (set_id, ordinal)
) STRICT, WITHOUT ROWID;

-- What functions call and name; calls and function_constants have texts.
CREATE TABLE x_script_use (
    set_id   INTEGER NOT NULL REFERENCES x_value_set,
    seq      INTEGER NOT NULL,               -- order in the exports and their code
    export   INTEGER NOT NULL,               -- ordinal
    event_id INTEGER REFERENCES x_name,        -- name; NULL: no part of an event
    -- calls: 0 final, 1 virtual, 2 math, 3 delegate, 4 native; 8 object, 9 soft path, 10 string,
    -- 11 text
    kind     INTEGER NOT NULL,
    -- name: of the function, path of the object, or the text; paths in the package itself begin
    -- with a point
    name_id  INTEGER NOT NULL REFERENCES x_name,
    count    INTEGER NOT NULL,               -- how often the code has it
    -- key of the package, as in table name_key; NULL: no path of a package
    target   INTEGER,
    PRIMARY KEY (set_id, seq)
) STRICT, WITHOUT ROWID;
-- Serves: who calls a function.
CREATE INDEX script_use_name ON x_script_use (name_id);

-- The names that texts in code are translated by.
CREATE TABLE x_script_text (
    set_id       INTEGER NOT NULL REFERENCES x_value_set,
    seq          INTEGER NOT NULL,           -- as in script_use
    namespace_id INTEGER NOT NULL REFERENCES x_name, -- name
    key_id       INTEGER NOT NULL REFERENCES x_name, -- name
    PRIMARY KEY (set_id, seq)
) STRICT, WITHOUT ROWID;

-- The textures of a set of values; textures has texts.
CREATE TABLE x_texture (
    set_id      INTEGER NOT NULL REFERENCES x_value_set,
    export      INTEGER NOT NULL,            -- ordinal of the object
    format_id   INTEGER REFERENCES x_word,     -- word: "PF_DXT1"; NULL: it was not read
    width       INTEGER NOT NULL,            -- pixels; 0 where it was not read
    height      INTEGER NOT NULL,            -- as width
    slices      INTEGER NOT NULL,            -- faces, layers or depth
    first_mip   INTEGER NOT NULL,            -- of the chain that is stored
    mips        INTEGER NOT NULL,            -- that are stored
    virtual     INTEGER NOT NULL,            -- 1: as tiles
    srgb        INTEGER,                     -- 1: colours are sRGB; NULL: the properties were not read
    group_id    INTEGER REFERENCES x_word,     -- word: "TEXTUREGROUP_World"; NULL: as srgb
    compress_id INTEGER REFERENCES x_word,     -- word: "TC_Default"; NULL: as srgb
    why_id      INTEGER REFERENCES x_name,     -- name: why not; NULL: it was read
    PRIMARY KEY (set_id, export)
) STRICT, WITHOUT ROWID;

-- Where the bytes of textures lie; texture_mips has texts.
CREATE TABLE x_texture_mip (
    set_id  INTEGER NOT NULL REFERENCES x_value_set,
    seq     INTEGER NOT NULL,                -- order in the package
    export  INTEGER NOT NULL,                -- ordinal of the texture
    mip     INTEGER,                         -- 0 is the picture that was imported; NULL: tiles of several mips
    width   INTEGER,                         -- pixels; NULL: as mip
    height  INTEGER,                         -- pixels; NULL: as mip
    file_id INTEGER NOT NULL REFERENCES x_word, -- word: "" inside the package, or an extension
    size    INTEGER NOT NULL,                -- bytes, decoded
    PRIMARY KEY (set_id, seq)
) STRICT, WITHOUT ROWID;

-- The sounds of a set of values; sounds has texts.
CREATE TABLE x_sound (
    set_id   INTEGER NOT NULL REFERENCES x_value_set,
    export   INTEGER NOT NULL,               -- ordinal of the object
    codec_id INTEGER NOT NULL REFERENCES x_word, -- word: "vorbis"
    channels INTEGER,                        -- how many; NULL: not known
    rate     INTEGER,                        -- samples a second; NULL: not known
    duration REAL,                           -- seconds; NULL: not known
    bytes    INTEGER NOT NULL,               -- of the stream
    beside   INTEGER NOT NULL,               -- of them in files beside the package
    why_id   INTEGER REFERENCES x_name,        -- name: why not; NULL: it was read
    PRIMARY KEY (set_id, export)
) STRICT, WITHOUT ROWID;


-- ---- Other files of Unreal Engine ----

-- What a file of localised texts (.locres) says of itself.
CREATE TABLE x_locres (
    content_id INTEGER PRIMARY KEY REFERENCES x_content,
    version    INTEGER NOT NULL,             -- of the format, 0 to 3
    namespaces INTEGER NOT NULL,             -- how many
    keys       INTEGER NOT NULL,             -- how many, in all namespaces
    strings    INTEGER NOT NULL,             -- size of its table of strings; 0 in version 0
    native     INTEGER NOT NULL              -- keys whose text has the source hash itself
) STRICT;

-- The texts of .locres files.
CREATE TABLE x_localized_text (
    content_id   INTEGER NOT NULL REFERENCES x_content,
    seq          INTEGER NOT NULL,           -- 0, 1, ...
    namespace_id INTEGER NOT NULL REFERENCES x_name,
    key_id       INTEGER NOT NULL REFERENCES x_name,
    text_id      INTEGER REFERENCES x_name,    -- NULL: the file names a string that it lacks
    source_hash  INTEGER NOT NULL,           -- CRC-32 of the text that was translated
    PRIMARY KEY (content_id, key_id, namespace_id, seq)
) STRICT, WITHOUT ROWID;

-- The cultures that a .locmeta lists.
CREATE TABLE x_locmeta_culture (
    content_id INTEGER NOT NULL REFERENCES x_content,
    seq        INTEGER NOT NULL,             -- 0, 1, ...
    culture_id INTEGER NOT NULL REFERENCES x_word, -- word
    native     INTEGER NOT NULL,             -- 1: the others are translated from it
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;

-- What an asset registry says of itself.
CREATE TABLE x_asset_registry (
    content_id   INTEGER PRIMARY KEY REFERENCES x_content,
    version      INTEGER NOT NULL,           -- of the format, 0 to 24
    filtered     INTEGER NOT NULL,           -- 1: without data of the editor
    assets       INTEGER NOT NULL,           -- how many
    tags         INTEGER NOT NULL,           -- how many
    nodes        INTEGER NOT NULL,           -- packages and primary assets that have dependencies
    dependencies INTEGER NOT NULL,           -- how many
    packages     INTEGER NOT NULL            -- how many
) STRICT;

-- The assets of an asset registry.
CREATE TABLE x_registry_asset (
    content_id INTEGER NOT NULL REFERENCES x_content, -- of the registry
    seq        INTEGER NOT NULL,             -- 0, 1, ...
    package_id INTEGER NOT NULL REFERENCES x_name,
    class_id   INTEGER NOT NULL REFERENCES x_name,
    object_id  INTEGER NOT NULL REFERENCES x_name,
    chunks     TEXT,                         -- "0,3"; NULL: in none
    flags      INTEGER NOT NULL,             -- of the package
    bundled    INTEGER NOT NULL,             -- how many assets its bundles name
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;

-- The tags of the assets of an asset registry.
CREATE TABLE x_registry_tag (
    content_id INTEGER NOT NULL REFERENCES x_content, -- of the registry
    seq        INTEGER NOT NULL,             -- 0, 1, ... in the order of the assets
    asset      INTEGER NOT NULL,             -- registry_asset.seq
    tag_id     INTEGER NOT NULL REFERENCES x_name,
    value_id   INTEGER NOT NULL REFERENCES x_name,
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;

-- What packages need, as an asset registry says.
CREATE TABLE x_registry_dependency (
    content_id INTEGER NOT NULL REFERENCES x_content, -- of the registry
    seq        INTEGER NOT NULL,             -- 0, 1, ...
    from_id    INTEGER NOT NULL REFERENCES x_name,
    to_id      INTEGER NOT NULL REFERENCES x_name,
    from_key   INTEGER NOT NULL,             -- key of the name, as in build_symbol
    to_key     INTEGER NOT NULL,             -- key of the name
    kind       INTEGER NOT NULL,             -- 0 package, 1 name, 2 manage
    flags      INTEGER NOT NULL,             -- of packages 1 hard, 2 used in the game; of managers 1 direct
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;
-- Serves: what a package needs.
CREATE INDEX registry_dependency_from ON x_registry_dependency (from_key);
-- Serves: who needs a package.
CREATE INDEX registry_dependency_to ON x_registry_dependency (to_key);

-- The packages of an asset registry.
CREATE TABLE x_registry_package (
    content_id  INTEGER NOT NULL REFERENCES x_content, -- of the registry
    seq         INTEGER NOT NULL,            -- 0, 1, ...
    package_id  INTEGER NOT NULL REFERENCES x_name,
    key         INTEGER NOT NULL,            -- key of the name
    disk_size   INTEGER NOT NULL,            -- bytes; below 0: not known
    -- GUID, or 20 bytes of a hash from version 20 on; NULL: the registry has none
    saved_hash  BLOB,
    cooked_hash BLOB,                        -- MD5; NULL: the registry has none
    flags       INTEGER NOT NULL,            -- of the package
    ext         TEXT,                        -- ".uasset"; NULL: below version 17
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;

-- The settings of .ini files.
CREATE TABLE x_config_line (
    content_id INTEGER NOT NULL REFERENCES x_content,
    seq        INTEGER NOT NULL,             -- 0, 1, ...
    section_id INTEGER NOT NULL REFERENCES x_name,
    op         TEXT NOT NULL,                -- "+", "-", ".", "!", or ""
    key_id     INTEGER NOT NULL REFERENCES x_name,
    value_id   INTEGER NOT NULL REFERENCES x_name,
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;

-- Plugins and projects of Unreal Engine, as they are in a content.
CREATE TABLE x_plugin_descriptor (
    content_id      INTEGER NOT NULL REFERENCES x_content,
    seq             INTEGER NOT NULL,        -- 0, 1, ...
    project         INTEGER NOT NULL,        -- 1: a project
    name_id         INTEGER REFERENCES x_name, -- NULL: that of the file
    title_id        INTEGER REFERENCES x_name, -- NULL: there is none
    description_id  INTEGER REFERENCES x_name, -- NULL: there is none
    category_id     INTEGER REFERENCES x_name, -- NULL: there is none
    created_by_id   INTEGER REFERENCES x_name, -- NULL: there is none
    version         INTEGER NOT NULL,        -- 0: not told
    version_name_id INTEGER REFERENCES x_name, -- NULL: there is none
    engine_id       INTEGER REFERENCES x_name, -- NULL: not told
    enabled         INTEGER,                 -- 1: by default; NULL: it does not say
    content         INTEGER NOT NULL,        -- 1: it may have content
    modules         TEXT NOT NULL,           -- JSON: list of objects
    plugins         TEXT NOT NULL,           -- JSON: list of objects
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;


-- ---- Other texts and figures ----

-- Texts that are of no format of a game's own, some lines at a time: JSON, XML, CSV,
-- Lua and others.
CREATE TABLE x_text_block (
    content_id INTEGER NOT NULL REFERENCES x_content,
    seq        INTEGER NOT NULL,             -- 0, 1, ...
    line       INTEGER NOT NULL,             -- number of the first, from 1; a long line has several rows
    name_id    INTEGER NOT NULL REFERENCES x_name,
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;

-- Texts of Metroid Prime, in several languages.
CREATE TABLE x_retro_string (
    content_id  INTEGER NOT NULL REFERENCES x_content,
    seq         INTEGER NOT NULL,            -- 0, 1, ...
    language_id INTEGER NOT NULL REFERENCES x_word, -- "ENGL", "GERM"
    number      INTEGER NOT NULL,            -- of the text in its language, from 0
    key_id      INTEGER REFERENCES x_name,     -- NULL: the text has no name
    text_id     INTEGER NOT NULL REFERENCES x_name,
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;

-- Figures that the head of a content tells, of kinds of which nothing else is read.
CREATE TABLE x_content_count (
    content_id INTEGER NOT NULL REFERENCES x_content,
    seq        INTEGER NOT NULL,             -- 0, 1, ...
    figure_id  INTEGER NOT NULL REFERENCES x_word,
    value      INTEGER NOT NULL,             -- of the figure
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;


-- ---- The index of texts and paths, for pakdb find ----

-- Up to which ids texts and paths are indexed for pakdb find. A catalog without the
-- index has no rows. The full-text tables, search_word and search_part, are there
-- only with it.
CREATE TABLE x_search_state (
    -- 0 blocks, 1 names, 2 file names, 3 folders, 4 contents, 5 sets of values, 6 the index
    subject INTEGER PRIMARY KEY,
    -- the last id that is indexed; of blocks: the last that was given out; of the index: the
    -- revision that made it
    done    INTEGER NOT NULL
) STRICT;

-- Which texts a row of the full-text tables stands for. It is a block of 32 names, or
-- of 64 file names or folders, whose ids follow each other; search_word has the words
-- of names, search_part the trigrams of file names and folders.
CREATE TABLE x_search_span (
    first_block INTEGER PRIMARY KEY,         -- rowid of the first block
    subject     INTEGER NOT NULL,            -- as in search_state, 1 to 3
    first       INTEGER NOT NULL,            -- id of the first text of the first block
    last        INTEGER NOT NULL             -- id of the last text of the last block
) STRICT;

-- Where names are used, 32 names at a time. A row that is stale does no harm: the
-- rows that it leads to are compared.
CREATE TABLE x_search_use (
    chunk INTEGER NOT NULL,                  -- name_id / 32
    use   INTEGER NOT NULL,                  -- number of the column that has such names, or had
    owner INTEGER NOT NULL,                  -- content_id or set_id of the rows
    part  INTEGER NOT NULL,                  -- the next column of their key, divided by 64
    PRIMARY KEY (chunk, use, owner, part)
) STRICT, WITHOUT ROWID;

-- Contents that have other facts than when they were indexed. The next build indexes
-- them.
CREATE TABLE x_search_due (
    content_id INTEGER PRIMARY KEY
) STRICT;


-- ---- Housekeeping ----

-- What rows named that were removed, as those of a build that another one replaced.
-- The next removal of a build deletes the contents, paths and names that nothing else
-- has, and empties the table.
CREATE TABLE x_removed (
    kind INTEGER NOT NULL,                   -- 1 a content, 2 a path, 3 a name
    -- content_id, path_id or name_id; 0: any of them, so that the removal looks at all
    id   INTEGER NOT NULL,
    PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;

-- When all pages of the catalog were last checked, and what time the file has had
-- since. While the file has that time, nothing but pakdb has written to it, and
-- "pakdb index" does not check it again for a day. One row, or none.
CREATE TABLE x_seal (
    only_row     INTEGER PRIMARY KEY CHECK (only_row = 1), -- 1
    -- the time that pakdb gave the file when it last closed it, in microseconds since 1970
    file_time    INTEGER NOT NULL,
    checked_time INTEGER NOT NULL            -- when all pages were last checked, in microseconds since 1970
) STRICT;
