package archive

import (
	"bufio"
	"strconv"
	"strings"
	"unicode/utf8"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs"
	"pakdb/internal/terminal"
)

// longList writes entries in aligned columns, the path last, so that nothing
// needs to be cut. It learns the widths in a first pass over the entries, which
// costs less than holding a million of them would.
type longList struct {
	out    *bufio.Writer
	widths []int // by column; 0: the archive has nothing for it
	line   []byte
}

func newLongList(out *bufio.Writer) *longList { return &longList{out: out} }

// column is one of ls -l, its text "" when the entry has no such thing.
type column struct {
	text  string
	right bool
}

func (l *longList) columns(e *codecs.Entry) [8]column {
	return [8]column{
		{text: cli.HumanSize(e.Size), right: true},
		{text: cli.HumanSize(e.Stored), right: true},
		{text: cli.Ratio(e.Stored, e.Size), right: true},
		{text: e.Method.String()},
		{text: cli.TimeText(e.Mod)},
		{text: flagsText(e.Flags)},
		{text: terminal.Printable(e.Type)},
		{text: e.ID.String()},
	}
}

// measure makes room for an entry.
func (l *longList) measure(it item) {
	all := l.columns(it.Entry)
	if l.widths == nil {
		l.widths = make([]int, len(all))
	}
	for i, c := range all {
		l.widths[i] = max(l.widths[i], utf8.RuneCountInString(c.text))
	}
}

func (l *longList) write(it item) error {
	b := l.line[:0]
	for i, c := range l.columns(it.Entry) {
		if l.widths[i] == 0 {
			continue
		}
		if c.text == "" {
			c.text = "-"
		}
		pad := l.widths[i] - utf8.RuneCountInString(c.text)
		if c.right {
			b = append(appendSpaces(b, pad), c.text...)
		} else {
			b = appendSpaces(append(b, c.text...), pad)
		}
		b = append(b, "  "...)
	}
	b = append(append(b, terminal.Printable(it.label())...), quotedNames(it.names.Of(it.Entry))...)
	b = append(b, '\n')
	l.line = b
	_, err := l.out.Write(b)
	return err
}

func appendSpaces(b []byte, n int) []byte {
	for range n {
		b = append(b, ' ')
	}
	return b
}

func flagsText(f codecs.Flags) string {
	var s string
	if f&codecs.Encrypted != 0 {
		s += "E"
	}
	if f&codecs.Deleted != 0 {
		s += "D"
	}
	return s
}

// quotedNames returns the names of a resource for people: each in double quotes.
func quotedNames(names []string) string {
	var b strings.Builder
	for _, name := range names {
		b.WriteString("  " + strconv.Quote(name))
	}
	return b.String()
}
