package page

import (
	"fmt"
	"html"
	"io"
	"strings"

	"pakdb/diff"
	"pakdb/internal/terminal"
)

// mostMarkdown is how many bytes a summary has at most. GitHub takes 65,536
// characters in a comment, and a byte is never more than one.
const mostMarkdown = 65_536

// leastRow is fewer bytes than any row of a table has.
const leastRow = 24

// foldAbove is how many changes are shown without folding their folders.
const foldAbove = 20

// Markdown writes a summary of a comparison for a pull request: its sums, and for each
// folder, those with most to download first, a table of five columns. each calls do
// for every change, and is called twice. sums is a line of text, size writes bytes.
func Markdown(w io.Writer, old, new string, damaged []string, sums string, size func(int64) string,
	each func(do func(*diff.Change) error) (int, error)) (n int, err error) {
	totals := diff.NewTotals("dir")
	if n, err = each(func(c *diff.Change) error { totals.Add(c); return nil }); err != nil {
		return n, err
	}
	m := &markdown{totals: totals, size: size, rows: map[string][]string{}}
	m.text.WriteString("### " + code(old) + " → " + code(new) + "\n\n" + plain(strings.ReplaceAll(sums, " -> ", " → ")) + "\n\n")
	m.damaged(damaged)
	// What cannot fit is not kept: builds may have a million changes.
	fits := mostMarkdown / leastRow
	for _, dir := range totals.Values() {
		if fits > 0 {
			m.rows[dir] = []string{}
		}
		fits -= int(totals.Get(dir).Count)
	}
	if _, err = each(m.add); err != nil {
		return n, err
	}
	for _, dir := range totals.Values() {
		if !m.folder(dir, n > foldAbove) {
			break
		}
	}
	if left := int64(n) - m.shown; left > 0 {
		fmt.Fprintf(&m.text, "\n**%d of %d changes are left out: a comment has at most 65,536 characters.**\n", left, n)
	}
	_, err = io.WriteString(w, m.text.String())
	return n, err
}

// mostDamaged is how many damaged archives are named.
const mostDamaged = 20

// damaged lists archives that are damaged as a whole.
func (m *markdown) damaged(archives []string) {
	for _, d := range archives[:min(len(archives), mostDamaged)] {
		m.text.WriteString("- **damaged archive:** " + code(d) + "\n")
	}
	if more := len(archives) - mostDamaged; more > 0 {
		fmt.Fprintf(&m.text, "- **%d more damaged archives**\n", more)
	}
	if len(archives) > 0 {
		m.text.WriteString("\n")
	}
}

type markdown struct {
	totals *diff.Totals
	size   func(int64) string
	rows   map[string][]string // of the folders that may fit
	text   strings.Builder
	shown  int64
}

func (m *markdown) add(c *diff.Change) error {
	t := diff.NewTotals("dir")
	t.Add(c)
	dir := t.Values()[0]
	rows, kept := m.rows[dir]
	if !kept || len(rows) > mostMarkdown/leastRow {
		return nil
	}
	name := code(strings.TrimPrefix(c.Name(), dir))
	if c.Kind == diff.Renamed {
		name = code(c.Old.Name()) + " → " + name
	}
	s := c.Sizes()
	m.rows[dir] = append(rows, fmt.Sprintf("| %s | %s | %s | %s | %s |\n", c.Kind, name, m.bytes(c.Old, s.OldSize), m.bytes(c.New, s.NewSize), m.size(s.Download)))
	return nil
}

// bytes is a size, nothing where there is no file.
func (m *markdown) bytes(f *diff.File, n int64) string {
	if f == nil {
		return ""
	}
	return m.size(n)
}

// folder writes as much of a folder as fits, and reports whether that is all.
func (m *markdown) folder(dir string, fold bool) bool {
	s := m.totals.Get(dir)
	title := "<code>" + html.EscapeString(terminal.Printable(dir)) + "</code>"
	if dir == "" {
		title = "(no folder)"
	}
	title = fmt.Sprintf("%s: %d, to download %s", title, s.Count, m.size(s.Download))
	head, tail := "**"+title+"**\n\n", "\n"
	if fold {
		head, tail = "<details><summary>"+title+"</summary>\n\n", "\n</details>\n\n"
	}
	head += "| change | name | before | after | download |\n|---|---|--:|--:|--:|\n"
	const note = 120 // the line that says what is left out
	room := mostMarkdown - note - m.text.Len() - len(head) - len(tail)
	rows := m.rows[dir]
	if len(rows) == 0 || len(rows[0]) > room {
		return false
	}
	m.text.WriteString(head)
	whole := int64(len(rows)) == s.Count
	for _, row := range rows {
		if room -= len(row); room < 0 {
			whole = false
			break
		}
		m.text.WriteString(row)
		m.shown++
	}
	m.text.WriteString(tail)
	return whole
}

// code is a name as it is: in a code span, or where that cannot have it, in an element
// with references for all that is markup.
func code(name string) string {
	name = terminal.Printable(name)
	if name != "" && name == strings.TrimSpace(name) && !strings.ContainsAny(name, "|`\\") {
		return "`" + name + "`"
	}
	return "<code>" + plain(name) + "</code>"
}

// plain is text in which nothing is markup, a mention or a link.
func plain(text string) string {
	var b strings.Builder
	for _, r := range terminal.Printable(text) {
		if strings.ContainsRune("|`\\<>&*_[]#@~!$\"'", r) {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
