-- The index of texts and paths. Its full-text tables, search_word and search_part, are
-- made with it; a catalog without it has no rows here.
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
