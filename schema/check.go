package schema

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/file"
	"pakdb/schema/internal/layout"
)

// Finding is something that is wrong with a catalog.
type Finding struct {
	Check  string // one of the steps of [Check]
	Build  string // label of the build that it concerns; "" for the catalog
	Detail string
}

// Checked is what [Check] found out beside its findings.
type Checked struct {
	Readable    []string // labels of builds of which all rows can be read, oldest first
	Unreadable  []string
	Interrupted bool // an interrupted scan left rows, which the next one takes over or removes
}

// maxFindings bounds what one step reports: a page that is lost may concern any
// number of rows.
const maxFindings = 20

// step is a part of a check. Its query yields a label or NULL, and a text.
type step struct{ name, query string }

//go:embed check.sql
var checkScript string

// checkSteps reads the queries of check.sql: each begins with "-- name: what it
// finds".
func checkSteps() (steps []step) {
	for _, text := range strings.Split(checkScript, "\n-- step ")[1:] {
		head, query, _ := strings.Cut(text, "\n")
		name, _, _ := strings.Cut(head, ":")
		steps = append(steps, step{name, strings.TrimRight(query, ";\n")})
	}
	return steps
}

// Check reads a whole catalog and reports its faults: pages and
// indexes (integrity), references between tables (references), the marks of a
// catalog (version, views), and what pakdb itself relies on (check.sql); at last it
// reads all rows of each build. progress gets the name of each step. The catalog
// stays as it is, except that what a killed process left is completed first.
//
// SQLite has no checksums: a number that was replaced by another one is found only
// where something else shows what it was. Names and contents have keys, and
// archives counts; offsets and times have nothing.
//
// An error means that the check could not be made; what is damaged is a finding.
func Check(ctx context.Context, path string, report func(Finding), progress func(step string)) (Checked, error) {
	path = file.Resolve(path)
	c := &checker{ctx: ctx, report: report, progress: progress}
	switch err := file.IsStored(ctx, path); {
	case errors.Is(err, ErrDamaged):
		report(Finding{Check: "file", Detail: conn.Flat(err.Error())})
		return c.found, nil
	case err != nil:
		return c.found, named(path, err)
	}
	c.db = conn.Open(path, conn.ToCheck)
	defer func() { _ = c.db.Close() }()
	err := c.run()
	return c.found, cmp.Or(named(path, err), ctx.Err())
}

type checker struct {
	ctx      context.Context
	db       *sql.DB
	report   func(Finding)
	progress func(string)
	found    Checked
}

func (c *checker) run() error {
	switch err := checkForeign(c.ctx, c.db); {
	case errors.Is(err, ErrForeign): // no query may read it
		c.report(Finding{Check: "schema", Detail: err.Error()})
		return nil
	case errors.Is(err, ErrTooOld), errors.Is(err, ErrTooNew):
		return err
	case err != nil:
		return c.finding("integrity", "", err)
	}
	for _, s := range checkSteps() {
		if err := c.step(s); err != nil {
			return err
		}
	}
	return c.builds()
}

// step runs a query for findings. That it cannot be run is one, unless it was
// interrupted or the disk failed.
func (c *checker) step(s step) error {
	c.progress(s.name)
	n := 0
	return c.finding(s.name, "", conn.Each(c.ctx, c.db, func(rows *sql.Rows) error {
		var build, detail sql.NullString
		err := rows.Scan(&build, &detail)
		if n++; n > maxFindings {
			detail.String = "and more"
		}
		if err == nil {
			c.report(Finding{Check: s.name, Build: build.String, Detail: conn.Flat(cmp.Or(detail.String, "a value is NULL that cannot be"))})
		}
		return err
	}, fmt.Sprintf("SELECT * FROM (%s) LIMIT %d", s.query, maxFindings+1)))
}

// finding turns an error of a damaged catalog into a finding.
func (c *checker) finding(check, build string, err error) error {
	switch {
	case err == nil:
		return nil
	case c.ctx.Err() != nil:
		return c.ctx.Err()
	}
	if class := conn.Classify(err); errors.Is(class, ErrDisk) || errors.Is(class, ErrBusy) || errors.Is(class, ErrCannotOpen) || conn.Code(err) == 0 {
		return err
	}
	c.report(Finding{Check: check, Build: build, Detail: "cannot be read: " + conn.Flat(err.Error())})
	return nil
}

// builds reads everything that the catalog has of each build.
func (c *checker) builds() error {
	labels, err := FirstTexts(c.ctx, c.db, "SELECT label FROM x_build WHERE complete = 1 ORDER BY build_id")
	if err != nil {
		return c.finding("builds", "", err)
	}
	for _, label := range labels {
		c.progress("build " + label)
		err := c.read(label)
		if err == nil {
			c.found.Readable = append(c.found.Readable, label)
			continue
		}
		c.found.Unreadable = append(c.found.Unreadable, label)
		if err := c.finding("builds", label, err); err != nil {
			return err
		}
	}
	err = c.db.QueryRowContext(c.ctx, "SELECT EXISTS (SELECT 1 FROM x_build WHERE complete = 0)").Scan(&c.found.Interrupted)
	return c.finding("builds", "", err)
}

// read reads every column of what a build shows.
func (c *checker) read(label string) error {
	for _, view := range []string{"entries", "files", "problems"} {
		if err := conn.Each(c.ctx, c.db, func(*sql.Rows) error { return nil }, "SELECT * FROM "+view+" WHERE build = ?", label); err != nil {
			return err
		}
	}
	return nil
}

// QuickSize is the size up to which all pages of a catalog are checked before it is
// written to: SQLite checks 300 MB a second, so that it takes less than one.
const QuickSize = 256 << 20

// wholeSize is the size up to which that check compares indexes with their tables as
// well, of which SQLite does 100 MB a second.
const wholeSize = 32 << 20

// checkForeign is [layout.Check] for a connection of db.
func checkForeign(ctx context.Context, db *sql.DB) error {
	c, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	err = c.Raw(func(c any) error { return layout.Check(ctx, c.(driver.Conn)) })
	return errors.Join(err, c.Close())
}

// quickCheck returns when all pages of the catalog at path were checked: now, unless it has a seal
// ([Catalog.seal]) from a check before. db reads the catalog. It returns [ErrDamaged], with what was found
// first, for a catalog whose pages do not fit together, and the errors of [layout.Check]. It sees no value that was
// replaced by another one of the same length: SQLite has no checksums. The time is zero
// for a catalog that is too large.
func quickCheck(ctx context.Context, db *sql.DB, path string) (checked time.Time, err error) {
	if err := checkForeign(ctx, db); err != nil {
		return time.Time{}, err
	}
	st, err := os.Stat(path)
	if err != nil || st.Size() > QuickSize {
		return time.Time{}, err
	}
	if checked = sealed(ctx, db, st.ModTime()); !checked.IsZero() {
		return checked, nil
	}
	pragma := "PRAGMA quick_check(1)"
	if st.Size() <= wholeSize {
		pragma = "PRAGMA integrity_check(1)"
	}
	var result string
	if err := db.QueryRowContext(ctx, pragma).Scan(&result); err != nil {
		return time.Time{}, err
	}
	if result != "ok" {
		return time.Time{}, fmt.Errorf("%w: %s", ErrDamaged, conn.Flat(result))
	}
	return time.Now(), nil
}

// sealTime is how long a check of all pages holds for a file that only pakdb writes to.
// What a disk damages does not change the time of a file, and comes with time, not with
// the number of commands.
const sealTime = 24 * time.Hour

const sealSQL = `INSERT INTO x_seal (only_row, file_time, checked_time) VALUES (1, ?, ?)
	ON CONFLICT (only_row) DO UPDATE SET file_time = excluded.file_time, checked_time = excluded.checked_time`

// seal says in the catalog that its pages were checked and what time its file will
// have. Writing to the file, and most ways to copy it, give it another one. A file system that
// does not keep the time has the file checked each time. It returns the zero time for a catalog
// that is to be checked when it is opened again: one that was not, or in which a transaction has
// failed, whatever for.
func (c *Catalog) seal() (at time.Time) {
	if c.checked.IsZero() || c.writer.Failed {
		return time.Time{}
	}
	at = time.UnixMicro(time.Now().UnixMicro()) // all file systems that matter keep as much
	err := c.writer.InTx(context.Background(), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(context.Background(), sealSQL, at.UnixMicro(), c.checked.UnixMicro())
		return err
	})
	if err != nil {
		return time.Time{}
	}
	return at
}

// sealed returns when the pages of a file with a time were checked, if nothing but pakdb
// has written to it since and that was not too long ago. Otherwise, and whenever
// something cannot be read, it returns the zero time.
func sealed(ctx context.Context, db *sql.DB, fileTime time.Time) time.Time {
	var at, micro int64
	err := db.QueryRowContext(ctx, "SELECT file_time, checked_time FROM x_seal").Scan(&at, &micro)
	if err != nil || !fileTime.Equal(time.UnixMicro(at)) {
		return time.Time{}
	}
	checked := time.UnixMicro(micro)
	if age := time.Since(checked); age < 0 || age >= sealTime {
		return time.Time{}
	}
	return checked
}
