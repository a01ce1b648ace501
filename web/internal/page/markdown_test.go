package page_test

import (
	"fmt"
	"strings"
	"testing"

	"pakdb/diff"
	"pakdb/web/internal/page"
)

func size(n int64) string { return fmt.Sprint(n, " B") }

func markdownOf(t *testing.T, changes []diff.Change) string {
	t.Helper()
	var b strings.Builder
	n, err := page.Markdown(&b, "1.0", "1|`1", []string{"a|b"}, "2 added: decoded 1 B -> 2 B", size, func(do func(*diff.Change) error) (int, error) {
		for i := range changes {
			if err := do(&changes[i]); err != nil {
				return i, err
			}
		}
		return len(changes), nil
	})
	if err != nil || n != len(changes) {
		t.Fatal(n, err)
	}
	return b.String()
}

// TestMarkdownEscapes: whatever a name is, a row has five cells, and no name is markup.
func TestMarkdownEscapes(t *testing.T) {
	var changes []diff.Change
	for _, name := range append(hostile, "a|b`c``d", `back\|slash`, "@everyone", " ", "*x*_y_") {
		changes = append(changes, diff.Change{Kind: diff.Added, New: file("Evil/"+name, 9), Download: 5})
	}
	text := markdownOf(t, changes)
	rows := 0
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "| added |") {
			continue
		}
		rows++
		if strings.Count(line, "|") != 6 {
			t.Errorf("not five cells: %q", line)
		}
		outside := line
		if from := strings.Index(line, "`"); from >= 0 {
			outside = line[:from] + line[strings.LastIndex(line, "`")+1:]
		}
		if outside = strings.NewReplacer("<code>", "", "</code>", "").Replace(outside); strings.ContainsAny(outside, "<>`@*") {
			t.Errorf("markup: %q", line)
		}
	}
	if rows != len(changes) {
		t.Errorf("%d rows of %d:\n%s", rows, len(changes), text)
	}
}

// TestMarkdownIsBounded: many changes are folded and cut, and a line says so.
func TestMarkdownIsBounded(t *testing.T) {
	for _, folders := range []int{1, 7, 5000} {
		var changes []diff.Change
		for i := range 5000 {
			changes = append(changes, diff.Change{Kind: diff.Added, New: file(fmt.Sprintf("Dir%d/%05d.uasset", i%folders, i), 9), Download: 5})
		}
		text := markdownOf(t, changes)
		rows := strings.Count(text, "| added |")
		want := fmt.Sprintf("**%d of 5000 changes are left out", 5000-rows)
		if len(text) > 65_536 || len(text) < 60_000 || !strings.Contains(text, want) || strings.Count(text, "<details>") != strings.Count(text, "</details>") {
			t.Errorf("%d folders: %d bytes, %d rows, %q", folders, len(text), rows, text[max(0, len(text)-200):])
		}
	}
}
