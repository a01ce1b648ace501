package page

import (
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"

	"pakdb/diff/semantic"
)

// Bounds of what changed inside of one content; what is left out is counted.
const (
	mostLines = 5000
	mostText  = 2000 // bytes of a value
)

// Inside is what changed inside of a content, for JSON, nil for nothing: inside are the lines,
// and how many more there are; pictures are those of textures and sounds, curves their points on
// both sides, bytes the ranges that differ, why says why these are in place of values, and
// warnings say what could not be looked at.
//
// A line is its name with the old and the new value, null for none, whether it is cosmetic, and
// whether it is technical; or a line of a text alone, with its sign in front.
func Inside(in *semantic.Difference, pictures []*semantic.Pictures, warnings []string) map[string]any {
	all := map[string]any{}
	if len(warnings) > 0 {
		all["warnings"] = warnings
	}
	if in != nil {
		if lines, more := linesOf(in); len(lines) > 0 {
			all["inside"] = []any{lines, more}
		}
		if len(in.Curves) > 0 {
			all["curves"] = curvesOf(in.Curves)
		}
		if len(in.Ranges) > 0 {
			all["bytes"] = bytesOf(in.Ranges)
		}
		if in.Why != "" {
			all["why"] = in.Why
		}
	}
	if drawn := picturesOf(pictures); len(drawn) > 0 {
		all["pictures"] = drawn
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

func linesOf(in *semantic.Difference) (lines []any, more int) {
	add := func(line ...any) {
		if len(lines) == mostLines {
			more++
			return
		}
		lines = append(lines, line)
	}
	for _, f := range in.Fields {
		switch {
		case f.Technical:
			add(f.Name, shortened(f.Old), shortened(f.New), f.Cosmetic, true)
		case f.Cosmetic:
			add(f.Name, shortened(f.Old), shortened(f.New), true)
		default:
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
		f := &in.Functions[i]
		if f.Text != "" {
			add("@ " + f.Path)
			text(f.Text)
			continue
		}
		for _, field := range f.Fields() {
			add(field.Name, shortened(field.Old), shortened(field.New))
		}
	}
	text(in.Text)
	return lines, more
}

func curvesOf(curves []semantic.Curve) (all [][]any) {
	for i := range curves {
		all = append(all, []any{curves[i].Name, curves[i].Old, curves[i].New})
	}
	return all
}

// bytesOf returns for each range the offset and the bytes, in hexadecimal, of both sides.
func bytesOf(ranges []semantic.Range) (all [][]any) {
	for i := range ranges {
		if r := &ranges[i]; r.Old != nil || r.New != nil {
			all = append(all, []any{r.OldOffset &^ 15, hex.EncodeToString(r.Old), r.NewOffset &^ 15, hex.EncodeToString(r.New)})
		}
	}
	return all
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
