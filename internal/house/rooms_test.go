package house_test

import (
	"go/doc"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestRoomsAreDrawn: docs/architecture.md lists every package. With PAKDB_UPDATE_SCRIPTS
// it gets the first clauses of their comments.
func TestRoomsAreDrawn(t *testing.T) {
	const name, begin, end = "docs/architecture.md", "<!-- packages -->\n", "<!-- end -->\n"
	clauses := map[string]string{}
	for _, f := range house(t) {
		if top, _, _ := strings.Cut(f.room, "/"); top != "testdata" && !strings.HasSuffix(f.room, "test") && f.Doc != nil {
			clauses[f.room] = firstClause(f.Doc.Text())
		}
	}
	before, rest, _ := strings.Cut(read(t, name), begin)
	list, after, ok := strings.Cut(rest, end)
	if !ok {
		t.Fatalf("%s has no list of packages", name)
	}
	rooms := slices.Sorted(maps.Keys(clauses))
	if os.Getenv("PAKDB_UPDATE_SCRIPTS") != "" {
		var now strings.Builder
		for _, room := range rooms {
			now.WriteString(item("`" + room + "`: " + clauses[room]))
		}
		if err := os.WriteFile(filepath.Join("..", "..", name), []byte(before+begin+now.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	var listed []string
	for _, m := range regexp.MustCompile("(?m)^- `([^`]+)`").FindAllStringSubmatch(list, -1) {
		listed = append(listed, m[1])
	}
	if !slices.Equal(listed, rooms) {
		t.Errorf("%s lists other packages than there are: run PAKDB_UPDATE_SCRIPTS=1 go test ./internal/house -run RoomsAreDrawn", name)
	}
}

// firstClause returns what a package's comment says of it, up to the first pause.
func firstClause(comment string) string {
	text := (&doc.Package{}).Synopsis(comment)
	words := strings.SplitN(text, " ", 3) // "Package name does ..."
	if len(words) < 3 {
		return text
	}
	return strings.TrimSuffix(regexp.MustCompile(`[:;]|, (and|which|so|by|that|as|in|under|where|from|beside) | \(`).Split(words[2], 2)[0], ".")
}

// item returns a list item, wrapped.
func item(text string) string {
	const columns = 120
	var b strings.Builder
	line := "-"
	for _, word := range strings.Fields(text) {
		if len(line)+1+len(word) > columns {
			b.WriteString(line + "\n")
			line = " "
		}
		line += " " + word
	}
	return b.String() + line + "\n"
}
