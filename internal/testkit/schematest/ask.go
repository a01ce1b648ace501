package schematest

import (
	"database/sql/driver"
	"errors"
	"io"
	"testing"

	"pakdb/schema"
)

// Ask returns the rows of a statement as pakdb runs it, which has what is packed in the
// file, as the offsets of entries. Any other program has NULL there, as [Open] has.
func Ask(t testing.TB, path, text string, values ...any) (rows [][]any) {
	t.Helper()
	r, err := schema.OpenReadOnlyWith(t.Context(), path, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	var named []driver.NamedValue
	for i, v := range values {
		v, err := driver.DefaultParameterConverter.ConvertValue(v)
		if err != nil {
			t.Fatal(err)
		}
		named = append(named, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	c, err := r.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	err = c.Raw(func(raw any) error {
		c := raw.(driver.Conn)
		end, err := r.Statement(t.Context(), c, text, named)
		if err != nil {
			return err
		}
		found, err := c.(driver.QueryerContext).QueryContext(t.Context(), text, named)
		if err == nil {
			err = errors.Join(drain(found, &rows), found.Close())
		}
		return end(err)
	})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return rows
}

func drain(found driver.Rows, rows *[][]any) error {
	values := make([]driver.Value, len(found.Columns()))
	for {
		if err := found.Next(values); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		row := make([]any, len(values))
		for i := range values {
			row[i] = values[i]
		}
		*rows = append(*rows, row)
	}
}
