package mods_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs/mods"
)

// conflicts returns the fields that are open, and of all others those that are in an order.
func conflicts(m *mods.Merged) (open, ordered []string) {
	for _, i := range m.Items {
		switch {
		case i.Open:
			open = append(open, i.Field)
		case i.Ordered:
			ordered = append(ordered, i.Field)
		}
	}
	return open, ordered
}

// Settings merge by their keys, and those with operators by their elements.
func TestMergeSettings(t *testing.T) {
	for _, c := range []struct {
		name, base, x, y string
		want, open       string // one of both
		ordered          string
	}{
		{name: "two keys side by side", base: "[A]\nX=1\nY=1\n", x: "[A]\nX=2\nY=1\n", y: "[A]\nX=1\nY=2\n", want: "[A]\nX=2\nY=2\n"},
		{name: "two values", base: "[A]\nX=1\n", x: "[A]\nX=2\n", y: "[A]\nX=3\n", open: "A[X]"},
		{name: "a value twice", base: "[A]\nX=1\n", x: "[A]\nX=2\n", y: "[A]\nX=2 \n", want: "[A]\nX=2\n"},
		{name: "keys at one place", base: "[A]\n", x: "[A]\nX=2\n", y: "[A]\nY=3\n", want: "[A]\nX=2\nY=3\n"},
		{name: "one key at one place", base: "[A]\n", x: "[A]\nX=2\n", y: "[A]\nX=3\n", open: "A[X]"},
		{name: "case", base: "[A]\nX=1\n", x: "[a]\nx=2\n", y: "[A]\nX=1\nY=3\n", want: "[a]\nx=2\nY=3\n"},
		{name: "elements", base: "[A]\n+P=1\n", x: "[A]\n+P=1\n+P=2\n", y: "[A]\n+P=1\n+P=3\n", want: "[A]\n+P=1\n+P=2\n+P=3\n", ordered: "A[P]"},
		{name: "an element twice", base: "[A]\n", x: "[A]\n+P=2\n", y: "[A]\n; why\n+P=2\n", want: "[A]\n+P=2\n"},
		{name: "one removed, one added", base: "[A]\n+P=1\n+P=2\n", x: "[A]\n+P=2\n", y: "[A]\n+P=1\n+P=2\n+P=3\n", want: "[A]\n+P=2\n+P=3\n"},
		{name: "added and taken away", base: "[A]\n", x: "[A]\n+P=2\n", y: "[A]\n-P=2\n", open: "A[P]"},
		{name: "an operator", base: "[A]\n+P=1\nX=1\n", x: "[A]\n-P=1\nX=1\n", y: "[A]\n+P=1\nX=2\n", want: "[A]\n-P=1\nX=2\n"},
		{name: "two operators", base: "[A]\n+P=1\n", x: "[A]\n-P=1\n", y: "[A]\n.P=1\n", open: "A[P]"},
		{name: "cleared and added", base: "[A]\n+P=1\n", x: "[A]\n!P\n+P=1\n", y: "[A]\n+P=1\n+P=2\n", open: "A[P]"},
		{name: "an element changed twice", base: "[A]\n+P=1\n", x: "[A]\n+P=2\n", y: "[A]\n+P=3\n", open: "A[P]"},
		{name: "sections", base: "[A]\nX=1\n", x: "[A]\nX=1\n[B]\nX=2\n", y: "[A]\nX=3\n[C]\nX=4\n", want: "[A]\nX=3\n[B]\nX=2\n[C]\nX=4\n"},
		{name: "a key that moved", base: "[A]\nX=1\nY=1\n[B]\n", x: "[A]\nY=1\n[B]\nX=1\n", y: "[A]\nX=1\nY=2\n[B]\n", want: "[A]\nY=2\n[B]\nX=1\n"},
		{name: "ends of lines", base: "[A]\r\nX=1", x: "[A]\r\nX=1\r\nY=2", y: "[A]\r\nX=3", want: "[A]\r\nX=3\r\nY=2"},
		{name: "comments", base: "[A]\nX=1\nY=1\n", x: "[A]\n; of x\nX=2\nY=1\n", y: "[A]\nX=1\nY=2 \n; of y\n", want: "[A]\n; of x\nX=2\nY=2 \n; of y\n"},
		{name: "values of two lines", base: "[A]\nX=1\\\n2\nY=1\n", x: "[A]\nX=1\\\n3\nY=1\n", y: "[A]\nX=1\\\n2\nY=2\n", want: "[A]\nX=1\\\n3\nY=2\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, flip := range []bool{false, true} {
				both := [][]byte{[]byte(c.x), []byte(c.y)}
				if flip {
					slices.Reverse(both)
				}
				m, err := mods.MergeFile("Game.ini", []byte(c.base), both, nil, mods.MergeOptions{})
				if err != nil {
					t.Fatal(err)
				}
				open, ordered := conflicts(m)
				if got := strings.Join(open, " "); got != c.open || strings.Join(ordered, " ") != c.ordered {
					t.Errorf("open %q, in order %q", open, ordered)
				}
				if !flip && c.open == "" && string(m.Asset) != c.want {
					t.Errorf("got %q, want %q", m.Asset, c.want)
				}
				for i, mod := range both { // the laws
					m, err := mods.MergeFile("Game.ini", []byte(c.base), [][]byte{[]byte(c.base), mod}, nil, mods.MergeOptions{})
					if err != nil || string(m.Asset) != string(mod) {
						t.Errorf("%d alone: %q, %v", i, m.Asset, err)
					}
				}
				if c.open == "" {
					continue
				}
				m, err = mods.MergeFile("Game.ini", []byte(c.base), both, nil, mods.MergeOptions{Prefer: []int{1}})
				if err != nil || !bytes.Equal(m.Asset, both[1]) {
					t.Errorf("prefer: %q, %v", m.Asset, err)
				}
			}
		})
	}
}

// A file that is merged by its values lacks nothing that lies around them.
func TestMergeAround(t *testing.T) {
	for _, c := range []struct{ name, base, x, y, want, open string }{
		{"a.json", `{"a":1,"b":1,"c":{}}`, `{"a":2,"b":1,"c":{}}`, `{"a":1,"b":1,"c":[]}`, `{"a":2,"b":1,"c":[]}`, ""},
		{"a.json", `{"a":1,"b":1}`, "{\n \"a\":2,\n \"b\":1\n}", `{"a":1,"b":3}`, "{\n \"a\":2,\n \"b\":3\n}", ""},
		{"a.xml", `<a x="1"><b/></a>`, `<a x="2"><b/></a>`, `<a x="1"><c/></a>`, `<a x="2"><c/></a>`, ""},
		{"a.csv", "k,v\na,1\nb,1\n", "k,v\na,2\nb,1\n", "k,v\na,1\nb,2\n", "k,v\na,2\nb,2\n", ""},
		{"a.csv", "k,v\na,1\n", "k,v\na,1\nb,2\n", "k,v\na,1\nc,3\n", "k,v\na,1\nb,2\nc,3\n", ""},
		{"a.json", `{"a":1}`, `{"a":2}`, `{"a":3}`, "", "a"},
	} {
		m, err := mods.MergeFile(c.name, []byte(c.base), [][]byte{[]byte(c.x), []byte(c.y)}, nil, mods.MergeOptions{})
		if err != nil {
			t.Errorf("%s: %v", c.x, err)
			continue
		}
		if open, _ := conflicts(m); strings.Join(open, " ") != c.open || string(m.Asset) != c.want {
			t.Errorf("%s and %s: %q, open %q", c.x, c.y, m.Asset, open)
		}
	}
}

// Directories of the game database merge by their records.
func TestMergeDirectories(t *testing.T) {
	for sip, want := range map[string]int{"Calligraphy_v10_mhpaktool.sip": 5, "Calligraphy_v11_mhpaktool.sip": 5} {
		files, db := sipFiles(t, sip)
		merged := 0
		for name, base := range files {
			if !strings.HasSuffix(name, ".directory") {
				continue
			}
			x, y := bytes.Clone(base), bytes.Clone(base)
			merge := func(o mods.MergeOptions) *mods.Merged {
				m, err := mods.MergeFile(name, base, [][]byte{x, y}, func() *mods.Database { return db }, o)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				return m
			}
			x[len(x)-1], y[len(y)-1] = '1', '2' // the end of the last path
			m := merge(mods.MergeOptions{})
			if open, _ := conflicts(m); len(open) != 1 || m.Asset != nil {
				t.Errorf("%s: %+v", name, m.Items)
			}
			if m = merge(mods.MergeOptions{Prefer: []int{1}}); !bytes.Equal(m.Asset, y) {
				t.Errorf("%s: another file: %+v", name, m.Items)
			}
			if y = bytes.Clone(x); !bytes.Equal(merge(mods.MergeOptions{}).Asset, x) {
				t.Errorf("%s: equal changes", name)
			}
			merged++
		}
		if merged != want {
			t.Errorf("%s: %d directories", sip, merged)
		}
	}
	if _, err := mods.MergeFile("a.directory", nil, [][]byte{nil}, nil, mods.MergeOptions{}); err == nil {
		t.Error("an empty directory")
	}
}

// Operators, and what values lie in, are no values that edits set: an export names them.
func TestDiffFile(t *testing.T) {
	for _, c := range []struct{ name, base, mod, edits, rest string }{
		{"a.ini", "[A]\n+P=1\nX=1\n", "[A]\n-P=1\nX=2\n", "A[X]=2", "A[P]"},
		{"a.json", `{"a":1,"b":{}}`, `{"a":2,"b":[]}`, "a=2", "what its values lie in"},
		{"a.json", `{"a":1}`, `{ "a": 2 }`, "a=2", ""},
		{"a.txt", "a", "b", "", ""},
	} {
		edits, rest := mods.DiffFile(c.name, []byte(c.base), []byte(c.mod), nil)
		var got, left []string
		for _, e := range edits {
			got = append(got, e.Field+"="+e.Value)
		}
		for _, item := range rest {
			left = append(left, item.Field)
		}
		if strings.Join(got, " ") != c.edits || strings.Join(left, " ") != c.rest || c.name == "a.txt" && len(rest) == 0 {
			t.Errorf("%s: edits %q, rest %q", c.mod, got, left)
		}
	}
}
