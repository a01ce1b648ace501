package semantic_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pakdb/diff"
	"pakdb/diff/semantic"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

// texts hands out contents that a test made up.
type texts map[[32]byte]string

func (t texts) Bytes(_ context.Context, digest [32]byte, _ int64) ([]byte, error) {
	return []byte(t[digest]), nil
}

// insideOf compares two contents that the catalog knows nothing of.
func insideOf(t testing.TB, old, new string) *semantic.Difference {
	t.Helper()
	return insides(t)("x.json", old, new)
}

// insides returns what does so for files of any name.
func insides(t testing.TB) func(name, old, new string) *semantic.Difference {
	t.Helper()
	db := schematest.Open(t, schematest.Write(t, func(c *schema.Catalog) {
		for label, content := range map[string]byte{"0": 1, "1": 2} {
			schematest.Build(t, c, label, func(b *schema.Build) {
				schematest.Mount(t, b, "a", schema.Entry{Name: "x", Method: "none", Size: 1, ContentSize: 1, Content: schema.Digest{content}, HasContent: true})
			})
		}
	}))
	r, err := diff.Compare(t.Context(), db, "0", "1", diff.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Len() != 1 {
		t.Fatalf("%d changes", r.Len())
	}
	var change diff.Change
	for c, err := range r.Changes(t.Context()) {
		if change = c; err != nil {
			t.Fatal(err)
		}
	}
	return func(name, old, new string) *semantic.Difference {
		t.Helper()
		change.Old.Path, change.New.Path = name, name
		s := &semantic.Comparer{DB: db, OldBuild: "0", NewBuild: "1", Contents: texts{{1}: old, {2}: new}}
		in, err := s.Compare(t.Context(), &change)
		if err = errors.Join(err, s.Close()); err != nil {
			t.Fatal(err)
		}
		return in
	}
}

func TestJSON(t *testing.T) {
	inside := insides(t)
	for _, test := range []struct {
		name, old, new string
		want           []string
	}{
		{"a value", `{"a": {"b": 1}}`, `{"a": {"b": 2.50}}`, []string{"$.a.b: 1 -> 2.50"}},
		{"members come and go", `{"a": 1, "b": null}`, `{"b": null, "c d": [1]}`, []string{"$.a: 1 -> ", `$["c d"]:  -> [1]`}},
		{"an element is put in", `[{"n": 1}, {"n": 2}, {"n": 3}]`, `[{"n": 0}, {"n": 1}, {"n": 2}, {"n": 4}]`,
			[]string{`$[0]:  -> {"n":0}`, "$[3].n: 3 -> 4"}},
		{"an element is gone", `["a", "b", "c"]`, `["a", "c"]`, []string{`$[1]: "b" -> `}},
		{"another type", `{"a": [1]}`, `{"a": {"b": 1}}`, []string{`$.a: [1] -> {"b":1}`}},
		{"no markup", `{"<a>": "&"}`, `{"<a>": "<"}`, []string{`$["<a>"]: "&" -> "<"`}},
		{"layout alone", `{"a":1}`, "{\n \"a\": 1\n}", nil},
		{"a mark at the start", "\xef\xbb\xbf{\"a\": 1}", `{"a": 2}`, []string{"$.a: 1 -> 2"}},
		{"no JSON", `{"a": 1`, `{"a": 2}`, nil},
		{"two documents", `{"a": 1} {}`, `{"a": 2}`, nil},
		{"a number is no document", `1`, `2`, nil},
		{"large numbers keep their digits", `{"id": 12345678901234567890}`, `{"id": 12345678901234567891}`,
			[]string{"$.id: 12345678901234567890 -> 12345678901234567891"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := inside("x.json", test.old, test.new)
			var got []string
			for _, f := range in.Fields {
				text := func(s *string) string {
					if s == nil {
						return ""
					}
					return *s
				}
				got = append(got, fmt.Sprintf("%s: %s -> %s", f.Name, text(f.Old), text(f.New)))
			}
			if d := cmp.Diff(test.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if !strings.HasPrefix(in.Text, "diff a/x.json b/x.json\n") {
				t.Errorf("text %q", in.Text)
			}
		})
	}
}

// Longer lists are compared element by element, in bounded time.
func TestLongJSONLists(t *testing.T) {
	list := func(first string) string { return "[" + first + strings.Repeat(",1", 5000) + "]" }
	in := insideOf(t, list("1"), list("2"))
	if len(in.Fields) != 1 || in.Fields[0].Name != "$[0]" {
		t.Errorf("%d changes", len(in.Fields))
	}
}

// Lists in lists cost no more than a bound.
func TestDeepJSONLists(t *testing.T) {
	deep := func(core string) string {
		return strings.Repeat("[", 1000) + `"` + core + `"` + strings.Repeat("]", 1000)
	}
	padding := strings.Repeat("x", 1<<20)
	in := insideOf(t, deep(padding+"1"), deep(padding+"2"))
	if len(in.Fields) != 1 {
		t.Errorf("%d changes", len(in.Fields))
	}
}

// sameRange compares where ranges lie.
func sameRange(a, b semantic.Range) bool {
	return a.OldOffset == b.OldOffset && a.OldSize == b.OldSize && a.NewOffset == b.NewOffset && a.NewSize == b.NewSize
}

func TestRanges(t *testing.T) {
	in := insideOf(t, "\x00aaaa"+strings.Repeat("-", 40)+"bbbb", "\x00aXaa"+strings.Repeat("-", 40)+"bbYb")
	want := []semantic.Range{{OldOffset: 2, OldSize: 1, NewOffset: 2, NewSize: 1}, {OldOffset: 47, OldSize: 1, NewOffset: 47, NewSize: 1}}
	if !slices.EqualFunc(in.Ranges, want, sameRange) {
		t.Errorf("%+v", in.Ranges)
	}
	if got := in.Ranges[1]; string(got.Old) != "-------------bbb" || string(got.New) != "-------------bbY" {
		t.Errorf("around the second: %q and %q", got.Old, got.New)
	}
	in = insideOf(t, "\x00head|tail", "\x00head|put in|tail")
	if want := []semantic.Range{{OldOffset: 6, OldSize: 0, NewOffset: 6, NewSize: 7}}; !slices.EqualFunc(in.Ranges, want, sameRange) {
		t.Errorf("%+v", in.Ranges)
	}
}
