package zen_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/iostore"
	"pakdb/codecs/unreal"
	"pakdb/codecs/unreal/zen"
)

// A Zen package that nothing is changed of comes back equal; one that gets a name and other
// data has these and nothing else, which Rewrite itself reads back.
func TestPackagesRewritten(t *testing.T) {
	equal, edited, inside := 0, 0, 0
	try := func(name string, chunk []byte) {
		p, err := zen.Read(bytes.NewReader(chunk), int64(len(chunk)))
		if err != nil {
			t.Fatal(err)
		}
		if p.Layout == "zen 4.26" {
			if !errors.Is(p.Writable(), unreal.ErrNoWriting) {
				t.Errorf("%s is not refused", name)
			}
			return
		}
		out, err := p.Rewrite(chunk, &zen.Changes{})
		if err != nil || !bytes.Equal(out, chunk) {
			t.Errorf("%s: another package, %v", name, err)
			return
		}
		equal++
		x := p.Exports[0]
		data := chunk[x.Offset : x.Offset+x.Size]
		c := &zen.Changes{Names: []string{"PakdbNew", "PakdbÄ", "X"}, Exports: map[int][]byte{0: append(data[:len(data):len(data)], "thirteen more"...)}}
		out, err = p.Rewrite(chunk, c)
		if errors.Is(err, unreal.ErrInside) {
			inside++
			return
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		edited++
		q, err := zen.Read(bytes.NewReader(out), int64(len(out)))
		if err != nil {
			t.Fatal(err)
		}
		if out, err = q.Rewrite(out, &zen.Changes{Exports: map[int][]byte{0: data}}); err != nil || !bytes.HasSuffix(out, chunk[p.HeaderSize:]) {
			t.Errorf("%s: other data after going back, %v", name, err)
		}
	}
	loose, err := filepath.Glob(filepath.Join(codecstest.Sample(t, "unreal-writing", "retoc"), "*", "*.uzenasset"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range loose {
		try(name, readFile(t, name))
	}
	for _, path := range [][]string{
		{"iostore/cue4parse-ue5.8", "Zlib", "CUE4ParseFixtures-Minimal-Zlib-Windows.utoc"},
		{"unreal-properties/cue4parse-UE5_8", "Unversioned-Zlib", "CUE4ParseFixtures-Minimal-Zlib-Windows.utoc"},
	} {
		for _, it := range codecstest.Items(t, codecstest.Open(t, iostore.Format(), codecstest.OpenFile(t, codecstest.Sample(t, path...)), nil)) {
			if it.Entry.Type != iostore.TypeExportBundleData {
				continue
			}
			try(it.Entry.Name, it.Data)
		}
	}
	if equal < 190 || edited < 100 {
		t.Errorf("%d equal, %d edited", equal, edited)
	}
	t.Logf("%d equal, %d edited, %d with bulk data inside", equal, edited, inside)
}
