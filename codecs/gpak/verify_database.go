package gpak

import (
	"context"
	"database/sql"
	"errors"

	"pakdb/codecs"
)

// Verify recomputes the path hashes, compares the schema with the known one,
// and has SQLite check the pages and indexes.
func (a *sqlitePak) Verify(ctx context.Context, report func(*codecs.FormatError)) error {
	if err := a.verifyRows(ctx, report); err != nil {
		return err
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	if a.db == nil {
		return a.fail("", "database", -1, errClosed)
	}
	for _, check := range []func(context.Context, func(*codecs.FormatError)) error{
		a.verifyVersion, a.verifyIndex, a.verifyPages,
	} {
		if err := check(ctx, report); err != nil {
			return err
		}
	}
	return nil
}

func (a *sqlitePak) verifyRows(ctx context.Context, report func(*codecs.FormatError)) error {
	seen := make(map[int64]int, len(a.rows))
	for i := range a.rows {
		if err := everyThousand(ctx, i); err != nil {
			return err
		}
		r := &a.rows[i]
		if h := Hash(r.path); r.err == nil && h != uint64(r.hash) {
			report(a.fail(r.path, "i", -1, codecs.Errorf(codecs.ErrCorrupt, "%016x, the name has %016x", uint64(r.hash), h)))
		}
		if first, twice := seen[r.hash]; twice && r.err == nil {
			report(a.fail(r.path, "i", -1, codecs.Errorf(codecs.ErrCorrupt, "%s", sameHash(a.rows[first].path, r.path))))
		} else if r.err == nil {
			seen[r.hash] = i
		}
	}
	return nil
}

// verifyVersion checks that ver has its one row with the known text.
func (a *sqlitePak) verifyVersion(ctx context.Context, report func(*codecs.FormatError)) error {
	var note sql.NullString
	var more bool
	err := a.db.QueryRowContext(ctx, `SELECT s, (SELECT count(*) FROM (SELECT 1 FROM ver LIMIT 2)) > 1 FROM ver LIMIT 1`).Scan(&note, &more)
	if err != nil {
		return a.failSQL(ctx, "", "ver.s", err)
	}
	if want := layoutOf(a.version).note; note.String != want {
		report(a.fail("", "ver.s", -1, codecs.Errorf(codecs.ErrNonStrict, "%q, known files say %q", note.String, want)))
	}
	if more {
		report(a.fail("", "ver", -1, codecs.Errorf(codecs.ErrNonStrict, "more than one row")))
	}
	return nil
}

// verifyIndex checks that names are unique without regard to case, which the
// game relies on to find them.
func (a *sqlitePak) verifyIndex(ctx context.Context, report func(*codecs.FormatError)) error {
	var n int
	err := a.db.QueryRowContext(ctx, `SELECT count(*) FROM pragma_index_list('data_tbl') AS list, pragma_index_xinfo(list.name) AS col
		WHERE list."unique" = 1 AND list.partial = 0 AND col.seqno = 0 AND col.name = 'n' COLLATE NOCASE AND upper(col.coll) = 'NOCASE'`).Scan(&n)
	if err != nil {
		return a.failSQL(ctx, "", "index", err)
	}
	if n == 0 {
		report(a.fail("", "index", -1, codecs.Errorf(codecs.ErrNonStrict, "n has no unique index that ignores case")))
	}
	return nil
}

// maxIntegrityFindings is as many as SQLite looks for by default.
const maxIntegrityFindings = 100

func (a *sqlitePak) verifyPages(ctx context.Context, report func(*codecs.FormatError)) error {
	rows, err := a.db.QueryContext(ctx, `SELECT integrity_check FROM pragma_integrity_check LIMIT ?`, maxIntegrityFindings)
	if err != nil {
		return a.failSQL(ctx, "", "integrity", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return a.failSQL(ctx, "", "integrity", err)
		}
		if line != "ok" {
			report(a.fail("", "integrity", -1, codecs.Errorf(codecs.ErrCorrupt, "%s", line)))
		}
	}
	if err := rows.Err(); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return a.failSQL(ctx, "", "integrity", err)
	}
	return nil
}
