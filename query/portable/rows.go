package portable

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strconv"
	"strings"

	"pakdb/schema"
)

// statement returns the SELECT of the rows of a build, in no order. Its parameter is the
// label.
func (v *View) statement() string {
	var b strings.Builder
	b.WriteString("SELECT ")
	for i, c := range v.Columns {
		if i > 0 {
			b.WriteString(", ")
		}
		if c.SQL != "" {
			b.WriteString(c.SQL + " AS ")
		}
		b.WriteString(`"` + c.Name + `"`)
	}
	return b.String() + " FROM " + v.from
}

// Each calls row for each row of a build, sorted. The values are of type string, int64,
// float64 or nil, one for each column, and belong to row until it returns. Texts that are
// not UTF-8 have U+FFFD in place of what is not. Memory is bounded: rows that take more
// than [SortMemory] are sorted by way of a temporary file. An error of row ends it.
func (v *View) Each(ctx context.Context, db *sql.DB, build string, row func([]driver.Value) error) error {
	return v.EachIn(ctx, db, build, SortMemory, row)
}

// EachIn is [View.Each] with another limit of bytes that are sorted in memory.
func (v *View) EachIn(ctx context.Context, db *sql.DB, build string, memory int, row func([]driver.Value) error) (err error) {
	s, err := newSorter(v, memory)
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := s.close(); err == nil {
			err = closeErr
		}
	}()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var failed error
	err = schema.EachRow(ctx, db, v.statement(), []driver.Value{build}, func(values []driver.Value) {
		if failed == nil {
			if failed = s.add(values); failed != nil {
				stop()
			}
		}
	})
	if failed != nil {
		return failed
	}
	if err != nil {
		return fmt.Errorf("%s of build %s: %w", v.Name, build, err)
	}
	return s.each(ctx, row)
}

// typed returns a value as the column has it.
func (c *Column) typed(v driver.Value) (driver.Value, error) {
	switch v := v.(type) {
	case nil:
		if c.Null {
			return nil, nil
		}
	case string:
		if c.Type == Text {
			return strings.ToValidUTF8(v, "\uFFFD"), nil
		}
	case []byte:
		if c.Type == Text {
			return strings.ToValidUTF8(string(v), "\uFFFD"), nil
		}
	case int64:
		switch c.Type {
		case Int:
			return v, nil
		case Real:
			return float64(v), nil
		case Text:
			return strconv.FormatInt(v, 10), nil
		}
	case float64:
		if c.Type == Real {
			return v, nil
		}
	}
	return nil, fmt.Errorf("column %s: %T where %s is expected", c.Name, v, c.Type)
}
