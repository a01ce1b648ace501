// Package layout makes the tables and views of a catalog, and refuses a file that has others.
package layout

import (
	"context"
	"database/sql"
	"database/sql/driver"
	_ "embed"
	"fmt"
	"iter"
	"regexp"
	"strings"
	"sync"

	"pakdb/internal/search"
	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/views"
)

// ApplicationID marks a SQLite file as a pakdb catalog: "PAKD".
const ApplicationID = 0x50414b44

// Version is the number of the layout, which a catalog has as its user_version. Each
// change of schema.sql or of a view raises it: a catalog of another layout is refused,
// and its builds are indexed again.
const Version = 40

//go:embed schema.sql
var tables string

// Fill makes an empty database a catalog. Connections that open it later can use the
// views.
func Fill(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(ctx, tables); err != nil {
		return fmt.Errorf("tables: %w", err)
	}
	if err := views.Create(ctx, tx); err != nil {
		return fmt.Errorf("views: %w", err)
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %d", Version, ApplicationID)); err != nil {
		return err
	}
	return tx.Commit()
}

// Index is an index over all rows of a table, without which queries only take longer.
type Index struct{ Name, Table, Columns, SQL string }

var indexLine = regexp.MustCompile(`^CREATE INDEX (\w+) ON (\w+) \((.*)\);`)

// Indexes returns the indexes over all rows of a table.
func Indexes() (all []Index) {
	for _, text := range statements(tables) {
		text, _, _ = strings.Cut(text, "\n")
		if x := indexLine.FindStringSubmatch(text); x != nil {
			all = append(all, Index{x[1], x[2], x[3], strings.TrimSuffix(x[0], ";")})
		}
	}
	return all
}

// Create returns a statement that makes the index unless it is there.
func (x *Index) Create() string { return strings.Replace(x.SQL, "INDEX", "INDEX IF NOT EXISTS", 1) }

// Column is a column of a table that every catalog has, and the table that it refers to, "" for
// none.
type Column struct{ Table, Name, To string }

var columnLine = regexp.MustCompile(`^    (\w+) +(?:INTEGER|REAL|TEXT|BLOB|ANY)\b(?:.*? REFERENCES (\w+))?`)

// Columns returns the columns of all tables, in their order.
var Columns = sync.OnceValue(func() (all []Column) {
	for x, text := range statements(tables) {
		text, _, _ = strings.Cut(text, "\n)")
		for line := range strings.Lines(text) {
			if c := columnLine.FindStringSubmatch(line); c != nil && x[1] == "TABLE" {
				all = append(all, Column{x[2], c[1], c[2]})
			}
		}
	}
	return all
})

// CheckVersion returns an error for a user_version that is not [Version].
func CheckVersion(version int64) error {
	switch {
	case version < 0:
		return fmt.Errorf("%w: layout %d", conn.ErrNotCatalog, version)
	case version > Version:
		return fmt.Errorf("%w: layout %d, this pakdb reads layout %d", conn.ErrTooNew, version, Version)
	case version < Version:
		return fmt.Errorf("%w: layout %d, this pakdb reads layout %d", conn.ErrTooOld, version, Version)
	}
	return nil
}

// made is what pakdb makes in a catalog.
type made struct {
	texts  map[string]string // the scripts from the statement on that makes a name, which a semicolon ends
	kinds  map[string]string // "TABLE", "INDEX", "TRIGGER" or "VIEW" by name in lower case
	needed []string          // names of what no catalog lacks
}

var statement = regexp.MustCompile(`^CREATE (?:UNIQUE |VIRTUAL )?(TABLE|INDEX|TRIGGER|VIEW) '?(\w+)`)

var ours = sync.OnceValues(func() (*made, error) {
	seen, err := views.Script()
	if err != nil {
		return nil, err
	}
	optional := strings.Join(search.Tables(), ";\n") + ";\n"
	m := &made{texts: map[string]string{}, kinds: map[string]string{}}
	for x, text := range statements(tables + "\n" + seen) {
		m.kinds[x[2]], m.texts[x[2]] = x[1], text
		if !strings.HasPrefix(x[0], "CREATE INDEX") { // without them queries only take longer
			m.needed = append(m.needed, x[2])
		}
	}
	for x, text := range statements(optional) {
		m.kinds[x[2]], m.texts[x[2]] = x[1], text
	}
	return m, nil
})

// statements iterates over the kind and name of each thing that a script makes, with the script
// from there on. A search of the whole script by an expression takes five milliseconds, of each command.
func statements(script string) iter.Seq2[[]string, string] {
	return func(yield func([]string, string) bool) {
		at := 0
		for line := range strings.Lines(script) {
			if strings.HasPrefix(line, "CREATE ") {
				if x := statement.FindStringSubmatch(line); x != nil && !yield(x, script[at:]) {
					return
				}
			}
			at += len(line)
		}
	}
}

// Check returns an error if a catalog is of another layout, or of class
// [conn.ErrForeign] if another program changed its tables, or added what runs when pakdb
// writes: a trigger, or an index that keeps rows out. It names the first such thing.
// Other tables, views and indexes that somebody added are admitted. It must be called
// before the connection is used for anything else.
func Check(ctx context.Context, c driver.Conn) error {
	m, err := ours()
	if err != nil {
		return err
	}
	q := c.(driver.QueryerContext)
	var version int64
	if err := conn.EachOn(ctx, q, "PRAGMA user_version", nil, func(v []driver.Value) { version, _ = v[0].(int64) }); err != nil {
		return err
	}
	if err := CheckVersion(version); err != nil {
		return err
	}
	found := ""
	seen := map[string]bool{}
	err = conn.EachOn(ctx, q, "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY rowid", nil, func(v []driver.Value) {
		kind, name, table, text := str(v[0]), str(v[1]), str(v[2]), str(v[3])
		seen[name] = true
		if found == "" {
			found = m.foreign(kind, name, table, text)
		}
	})
	if err != nil {
		return err
	}
	for _, name := range m.needed {
		if found == "" && !seen[name] {
			found = fmt.Sprintf("%s %s is missing", strings.ToLower(m.kinds[name]), name)
		}
	}
	if found != "" {
		return fmt.Errorf("%w: %s", conn.ErrForeign, found)
	}
	return nil
}

// foreign says what is wrong with a row of sqlite_schema, "" for nothing.
func (m *made) foreign(kind, name, table, text string) string {
	rest, same := strings.CutPrefix(m.texts[strings.ToLower(name)], text)
	switch {
	case text != "" && same && strings.HasPrefix(rest, ";"):
		return ""
	case kind == "trigger":
		return fmt.Sprintf("trigger %q on %q", name, table)
	case strings.HasPrefix(strings.ToLower(name), "sqlite_"): // keys of tables, statistics
		return ""
	case m.kinds[strings.ToLower(name)] != "":
		return fmt.Sprintf("%s %q is not the one that pakdb makes", kind, name)
	case kind == "index" && m.kinds[strings.ToLower(table)] != "" && strings.Contains(strings.ToLower(text), "unique"):
		return fmt.Sprintf("unique index %q on %q", name, table)
	}
	return ""
}

func str(v driver.Value) string {
	s, _ := v.(string)
	return s
}
