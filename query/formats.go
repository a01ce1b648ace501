package query

import (
	"bufio"
	"database/sql/driver"
	"encoding/csv"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode/utf8"

	"pakdb/internal/terminal"
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
	if c.NoHeader {
		return nil
	}
	for i, name := range columns {
		c.fields[i] = c.raw(name)
	}
	return c.write(c.fields)
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

// tsv writes one line a row, whatever the cells hold, as PostgreSQL's COPY.
type tsv struct{ texts }

func (t *tsv) head(columns []string) error {
	if t.NoHeader {
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
			t.cell(i, t.Null) // as given: \N is what COPY writes
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

var tsvEscapes = strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

// escaped writes a value that is not NULL. A backslash is doubled before others are
// put in for a terminal.
func (t *tsv) escaped(v driver.Value) string {
	s := tsvEscapes.Replace(text(v, ""))
	if t.Escape {
		return visible(s, "")
	}
	return s
}

// jsonRows writes objects with the columns in their order: as one array, or as
// JSON lines.
type jsonRows struct {
	buf   *bufio.Writer
	array bool
	keys  [][]byte // quoted, with the colon and what is before it
	n     int64
	line  []byte
}

func (j *jsonRows) head(columns []string) error {
	j.n, j.keys = 0, nil
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
	b := j.line[:0]
	switch {
	case j.array && j.n == 0:
		b = append(b, "[\n"...)
	case j.array:
		b = append(b, ",\n"...)
	case j.n > 0:
		b = append(b, '\n')
	}
	for i, v := range values {
		b = appendJSON(append(b, j.keys[i]...), v)
	}
	b = append(b, '}')
	j.n++
	j.line = b
	_, err := j.buf.Write(b)
	return err
}

func (j *jsonRows) end() error {
	closing := ""
	switch {
	case j.array && j.n == 0:
		closing = "[]\n"
	case j.array:
		closing = "\n]\n"
	case j.n > 0:
		closing = "\n"
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
	start := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r >= ' ' && r != '"' && r != '\\' && (r < 0x7f || r > 0x9f) && (r != utf8.RuneError || n > 1) && r != 0x2028 && r != 0x2029 {
			i += n
			continue
		}
		b = appendEscape(append(b, s[start:i]...), r)
		i += n
		start = i
	}
	return append(append(b, s[start:]...), '"')
}

func appendEscape(b []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(b, '\\', byte(r))
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	case '\t':
		return append(b, `\t`...)
	}
	const digits = "0123456789abcdef"
	return append(b, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
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
	if err := m.begin(values); err != nil {
		return err
	}
	for i, v := range values {
		m.cell(m.shown(m.names[i], v))
	}
	_, err := m.buf.WriteString("|\n")
	return err
}

// begin writes the header, once. Markdown has no table without one, so it is
// empty when none is wanted.
func (m *markdown) begin(values []driver.Value) error {
	if m.begun {
		return nil
	}
	m.begun = true
	for _, name := range m.names {
		if m.NoHeader {
			name = ""
		}
		m.cell(name)
	}
	_, _ = m.buf.WriteString("|\n")
	for i := range m.names {
		rule := "| --- "
		if values != nil && isNumber(values[i]) {
			rule = "| ---: "
		}
		_, _ = m.buf.WriteString(rule)
	}
	_, err := m.buf.WriteString("|\n")
	return err
}

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "\r\n", "<br>", "\n", "<br>", "`", "\\`",
	"*", `\*`, "_", `\_`, "<", "&lt;", "&", "&amp;", "[", `\[`)

func (m *markdown) cell(s string) {
	_, _ = m.buf.WriteString("| " + visible(markdownEscapes.Replace(s), "") + " ")
}

func (m *markdown) end() error { return m.begin(nil) }

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
		widest = max(widest, terminal.Width(visible(c, "")))
	}
	l.columns, l.names, l.first = columns, l.names[:0], true
	for _, c := range columns {
		c = visible(c, "")
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
		s := visible(l.shown(l.columns[i], v), "\n\t")
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
