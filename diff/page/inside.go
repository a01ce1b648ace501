package page

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"pakdb/diff/semantic"
)

// Bounds of what changed inside of contents: a page is to open at once, and what is
// left out is counted.
const (
	mostLines    = 400    // of one change
	mostAllLines = 50_000 // of a page
	mostText     = 600    // bytes of a value
)

// Inside is what changed inside of a content, for JSON: the lines, and how many more there
// are. A line is its name with the old and the new value, null for none, and true for what is
// cosmetic; or a line of a text, with its sign in front.
func (p *Data) Inside(in *semantic.Difference) any {
	if in == nil {
		return nil
	}
	lines, more := []any{}, 0
	add := func(line ...any) {
		if len(lines) == mostLines || p.lines == mostAllLines {
			more++
			return
		}
		p.lines++
		lines = append(lines, line)
	}
	for _, f := range in.AllFields() {
		if f.Cosmetic {
			add(f.Name, shortened(f.Old), shortened(f.New), true)
		} else {
			add(f.Name, shortened(f.Old), shortened(f.New))
		}
	}
	text := func(text string) {
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\r\n")
			add(shortened(&line))
		}
	}
	for i := range in.Functions {
		if f := &in.Functions[i]; f.Text != "" {
			add("@ " + f.Path)
			text(f.Text)
		}
	}
	text(in.Text)
	for _, r := range in.Ranges {
		old, new := fmt.Sprintf("%d at %#x", r.OldSize, r.OldOffset), fmt.Sprintf("%d at %#x", r.NewSize, r.NewOffset)
		add("bytes", old, new)
	}
	if len(lines) == 0 && more == 0 {
		return nil
	}
	return []any{lines, more}
}

// shortened is a text, or nil for none.
func shortened(s *string) any {
	if s == nil {
		return nil
	}
	if len(*s) <= mostText {
		return *s
	}
	cut := mostText
	for cut > mostText-utf8.UTFMax && !utf8.RuneStart((*s)[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… (%d bytes)", (*s)[:cut], len(*s))
}
