package query

import (
	"bufio"
	"database/sql/driver"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"pakdb/internal/terminal"
)

// records writes a record a row, in a format that has the names of columns as its first record.
type records struct {
	texts
	fields []string
	field  func(v driver.Value) string
	write  func(fields []string) error
}

func (r *records) head(columns []string) error {
	r.fields = make([]string, len(columns))
	if r.NoHeader {
		return nil
	}
	names := make([]driver.Value, len(columns))
	for i, name := range columns {
		names[i] = name
	}
	return r.row(names)
}

func (r *records) row(values []driver.Value) error {
	for i, v := range values {
		r.fields[i] = r.field(v)
	}
	return r.write(r.fields)
}

// newCSV writes RFC 4180. The buffer is large enough that csv.Writer makes none of its own.
func newCSV(t texts) *records {
	w := csv.NewWriter(t.buf)
	return &records{texts: t, field: func(v driver.Value) string { return t.escaped(text(v, t.Null), "\n\t") }, write: func(fields []string) error {
		if len(fields) == 1 && fields[0] == "" { // readers skip empty lines
			_, err := t.buf.WriteString("\"\"\n")
			return err
		}
		return w.Write(fields)
	}}
}

var tsvEscapes = strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

// newTSV writes one line a row, whatever the cells hold, as PostgreSQL's COPY. A backslash is doubled
// before others are put in for a terminal.
func newTSV(t texts) *records {
	return &records{texts: t, field: func(v driver.Value) string {
		if v == nil {
			return t.Null // as given: \N is what COPY writes
		}
		return t.escaped(tsvEscapes.Replace(text(v, "")), "")
	}, write: func(fields []string) error {
		_, _ = t.buf.WriteString(strings.Join(fields, "\t"))
		return t.buf.WriteByte('\n')
	}}
}

// jsonRows writes objects with the columns in their order: as one array, or as
// JSON lines.
type jsonRows struct {
	buf                        *bufio.Writer
	first, between, last, none string   // written before the first row, between two, and at the end
	keys                       [][]byte // quoted, with the colon and what is before it
	begun                      bool
	line                       []byte
}

func (j *jsonRows) head(columns []string) error {
	j.begun, j.keys = false, nil
	sep := "{"
	valid := make([]string, len(columns)) // names that differ in bytes outside of UTF-8 alone are one name in JSON
	for i, name := range columns {
		valid[i] = strings.ToValidUTF8(name, "\uFFFD")
	}
	for _, name := range unique(valid) {
		key := append(appendString([]byte(sep), name), ':')
		j.keys = append(j.keys, key)
		sep = ","
	}
	return nil
}

// unique numbers the names that occur again: name, name_2. A number that is a
// name already is passed over.
func unique(names []string) []string {
	taken := map[string]bool{}
	for _, name := range names {
		taken[name] = true
	}
	seen := map[string]bool{}
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = name
		for n := 2; seen[name] && taken[all[i]]; n++ {
			all[i] = name + "_" + strconv.Itoa(n)
		}
		seen[name], taken[all[i]] = true, true
	}
	return all
}

func (j *jsonRows) row(values []driver.Value) error {
	b := append(j.line[:0], j.between...)
	if !j.begun {
		b = append(b[:0], j.first...)
	}
	for i, v := range values {
		b = appendJSON(append(b, j.keys[i]...), v)
	}
	b = append(b, '}')
	j.begun, j.line = true, b
	_, err := j.buf.Write(b)
	return err
}

func (j *jsonRows) end() error {
	closing := j.none
	if j.begun {
		closing = j.last
	}
	_, err := j.buf.WriteString(closing)
	return err
}

func appendJSON(b []byte, v driver.Value) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case float64:
		return append(b, real(v)...)
	case []byte:
		b = append(b, '"')
		b = hex.AppendEncode(b, v)
		return append(b, '"')
	}
	return appendString(b, text(v, ""))
}

// appendString quotes s; bytes that are no UTF-8 become U+FFFD, for JSON has no
// other way. Control characters of Latin-1 are escapes too: terminals obey U+009B.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r >= ' ' && r != '"' && r != '\\' && (r < 0x7f || r > 0x9f) && r != utf8.RuneError && r != 0x2028 && r != 0x2029:
			b = utf8.AppendRune(b, r)
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case strings.ContainsRune("\n\r\t", r):
			b = append(b, strconv.QuoteRune(r)[1:3]...)
		default:
			b = fmt.Appendf(b, `\u%04x`, r)
		}
	}
	return append(b, '"')
}

// markdown writes a table of GitHub Flavored Markdown. The first row decides
// which columns are numbers, so that nothing is held back.
type markdown struct {
	texts
	names []string
	begun bool
}

func (m *markdown) head(columns []string) error {
	m.names, m.begun = columns, false
	return nil
}

func (m *markdown) row(values []driver.Value) error {
	m.begin(values)
	for i, v := range values {
		m.cell(m.shown(m.names[i], v))
	}
	_, err := m.buf.WriteString("|\n")
	return err
}

// begin writes the header, once. Markdown has no table without one, so it is
// empty when none is wanted.
func (m *markdown) begin(values []driver.Value) {
	if m.begun {
		return
	}
	m.begun = true
	rule := ""
	for i, name := range m.names {
		if m.NoHeader {
			name = ""
		}
		m.cell(name)
		if values != nil && isNumber(values[i]) {
			rule += "| ---: "
		} else {
			rule += "| --- "
		}
	}
	_, _ = m.buf.WriteString("|\n" + rule + "|\n") // an error stays with buf
}

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "\r\n", "<br>", "\n", "<br>", "`", "\\`",
	"*", `\*`, "_", `\_`, "<", "&lt;", "&", "&amp;", "[", `\[`)

func (m *markdown) cell(s string) {
	_, _ = m.buf.WriteString("| " + terminal.Escape(markdownEscapes.Replace(s), "") + " ")
}

func (m *markdown) end() error {
	m.begin(nil)
	return nil
}

// lines writes a column a line. A value of several lines goes on below itself.
type lines struct {
	texts
	columns []string // without what aligns them
	names   []string
	first   bool
}

func (l *lines) head(columns []string) error {
	widest := 0
	for _, c := range columns {
		widest = max(widest, terminal.Width(terminal.Escape(c, "")))
	}
	l.columns, l.names, l.first = columns, l.names[:0], true
	for _, c := range columns {
		c = terminal.Escape(c, "")
		l.names = append(l.names, strings.Repeat(" ", widest-terminal.Width(c))+c+" = ")
	}
	return nil
}

func (l *lines) row(values []driver.Value) error {
	if !l.first {
		_ = l.buf.WriteByte('\n')
	}
	l.first = false
	for i, v := range values {
		s := terminal.Escape(l.shown(l.columns[i], v), "\n\t")
		indent := ""
		if !l.NoHeader {
			_, _ = l.buf.WriteString(l.bold(l.names[i]))
			indent = strings.Repeat(" ", terminal.Width(l.names[i]))
		}
		_, _ = l.buf.WriteString(strings.ReplaceAll(s, "\n", "\n"+indent))
		_ = l.buf.WriteByte('\n')
	}
	return nil
}
