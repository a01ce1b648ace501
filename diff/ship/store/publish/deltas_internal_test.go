package publish

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pakdb/codecs"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/store"
	"pakdb/internal/atomicfile"
)

// A build may have thousands of archives, each with a patch of its own: of 1,280 with 50 entries
// each, opening all old files for each patch took 22 times as long as of 160.
func TestPatchesOpenTheirOwnFiles(t *testing.T) {
	out, err := atomicfile.Make(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	fresh := []byte("the same but for its end, which is new")
	p := &patchMaker{out: &storeWriter{out: out}, opt: &Options{}, inputs: map[string]delta.Input{
		"a.bin": {Name: "a.bin", Source: codecs.Source{ReaderAt: bytes.NewReader(fresh), Name: "a.bin", Size: int64(len(fresh))}},
	}}
	temp := t.TempDir()
	write := func(name string) {
		if err := os.WriteFile(filepath.Join(temp, name), []byte("the same but for its end, which is old"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	set := deltaSet{old: []store.File{{Path: "a.bin"}}, new: []store.File{{Path: "a.bin"}}}
	allocations := func() float64 {
		return testing.AllocsPerRun(1, func() {
			if err := p.makeDelta(t.Context(), filepath.Join(t.TempDir(), "patch"), temp, set); err != nil {
				t.Fatal(err)
			}
		})
	}
	write("a.bin")
	alone := allocations()
	for i := range 500 {
		write(fmt.Sprintf("%d.bin", i))
	}
	if beside := allocations(); beside > 2*alone {
		t.Errorf("%.0f allocations for a patch between two files, %.0f where 500 others are beside the old one", alone, beside)
	}
}
