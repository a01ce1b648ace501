package semantic_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pakdb/codecs"
	"pakdb/diff/semantic"
)

// wide is a text in UTF-16.
func wide(text string) string {
	var b strings.Builder
	b.WriteString("\xff\xfe")
	for _, r := range text {
		b.WriteByte(byte(r))
		b.WriteByte(byte(r >> 8))
	}
	return b.String()
}

func TestStructured(t *testing.T) {
	inside := insides(t)
	for _, test := range []struct {
		name, old, new string
		want           []string // nil: by line
	}{
		{"a.csv", "---,Damage,Name\nRifle,12,Gun\nBow,3,x\n", "---,Name,Damage\nBow,x,3\nRifle,Gun,14\n", []string{`$.Rifle.Damage: "12" -> "14"`}},
		{"a.csv", "k;v\n1;a\n2;\"b;c\"\n", "k;v\n2;\"b;c\"\n3;d\n", []string{`$["1"]: {"v":"a"} -> -`, `$["3"]: - -> {"v":"d"}`}},
		{"a.tsv", "k\tv\n1\ta\n", "k\tv\n1\tb\n", []string{`$["1"].v: "a" -> "b"`}},
		{"a.csv", "k,v\n1,a\n1,b\n", "k,v\n1,a\n1,c\n", nil},
		{"a.csv", "k,v\n1,a\n", "k,v\n1,a,b\n", nil},
		{"a.csv", "k,k\n1,a\n", "k,k\n1,b\n", nil},
		{"a.txt", "k,v\n1,a\n", "k,v\n1,b\n", nil},
		{"a.csv", wide("k,v\n1,a\n"), wide("k,v\n1,é\n"), []string{`$["1"].v: "a" -> "é"`}},
		{"a.xml", `<r><i id="1" n="a">x</i><i id="2">y</i></r>`, `<r><i id="2">y</i> <i id="1" n="b">z</i></r>`,
			[]string{`$.r["i[@id=1]"]["#text"]: "x" -> "z"`, `$.r["i[@id=1]"]["@n"]: "a" -> "b"`}},
		{"a.xml", `<r><i>1</i><i>2</i><i>3</i></r>`, `<r><i>1</i><i>0</i><i>2</i><i>3</i></r>`, []string{`$.r.i[1]: - -> "0"`}},
		{"a.ui", `<?xml version="1.0"?><!-- c --><r a="1"/>`, `<r a="2"/>`, []string{`$.r["@a"]: "1" -> "2"`}},
		{"a.xml", `<?xml version="1.0" encoding="utf-16"?><r>1</r>`, wide(`<?xml version="1.0" encoding="utf-16"?><r>2</r>`), []string{`$.r: "1" -> "2"`}},
		{"a.xml", `<r>`, `<r></r>`, nil},
		{"a.xml", `<r/><r/>`, `<r/>`, nil},
		{"a.xml", `<!DOCTYPE r [<!ENTITY e "x">]><r>&e;</r>`, `<r/>`, nil},
		{"a.xml", strings.Repeat("<a>", 300) + strings.Repeat("</a>", 300), `<a/>`, nil},
		{"a.uplugin", "{\"a\": 1, // one\n}", `{"a": 2}`, []string{`$.a: 1 -> 2`}},
	} {
		in := inside(test.name, test.old, test.new)
		var got []string
		for _, f := range in.Fields {
			text := func(s *string) string {
				if s == nil {
					return "-"
				}
				return *s
			}
			got = append(got, f.Name+": "+text(f.Old)+" -> "+text(f.New))
		}
		if d := cmp.Diff(test.want, got); d != "" {
			t.Errorf("%s %q, %q (-want +got)\n%s", test.name, test.old, test.new, d)
		}
		if in.Text == "" {
			t.Errorf("%s %q: no lines", test.name, test.old)
		}
	}
}

// TestNoWideText: bytes that begin like a text in UTF-16 are compared as bytes.
func TestNoWideText(t *testing.T) {
	in := insides(t)("a.mp2", "\xff\xfeab\x01\x00\x00\xd8", "\xff\xfeab\x02\x00\x00\xd8")
	if in.Text != "" || len(in.Ranges) != 1 {
		t.Errorf("%+v", in)
	}
}

// TestTrees: of values of one name each is compared with the one in its place, and inherited
// values are left out.
func TestTrees(t *testing.T) {
	tree := func(first, last string, inherited int) *codecs.Node {
		root := &codecs.Node{}
		root.Add("refers to", nil).Add("uses", first)
		root.Children[0].Add("uses", last)
		root.Add("size", inherited).Inherited = "parent"
		return root
	}
	var got []string
	for _, f := range semantic.CompareTrees(tree("a", "b", 1), tree("c", "b", 2)) {
		got = append(got, f.Name+" "+*f.Old+" "+*f.New)
	}
	if !slices.Equal(got, []string{"refers to.uses a c"}) {
		t.Errorf("got %q", got)
	}
	if got := semantic.CompareTrees(nil, tree("a", "b", 1)); len(got) != 2 || got[1].Name != "refers to.uses#2" || got[1].Old != nil {
		t.Errorf("of none: %+v", got)
	}
}
