-- Figures that the head of a content tells, of kinds of which nothing else is read.
CREATE TABLE content_count (
    content_id INTEGER NOT NULL REFERENCES content,
    seq        INTEGER NOT NULL,
    figure_id  INTEGER NOT NULL REFERENCES word,
    value      INTEGER NOT NULL,
    PRIMARY KEY (content_id, seq)
) STRICT, WITHOUT ROWID;
