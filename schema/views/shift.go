package views

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"modernc.org/sqlite"

	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/record"
)

// The catalog has view entry read the parts of archive_shift in SQL, which any program
// can run and which takes 7 µs an offset. Connections of pakdb have a function for it.
var partInSQL = regexp.MustCompile(`(?s)\(WITH RECURSIVE part\(n, step\).*?WHERE step = 0\)`)

const partByFunction = "pakdb_shift_part(s.parts, s.width, (r.row >> v.row_bits) - (s.row >> v.row_bits))"

// quick returns temporary views in place of those that have offsets of entries.
func quick(views []string) string {
	var b strings.Builder
	for _, view := range views {
		switch nameOf(view) {
		case "x_entry":
			view = partInSQL.ReplaceAllLiteralString(view, partByFunction)
		case "entries": // the stored one reads the stored view entry
		default:
			continue
		}
		b.WriteString(strings.Replace(view, "CREATE VIEW", "CREATE TEMP VIEW IF NOT EXISTS", 1) + ";\n")
	}
	return b.String()
}

// nameOf returns the name of a view, given its text.
func nameOf(view string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(view, "CREATE VIEW "), " ")
	return name
}

// Quick makes the temporary views of a connection that has no [Tables]. The connection is
// not restricted yet.
func Quick(ctx context.Context, c driver.Conn) error {
	found, err := c.(driver.QueryerContext).QueryContext(ctx, "SELECT sql FROM sqlite_schema WHERE type = 'view' AND name IN ('x_entry', 'entries')", nil)
	if err != nil {
		return err
	}
	var texts []string
	err = conn.Drain(ctx, found, func(v []driver.Value) {
		if text, ok := v[0].(string); ok {
			texts = append(texts, text)
		}
	})
	if err = errors.Join(err, found.Close()); err != nil {
		return err
	}
	if _, err = c.(driver.ExecerContext).ExecContext(ctx, "PRAGMA query_only = 0;\n"+quick(texts)+"\nPRAGMA query_only = 1", nil); err != nil {
		return fmt.Errorf("views: %w", err)
	}
	return nil
}

// RegisterFunctions makes the functions that temporary views call.
func RegisterFunctions(d *sqlite.Driver) error {
	return d.RegisterDeterministicScalarFunction("pakdb_shift_part", 3, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		packed, isBytes := args[0].([]byte)
		width, isWidth := args[1].(int64)
		at, isPlace := args[2].(int64)
		if !isBytes || !isWidth || !isPlace {
			return nil, fmt.Errorf("pakdb_shift_part: of %T, %T and %T", args[0], args[1], args[2])
		}
		return record.MoreAt(packed, width, at)
	})
}
