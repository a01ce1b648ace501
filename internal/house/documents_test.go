package house_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// documents returns the paths of all documents that people write: every .md file
// that is not the golden of a test.
func documents(t *testing.T) (names []string) {
	t.Helper()
	root := os.DirFS(filepath.Join("..", ".."))
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || name == "query/testdata") {
			return fs.SkipDir
		}
		if path.Ext(name) == ".md" {
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "schema/SCHEMA.md", "docs/architecture.md", "docs/tried.md",
		"docs/pkdelta.md", "codecs/gpak/FORMAT.md"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not among the documents", want)
		}
	}
	return names
}

// prose returns the lines of a document with those of code, tables, headings and
// comments replaced by empty ones.
func prose(text string) (lines []string) {
	code := false
	for line := range strings.SplitSeq(text, "\n") {
		first := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(first, "```"):
			code, line = !code, ""
		case code, strings.HasPrefix(line, "    "), strings.HasPrefix(first, "|"), strings.HasPrefix(first, "#"), strings.HasPrefix(first, "<!--"):
			line = ""
		}
		lines = append(lines, line)
	}
	return lines
}

var (
	links    = regexp.MustCompile(`\]\(([^):#]*)(#[^)]*)?\)`)
	headings = regexp.MustCompile(`(?m)^#+ (.+)$`)
)

// anchors returns the fragments by which the headings of a document are linked to.
func anchors(text string) (list []string) {
	for _, m := range headings.FindAllStringSubmatch(text, -1) {
		name := strings.Map(func(r rune) rune {
			if strings.ContainsRune("`.,:()\"'?!/", r) {
				return -1
			}
			return r
		}, strings.ToLower(m[1]))
		list = append(list, "#"+strings.ReplaceAll(name, " ", "-"))
	}
	return list
}

// TestLinksLead checks that the files and headings exist that documents link to.
func TestLinksLead(t *testing.T) {
	for _, name := range documents(t) {
		text := read(t, name)
		for _, m := range links.FindAllStringSubmatch(text, -1) {
			target := name
			if m[1] != "" {
				target = path.Join(path.Dir(name), m[1])
				if _, err := os.Stat(filepath.Join("..", "..", target)); err != nil {
					t.Errorf("%s links to %s: %v", name, m[1], err)
					continue
				}
			}
			if m[2] != "" && !slices.Contains(anchors(read(t, target)), m[2]) {
				t.Errorf("%s links to %s, and %s has no such heading", name, m[2], target)
			}
		}
	}
}

// TestDocumentsWrapOneWay checks that a document either wraps its prose at 120
// columns or has one line for each paragraph, and not both.
func TestDocumentsWrapOneWay(t *testing.T) {
	const columns = 120
	item := regexp.MustCompile(`^ *([-*]|[0-9]+\.) `)
	for _, name := range documents(t) {
		long, wrapped := 0, 0 // numbers of the first lines of each sort
		before := ""
		for i, line := range prose(read(t, name)) {
			if long == 0 && utf8.RuneCountInString(line) > columns {
				long = i + 1
			}
			if wrapped == 0 && before != "" && line != "" && !item.MatchString(line) {
				wrapped = i + 1
			}
			before = line
		}
		if long > 0 && wrapped > 0 {
			t.Errorf("%s: line %d has more than %d columns, and line %d goes on with a paragraph: wrap all or none", name, long, columns, wrapped)
		}
	}
}

// TestGlossaryIsShort checks that docs/glossary.md has at most 30 words, in
// alphabetical order, with one line each.
func TestGlossaryIsShort(t *testing.T) {
	const most = 30
	var words []string
	row := regexp.MustCompile(`(?m)^\| ([^|]+) \| [^|]+ \|$`)
	for _, m := range row.FindAllStringSubmatch(read(t, "docs/glossary.md"), -1) {
		words = append(words, m[1])
	}
	words = words[min(1, len(words)):] // the first row is the head of the table
	if len(words) == 0 || len(words) > most {
		t.Errorf("docs/glossary.md has %d words, at most %d are to be learned", len(words), most)
	}
	if !slices.IsSorted(words) {
		t.Error("docs/glossary.md is not in alphabetical order")
	}
}
