package query

import (
	"database/sql/driver"
	"strings"
)

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
		if !m.header {
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
	_, _ = m.buf.WriteString("| " + visible(replace(markdownEscapes, "\\|\n`*_<&[", s), "") + " ")
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
		widest = max(widest, width(visible(c, "")))
	}
	l.columns, l.names, l.first = columns, l.names[:0], true
	for _, c := range columns {
		c = visible(c, "")
		l.names = append(l.names, strings.Repeat(" ", widest-width(c))+c+" = ")
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
		if l.header {
			_, _ = l.buf.WriteString(l.bold(l.names[i]))
			indent = strings.Repeat(" ", width(l.names[i]))
		}
		_, _ = l.buf.WriteString(strings.ReplaceAll(s, "\n", "\n"+indent))
		_ = l.buf.WriteByte('\n')
	}
	return nil
}

func (l *lines) end() error { return nil }
