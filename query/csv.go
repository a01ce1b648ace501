package query

import (
	"database/sql/driver"
	"encoding/csv"
	"strings"
)

// csvRows writes RFC 4180. What it wraps is buffered already, so csv.Writer
// writes into that buffer.
type csvRows struct {
	texts
	w      *csv.Writer
	fields []string
}

func newCSV(t texts) *csvRows { return &csvRows{texts: t, w: csv.NewWriter(t.buf)} }

func (c *csvRows) head(columns []string) error {
	c.fields = make([]string, len(columns))
	if !c.header {
		return nil
	}
	names := make([]string, len(columns))
	for i, name := range columns {
		names[i] = c.raw(name)
	}
	return c.write(names)
}

func (c *csvRows) row(values []driver.Value) error {
	for i, v := range values {
		c.fields[i] = c.raw(v)
	}
	return c.write(c.fields)
}

// write quotes a lone empty field: readers skip empty lines.
func (c *csvRows) write(fields []string) error {
	if len(fields) == 1 && fields[0] == "" {
		_, err := c.buf.WriteString("\"\"\n")
		return err
	}
	return c.w.Write(fields)
}

func (c *csvRows) end() error { return nil }

// tsv writes one line a row, whatever the cells hold, as PostgreSQL's COPY.
type tsv struct{ texts }

func (t *tsv) head(columns []string) error {
	if !t.header {
		return nil
	}
	for i, c := range columns {
		t.cell(i, t.escaped(c))
	}
	return t.buf.WriteByte('\n')
}

func (t *tsv) row(values []driver.Value) error {
	for i, v := range values {
		if v == nil {
			t.cell(i, t.null) // as given: \N is what COPY writes
			continue
		}
		t.cell(i, t.escaped(v))
	}
	return t.buf.WriteByte('\n')
}

func (t *tsv) cell(i int, s string) {
	if i > 0 {
		_ = t.buf.WriteByte('\t')
	}
	_, _ = t.buf.WriteString(s)
}

func (t *tsv) end() error { return nil }

var tsvEscapes = strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

// escaped writes a value that is not NULL. A backslash is doubled before others are
// put in for a terminal.
func (t *tsv) escaped(v driver.Value) string {
	s := replace(tsvEscapes, "\\\t\n\r", text(v, ""))
	if t.escape {
		return visible(s, "")
	}
	return s
}
