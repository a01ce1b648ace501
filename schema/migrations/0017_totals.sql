-- What the entries of an archive come to, by what they are counted by most: a sum over
-- them, of any build or of all, need not read them. An archive whose entries differ in
-- these too much has no rows; its sums are made when they are asked for.
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

-- Of archives that are there, by rows of entries: those that hold for the same editions
-- are summed up once for all of these.
CREATE TEMP TABLE span_sum AS
SELECT r.lineage_id, r.since, r.until, p.ext_id, r.type_id, r.method_id, r.flags,
       count(*) AS entries, sum(r.size) AS size, sum(r.stored) AS stored
FROM entry_row r
LEFT JOIN path p ON p.path_id = r.path_id
GROUP BY r.lineage_id, r.since, r.until, p.ext_id, r.type_id, r.method_id, r.flags;
CREATE INDEX temp.span_lineage ON span_sum (lineage_id);
INSERT INTO archive_sum
SELECT v.archive_id, row_number() OVER (PARTITION BY v.archive_id ORDER BY s.ext_id, s.type_id, s.method_id, s.flags),
       s.ext_id, s.type_id, s.method_id, s.flags, sum(s.entries), sum(s.size), sum(s.stored)
FROM archive v
JOIN temp.span_sum s ON s.lineage_id = v.lineage_id AND s.since <= v.edition AND (s.until = 0 OR s.until > v.edition)
WHERE v.complete = 1
GROUP BY v.archive_id, s.ext_id, s.type_id, s.method_id, s.flags
HAVING (SELECT count(*) FROM temp.span_sum n WHERE n.lineage_id = v.lineage_id) <= 65536;
DROP TABLE temp.span_sum;
