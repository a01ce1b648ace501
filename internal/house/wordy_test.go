package house_test

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// fillers are words that tell nothing of what a name stands for.
var fillers = strings.Fields("a an the this that these those it its is are be of to for from in on with and or as at by " +
	"returns return gets get sets set holds hold has have represents represent describes describe contains contain does do " +
	"implements implement provides provide gives give says say tells tell means mean type struct func function method value values " +
	"one some any given whether which what")

// stem is what a word has in common with its plural and its tenses, roughly.
func stem(word string) string {
	word = strings.ToLower(word)
	for _, end := range []string{"ies", "ing", "es", "ed", "s", "y", "e"} {
		if base, ok := strings.CutSuffix(word, end); ok && len(base) > 2 {
			return base
		}
	}
	return word
}

// wordsOf returns the stems of the words in a name, of the name as a whole, and of
// what its capitals are short for.
func wordsOf(name string) (stems []string) {
	var word []rune
	add := func() {
		if len(word) > 0 {
			stems = append(stems, stem(string(word)))
		}
		word = word[:0]
	}
	runes := []rune(name)
	for i, r := range runes {
		lowerAround := i > 0 && unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])
		if unicode.IsUpper(r) && lowerAround || r == '_' {
			add()
		}
		if r != '_' {
			word = append(word, r)
		}
	}
	add()
	return append(stems, stem(name))
}

// saysMore reports whether a comment has a word that is neither a filler nor one of
// the name.
func saysMore(name, comment string) bool {
	known := wordsOf(name)
	for word := range strings.FieldsFuncSeq(comment, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if !slices.Contains(fillers, strings.ToLower(word)) && !slices.Contains(known, stem(word)) {
			return true
		}
	}
	return false
}

// described calls do for each exported name of a file that has a comment of its own.
func described(f *file, do func(at ast.Node, name string, comment *ast.CommentGroup)) {
	each := func(at ast.Node, names []*ast.Ident, comments ...*ast.CommentGroup) {
		for _, c := range comments {
			if c == nil || strings.TrimSpace(c.Text()) == "" {
				continue
			}
			for _, n := range names {
				if n.IsExported() {
					do(at, n.Name, c)
				}
			}
			return
		}
	}
	fields := func(t *ast.TypeSpec) {
		ast.Inspect(t.Type, func(n ast.Node) bool {
			if field, ok := n.(*ast.Field); ok {
				each(field, field.Names, field.Doc, field.Comment)
			}
			return true
		})
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if !exempt(d) {
				each(d, []*ast.Ident{d.Name}, d.Doc)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					own := spec.Doc
					if !d.Lparen.IsValid() {
						own = d.Doc
					}
					each(spec, []*ast.Ident{spec.Name}, own, spec.Comment)
					if spec.Name.IsExported() {
						fields(spec)
					}
				case *ast.ValueSpec:
					own := spec.Doc
					if !d.Lparen.IsValid() {
						own = d.Doc
					}
					each(spec, spec.Names, own, spec.Comment)
				}
			}
		}
	}
}

// TestCommentsSayMoreThanNames: the comment of an exported name, of a field or of a
// method is more than its words once more.
func TestCommentsSayMoreThanNames(t *testing.T) {
	n := 0
	for _, f := range house(t) {
		if f.test || f.Name.Name == "main" {
			continue
		}
		described(f, func(at ast.Node, name string, comment *ast.CommentGroup) {
			n++
			if !saysMore(name, comment.Text()) {
				t.Errorf("%s: the comment of %s is its name once more: %q", f.at(at), name, strings.TrimSpace(comment.Text()))
			}
		})
	}
	if n < 1000 {
		t.Errorf("only %d comments found", n)
	}
}

// vague are words that once named fields and variables in many rooms, and told nothing
// of what these were.
var vague = []string{"was", "is", "mine", "due", "told", "held", "big", "span"}

// TestNamesAreNotVague: a name is a noun or a verb that says what it stands for.
func TestNamesAreNotVague(t *testing.T) {
	for _, f := range house(t) {
		ast.Inspect(f.File, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && slices.Contains(vague, id.Name) {
				t.Errorf("%s: %q says nothing of what it names", f.at(id), id.Name)
			}
			return true
		})
	}
}

func TestSaysMore(t *testing.T) {
	for _, c := range []struct {
		name, comment string
		want          bool
	}{
		{"Close", "Close closes it.", false},
		{"Close", "Close releases the file.", true},
		{"OpenFile", "OpenFile opens a file.", false},
		{"OpenFile", "OpenFile opens the file at path.", true},
		{"EntryCount", "the count of entries", false},
		{"EntryCount", "-1 when only iteration tells", true},
		{"HTTPClient", "HTTPClient is the HTTP client.", false},
		{"Properties", "Properties returns the properties", false},
		{"Properties", "property by name", true},
		{"Mod_Time", "Mod_Time is the mod time", false},
		{"Size", "bytes", true},
		{"Flags", "the flags", false},
		{"X", "", false},
	} {
		if got := saysMore(c.name, c.comment); got != c.want {
			t.Errorf("%s: %q: %v", c.name, c.comment, got)
		}
	}
}
