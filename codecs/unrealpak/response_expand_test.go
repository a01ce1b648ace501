package unrealpak_test

import (
	"errors"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/unrealpak"
)

func TestExpand(t *testing.T) {
	tree := map[string][]string{
		"Content":     {"A.uasset", "Maps/B.umap", "Maps/C.uasset"},
		"one.txt":     {"."},
		"Content/[x]": {"y.txt"},
	}
	list := func(name string) ([]string, error) { return tree[name], nil }
	for _, tt := range []struct{ line, want string }{
		{`"one.txt" "../../../Game/one.txt"`, "one.txt>../../../Game/one.txt"},
		{`"one.txt" "../../../Game/"`, "one.txt>../../../Game/one.txt"},
		{`"Content/*.uasset" "../../../G/Content/*.uasset"`, "Content/A.uasset>../../../G/Content/A.uasset Content/Maps/C.uasset>../../../G/Content/Maps/C.uasset"},
		{`"Content/*.UMAP" "../../../G/"`, "Content/Maps/B.umap>../../../G/Maps/B.umap"},
		{`"Content" "../../../G/Content/" -compress`, "Content/A.uasset>../../../G/Content/A.uasset Content/Maps/B.umap>../../../G/Content/Maps/B.umap Content/Maps/C.uasset>../../../G/Content/Maps/C.uasset"},
		{`"Content/?.uasset"`, "Content/A.uasset>Content/A.uasset Content/Maps/C.uasset>Content/Maps/C.uasset"},
		{`"gone/*" "x" -delete`, "gone/*>x"},
	} {
		lines, err := unrealpak.Parse(strings.NewReader(tt.line))
		if err != nil {
			t.Fatal(err)
		}
		if lines, err = unrealpak.Expand(lines, list); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range lines {
			got = append(got, l.Source+">"+l.Dest)
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.line, s, tt.want)
		}
	}
	lines := []unrealpak.ResponseLine{{Line: 7, Source: "Content/*.bnk", Dest: "x"}}
	if _, err := unrealpak.Expand(lines, list); !errors.Is(err, codecs.ErrNotFound) || !strings.Contains(err.Error(), "line 7") {
		t.Errorf("nothing matches: %v", err)
	}
}

func TestMounts(t *testing.T) {
	for _, tt := range []struct {
		dests, want string
	}{
		{"../../../G/Content/A ../../../G/Content/B/C", "../../../G/Content/"},
		{"../../../G/Content/A ../../../g/Config/C", "../../../G/"},
		{"../../../G/Content/A ../../../Engine/C", "../../../"},
		{"../../../G/Content/A ../../../G/Contents/B", "../../../G/"},
		{"../../../G/A", "../../../G/"},
		{"D:/x/A /y/B", ""},
		{"Game/A Game/B", ""},
		{"", ""},
	} {
		var lines []unrealpak.ResponseLine
		for _, d := range strings.Fields(tt.dests) {
			lines = append(lines, unrealpak.ResponseLine{Dest: d})
		}
		if got := unrealpak.CommonMount(lines); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.dests, got, tt.want)
		}
	}
}

func TestMakeRelative(t *testing.T) {
	lines := []unrealpak.ResponseLine{{Dest: "../../../game/A"}, {Dest: "B/C"}}
	if err := unrealpak.MakeRelative(lines, "../../../Game"); err != nil || lines[0].Dest != "A" || lines[1].Dest != "B/C" {
		t.Errorf("%v %v", lines, err)
	}
	for _, dest := range []string{"../../../Gamer/A", "/x", "C:/x", "../../x"} {
		err := unrealpak.MakeRelative([]unrealpak.ResponseLine{{Line: 3, Dest: dest}}, "../../../Game/")
		if !errors.Is(err, codecs.ErrName) {
			t.Errorf("%s: %v", dest, err)
		}
	}
}
