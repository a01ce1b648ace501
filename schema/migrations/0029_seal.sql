-- When all pages were last checked, and what time the file has had since: while it has that
-- time, nothing but pakdb has written to it.
CREATE TABLE seal (
    only_row     INTEGER PRIMARY KEY CHECK (only_row = 1),
    file_time    INTEGER NOT NULL, -- microseconds since 1970
    checked_time INTEGER NOT NULL  -- the same
) STRICT;
