package apply

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"pakdb/diff/ship/delta"
)

// TestHostileJournals: a journal has its hash, and yet does not get what it asks.
func TestHostileJournals(t *testing.T) {
	state := delta.File{Size: 10}
	long := delta.File{Size: 1 << 40}
	for name, list := range map[string][]action{
		"a name above":           {{kind: actRemove, name: "../x"}},
		"an absolute name":       {{kind: actCreate, name: "x", temp: "/etc/x"}},
		"no action":              {{kind: 9, name: "x"}},
		"a piece behind":         {{kind: actChange, name: "x", before: state, after: state, pieces: []piece{{off: 5, n: 6, at: 8}}}},
		"bytes that are not":     {{kind: actChange, name: "x", before: state, after: state, pieces: []piece{{off: 5, n: 5, at: 12}}}},
		"a file of any size":     {{kind: actChange, name: "x", before: state, after: long}},
		"a hole":                 {{kind: actChange, name: "x", before: state, after: delta.File{Size: 14}, pieces: []piece{{off: 12, n: 2, at: 8}}}},
		"pieces over each other": {{kind: actChange, name: "x", before: state, after: state, pieces: []piece{{off: 5, n: 2, at: 8}, {off: 6, n: 2, at: 8}}}},
	} {
		dir := t.TempDir()
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "x"), make([]byte, 10), 0o666); err != nil {
			t.Fatal(err)
		}
		b := marshalActions(list, 12)
		b = append([]byte(journalMagic+"data"), b...)
		sum := delta.SumOfBytes(b)
		if err := os.WriteFile(filepath.Join(dir, journalName), append(b, sum[:]...), 0o666); err != nil {
			t.Fatal(err)
		}
		if did, err := Recover(context.Background(), root); did || err != nil {
			t.Errorf("%s: %v, %v", name, did, err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, "x")); err != nil || !bytes.Equal(got, make([]byte, 10)) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
			t.Errorf("%s: %v is there", name, left)
		}
		if err := root.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// FuzzActions: actions that can be read are written the same way, and what they
// want is within bounds.
func FuzzActions(f *testing.F) {
	sum := delta.Sum{1, 2, 3}
	seed := marshalActions([]action{
		{kind: actChange, name: "a/b.pak", before: delta.File{Size: 10, Sum: sum}, after: delta.File{Size: 12, Sum: sum}, pieces: []piece{{off: 1, n: 2, at: 8}, {off: 9, n: 3, at: 10}}},
		{kind: actCreate, name: "c", temp: ".pakdb-c", after: delta.File{Size: 3, Sum: sum}},
		{kind: actRemove, name: "d", before: delta.File{Size: 3, Sum: sum}},
	}, 40)
	f.Add(seed[:len(seed)-8], int64(40))
	f.Fuzz(func(t *testing.T, b []byte, dataEnd int64) {
		if dataEnd < 8 || dataEnd > 1<<40 {
			return
		}
		list, err := parseActions(b, dataEnd)
		if err != nil {
			if !errors.Is(err, ErrJournal) {
				t.Fatal(err)
			}
			return
		}
		var again []byte
		for i := range list {
			again = list[i].append(again)
			written := int64(0)
			for _, p := range list[i].pieces {
				if p.off < 0 || p.n < 0 || p.at < 0 || p.off+p.n > list[i].after.Size || p.at+p.n > dataEnd {
					t.Fatalf("%+v", list[i])
				}
				written += p.n
			}
			if list[i].kind == actChange && list[i].after.Size > list[i].before.Size+written {
				t.Fatalf("grows without bytes: %+v", list[i])
			}
		}
		if back, err := parseActions(again, dataEnd); err != nil || len(back) != len(list) {
			t.Fatal(err)
		}
	})
}
