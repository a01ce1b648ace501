package pkg_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/pkg"
	"pakdb/codecs/unreal"
)

// Real compressed packages of three games read whole, without a problem.
func TestCompressedSamples(t *testing.T) {
	for _, c := range []struct {
		file, compression       string
		names, imports, exports int
	}{
		{"PlotManagerMap.u", "lzo1x", 19, 5, 5},
		{"BioD_PrsCvA.pcc", "lzo1x", 190, 46, 161},
		{"LE1EmptyLevel.pcc", "oodle", 58, 30, 13},
	} {
		t.Run(c.file, func(t *testing.T) {
			src := codecstest.OpenFile(t, codecstest.Sample(t, "unreal-package", "compressed", c.file))
			p, err := pkg.Read(context.Background(), src, src.Size)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range p.Problems {
				t.Errorf("problem: %v", e)
			}
			equal(t, "layout", p.Layout, "Mass Effect")
			equal(t, "compression", p.Compression, c.compression)
			equal(t, "names", len(p.Names), c.names)
			equal(t, "imports", len(p.Imports), c.imports)
			equal(t, "exports", len(p.Exports), c.exports)
			equal(t, "end of the summary", p.Summary.End, p.Summary.Names.Offset)
			equal(t, "end of the exports", p.Summary.Exports.End, p.Summary.Depends.Offset)
			for i := range p.Exports {
				equal(t, "bytes of an export", int64(len(exportData(t, p, i))), p.Exports[i].Size)
				if path, _ := p.PathOf(unreal.ObjectRef(i + 1)); strings.Contains(path, "<") {
					t.Errorf("path of export %d: %s", i, path)
				}
			}
		})
	}
}

// What umodel says of a compressed package. Its list of names is sorted.
func TestCompressedTruth(t *testing.T) {
	raw, err := os.ReadFile(codecstest.Sample(t, "unreal-package", "compressed", "truth", "PlotManagerMap.u.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Names      []string
		Imports    []truthImport
		Exports    []truthExport
		HeaderSize int64  `json:"header_size"`
		GUID       string `json:"guid"`
		Flags      uint32 `json:"package_flags"`
	}
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	packed, err := os.ReadFile(codecstest.Sample(t, "unreal-package", "compressed", "PlotManagerMap.u"))
	if err != nil {
		t.Fatal(err)
	}
	p := mustRead(t, packed)
	equal(t, "header size", p.HeaderSize, want.HeaderSize)
	equal(t, "guid", strings.ToUpper(p.GUID.String()), want.GUID)
	equal(t, "flags", p.Flags, want.Flags)
	known := map[string]bool{}
	for _, n := range p.Names {
		known[n.Text] = true
	}
	for _, n := range want.Names {
		if !known[n] {
			t.Errorf("name %q is missing", n)
		}
	}
	// The order of imports is sorted by path there, so they are compared by path.
	byPath := map[string]truthImport{}
	for _, w := range want.Imports {
		byPath[w.Path] = w
	}
	for i, e := range p.Imports {
		w := byPath[pathOf(p, unreal.ObjectRef(-i-1))]
		equal(t, "import", [3]string{p.NameOf(e.ClassPackage), p.NameOf(e.Class), p.NameOf(e.Name)}, [3]string{w.ClassPackage, w.Class, w.Name})
		equal(t, "import outer", int32(e.Outer), w.Outer)
	}
	equal(t, "imports", len(p.Imports), len(want.Imports))
	for i, w := range want.Exports {
		compareExport(t, p, i, w)
	}
	equal(t, "exports", len(p.Exports), len(want.Exports))
	if !bytes.HasPrefix(packed, []byte{0xC1, 0x83, 0x2A, 0x9E}) {
		t.Error("no package")
	}
}
