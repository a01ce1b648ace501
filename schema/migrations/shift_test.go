package migrations

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pakdb/schema/views"
)

const shiftScript = "0030_shift_parts.sql"

// place is where ordinals and offsets of an edition begin to differ, as catalogs listed
// them one by one.
type place struct{ row, ordinals, offsets int64 }

// Entries lie where they did, by the SQL that any program can run.
func TestShiftsKeepTheirPlaces(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 7))
		db := emptyDatabase(t)
		inTransaction(t, db, func(tx *sql.Tx) error { return runScripts(ctx, tx, 0) })
		run := func(text string, args ...any) {
			t.Helper()
			if _, err := db.Exec(text, args...); err != nil {
				t.Fatal(err)
			}
		}
		run(`DROP TABLE archive_shift;
			CREATE TABLE archive_shift (archive_id INTEGER NOT NULL REFERENCES archive, row INTEGER NOT NULL, ordinals INTEGER NOT NULL,
				offsets INTEGER NOT NULL, PRIMARY KEY (archive_id, row)) STRICT, WITHOUT ROWID;
			INSERT INTO word (word_id, word) VALUES (1, 'none')`)
		var want []string
		rows := randomRows(r)
		for edition := range int64(4) {
			run(`INSERT INTO archive (archive_id, size, mtime, quick, scan, format, version, mount_point, encrypted, complete, lineage_id, edition, row_bits, row_base)
				VALUES (?1, 0, 0, x'', '', '', '', '', 0, 1, 1, ?2, 8, 1)`, edition+1, edition)
			last := place{}
			for _, row := range rows {
				if row.since > edition || row.until != 0 && row.until <= edition {
					continue
				}
				if edition > 0 && r.IntN(3) == 0 {
					last.row, last.offsets = row.row, last.offsets+r.Int64N(1<<(2+r.IntN(10)*int(seed)))-r.Int64N(1<<(2+r.IntN(10)*int(seed)))
					if r.IntN(50) == 0 {
						last.ordinals++
					}
					run("INSERT INTO archive_shift VALUES (?, ?, ?, ?)", edition+1, last.row, last.ordinals, last.offsets)
				}
				want = append(want, fmt.Sprint(edition+1, row.row, row.row>>8-1+last.ordinals, row.row*10+last.offsets))
			}
		}
		for _, row := range rows {
			run("INSERT INTO entry_row (lineage_id, row, offset, stored, size, method_id, flags, since, until) VALUES (1, ?, ?, 0, 0, 1, 0, ?, ?)",
				row.row, row.row*10, row.since, row.until)
		}
		script, err := scripts.ReadFile(shiftScript)
		if err != nil {
			t.Fatal(err)
		}
		run(string(script))
		inTransaction(t, db, func(tx *sql.Tx) error { return views.Create(ctx, tx) })
		got := texts(t, db, "SELECT format('%d %d %d %d', archive_id, row, ordinal, offset) FROM entry ORDER BY archive_id, row")
		if !slices.Equal(got, want) {
			for i := range want {
				if i >= len(got) || got[i] != want[i] {
					t.Fatalf("seed %d: entry %d of %d: got %s, want %s (archive, row, ordinal, offset)", seed, i, len(want), got[min(i, len(got)-1)], want[i])
				}
			}
		}
		packed := texts(t, db, "SELECT count(*) || ' ' || max(length(parts) / (width + 2)) FROM archive_shift")
		t.Logf("seed %d: %d rows of entries, packed into %s", seed, len(want), packed)
	}
}

type spanned struct{ row, since, until int64 }

// randomRows returns rows of a lineage: some end, and the next takes their place; some
// lie far apart.
func randomRows(r *rand.Rand) (rows []spanned) {
	at := int64(2) << 8
	for range 900 {
		row := spanned{row: at}
		for r.IntN(3) == 0 && row.since < 3 {
			row.until = row.since + 1 + r.Int64N(3-row.since)
			rows = append(rows, row)
			row = spanned{row: row.row + 1, since: row.until}
		}
		rows = append(rows, row)
		if at += 256; r.IntN(300) == 0 {
			at += 40000 << 8
		}
	}
	return rows
}
