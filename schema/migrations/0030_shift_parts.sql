-- Offsets of a later edition differ from those of its rows in every place in which any
-- edition before it changed a size. One row tells of up to 64 such places: ordinals and
-- offsets at its first one, and how much more offsets differ at those that follow.
--
-- parts has 2 + width bytes for each, big-endian: how many first rows (row >> row_bits)
-- it lies after the first one, ascending, and by how much more offsets differ than there,
-- plus 1 << 8 * width - 1. NULL: the row tells of one place.
ALTER TABLE archive_shift RENAME TO shift_before;
CREATE TABLE archive_shift (
    archive_id INTEGER NOT NULL REFERENCES archive,
    row        INTEGER NOT NULL,
    ordinals   INTEGER NOT NULL,
    offsets    INTEGER NOT NULL,
    width      INTEGER NOT NULL,
    parts      BLOB,
    PRIMARY KEY (archive_id, row)
) STRICT, WITHOUT ROWID;

-- A place begins at a row that is a multiple of 1 << row_bits where the edition has no
-- row between that and the one that was listed.
INSERT INTO archive_shift (archive_id, row, ordinals, offsets, width, parts)
WITH place AS (
    SELECT s.archive_id, a.row_bits, s.ordinals, s.offsets,
           CASE
               WHEN EXISTS (SELECT 1
                            FROM entry_row r
                            WHERE r.lineage_id = a.lineage_id AND r.row >= s.row >> a.row_bits << a.row_bits AND r.row < s.row
                              AND r.since <= a.edition AND (r.until = 0 OR r.until > a.edition)) THEN s.row
               ELSE s.row >> a.row_bits << a.row_bits
           END AS row
    FROM shift_before s
    JOIN archive a ON a.archive_id = s.archive_id
), marked AS (
    SELECT *,
           (row & (1 << row_bits) - 1) <> 0
               OR ordinals IS NOT lag(ordinals) OVER in_order
               OR row >> row_bits >> 15 IS NOT lag(row) OVER in_order >> row_bits >> 15 AS begins
    FROM place
    WINDOW in_order AS (PARTITION BY archive_id ORDER BY row)
), counted AS (
    SELECT *, sum(begins) OVER (PARTITION BY archive_id ORDER BY row) AS run
    FROM marked
), numbered AS (
    SELECT *, (row_number() OVER (PARTITION BY archive_id, run ORDER BY row) - 1) / 64 AS block
    FROM counted
), based AS (
    SELECT *,
           first_value(row) OVER in_block AS first_row,
           offsets - first_value(offsets) OVER in_block AS more
    FROM numbered
    WINDOW in_block AS (PARTITION BY archive_id, run, block ORDER BY row)
), sized AS (
    SELECT *,
           CASE
               WHEN min(more) OVER whole >= -128 AND max(more) OVER whole < 128 THEN 1
               WHEN min(more) OVER whole >= -32768 AND max(more) OVER whole < 32768 THEN 2
               WHEN min(more) OVER whole >= -2147483648 AND max(more) OVER whole < 2147483648 THEN 4
               ELSE 7
           END AS width
    FROM based
    WINDOW whole AS (PARTITION BY archive_id, first_row)
)
SELECT archive_id, first_row, ordinals, offsets - more, width,
       unhex(group_concat(CASE WHEN row > first_row THEN printf('%04X%0*X', (row >> row_bits) - (first_row >> row_bits), 2 * width, more + (1 << 8 * width - 1)) END,
                          '' ORDER BY row))
FROM sized
GROUP BY archive_id, first_row
ORDER BY archive_id, first_row;
DROP TABLE shift_before;
