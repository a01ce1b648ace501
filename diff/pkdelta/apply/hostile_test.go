package apply

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"pakdb/codecs"
	"pakdb/diff/internal/pkdeltatest"
	"pakdb/diff/pkdelta"
	"pakdb/diff/pkdelta/program"
	"pakdb/internal/atomicfile"
	"pakdb/internal/stored"
)

// appended is a pak that was appended to, and what it stands for.
func appended(t testing.TB) (pak, exact []byte) {
	t.Helper()
	v := pkdeltatest.Versions(t, &codecs.CreateOptions{Version: "11", Method: "zlib"})
	return appendedOf(t, v[0], v[1]), v[1]
}

func appendedOf(t testing.TB, old, new []byte) (pak []byte) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.pak"), old, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := update(t, dir, patchOf(t, old, new), appendTo("")); err != nil {
		t.Fatal(err)
	}
	return readPak(t, dir)
}

// TestDamagedRecords: whatever happened to the file, it stands for the exact one
// or for nothing.
func TestDamagedRecords(t *testing.T) {
	pak, exact := appended(t)
	mark := bytes.LastIndex(pak, []byte(recordMagic))
	length := int(binary.LittleEndian.Uint64(pak[mark-8:]))
	start := mark - 8 - length
	r := rand.New(rand.NewPCG(3, 4))
	stood := 0
	for i := range 400 {
		b := bytes.Clone(pak)
		switch i % 4 {
		case 0: // anywhere
			b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		case 1: // in the record
			b[start+r.IntN(length+recordTail)] ^= 1 << r.IntN(8)
		case 2: // cut
			b = b[:r.IntN(len(b))]
		case 3: // another length
			binary.LittleEndian.PutUint64(b[mark-8:], uint64(r.Int64())>>r.IntN(64))
		}
		v, f, err := standsFor(context.Background(), &program.Part{ReaderAt: bytes.NewReader(b)}, int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		if v == nil {
			continue
		}
		stood++
		got := make([]byte, v.Size())
		if err := stored.ReadAt(v, got, 0); err != nil || !bytes.Equal(got, exact) || f.Size != int64(len(exact)) {
			t.Fatalf("%d: %v, %d bytes", i, err, len(got))
		}
	}
	if stood == 0 {
		t.Error("damage of dead bytes does not matter, and yet none stood")
	}
}

// TestHostileRecords: what a record says about itself is not believed.
func TestHostileRecords(t *testing.T) {
	pak, exact := appended(t)
	mark := bytes.LastIndex(pak, []byte(recordMagic))
	start := mark - 8 - int(binary.LittleEndian.Uint64(pak[mark-8:]))
	before := pak[:start]
	file := func(size int64) pkdelta.File {
		return pkdelta.File{Name: "x.pak", Size: size, Sum: pkdelta.SumOfBytes(exact)}
	}
	for name, h := range map[string]*pkdelta.Header{
		"a result of any size":    {Files: pkdelta.Files{Old: []pkdelta.File{file(int64(start))}, New: []pkdelta.File{file(1 << 60)}}},
		"more than is before it":  {Files: pkdelta.Files{Old: []pkdelta.File{file(int64(start) + 1)}, New: []pkdelta.File{file(9)}}},
		"two results":             {Files: pkdelta.Files{Old: []pkdelta.File{file(int64(start))}, New: []pkdelta.File{file(9), {Name: "y", Size: 1}}}},
		"nothing to make it from": {Files: pkdelta.Files{New: []pkdelta.File{file(9)}}},
		"less than it says":       {Files: pkdelta.Files{Old: []pkdelta.File{file(int64(start))}, New: []pkdelta.File{file(9)}}},
		"a name elsewhere":        {Files: pkdelta.Files{Old: []pkdelta.File{file(int64(start))}, New: []pkdelta.File{{Name: "../x", Size: 9}}}},
	} {
		b := append(bytes.Clone(before), h.Marshal(nil)...)
		b = binary.LittleEndian.AppendUint64(b, uint64(len(b)-start))
		b = append(append(b, recordMagic...), pak[mark+len(recordMagic):]...)
		if v, f, err := standsFor(context.Background(), &program.Part{ReaderAt: bytes.NewReader(b)}, int64(len(b))); v != nil || err != nil {
			t.Errorf("%s: stands for %+v, %v", name, f, err)
		}
	}
}

// TestHostileJournals: a journal has its hash, and yet does not get what it asks.
func TestHostileJournals(t *testing.T) {
	state := pkdelta.File{Size: 10}
	long := pkdelta.File{Size: 1 << 40}
	for name, list := range map[string][]action{
		"a name above":           {{kind: actRemove, name: "../x"}},
		"an absolute name":       {{kind: actCreate, name: "x", temp: "/etc/x"}},
		"no action":              {{kind: 9, name: "x"}},
		"a piece behind":         {{kind: actChange, name: "x", before: state, after: state, pieces: []piece{{off: 5, n: 6, at: 8}}}},
		"bytes that are not":     {{kind: actChange, name: "x", before: state, after: state, pieces: []piece{{off: 5, n: 5, at: 12}}}},
		"a file of any size":     {{kind: actChange, name: "x", before: state, after: long}},
		"a hole":                 {{kind: actChange, name: "x", before: state, after: pkdelta.File{Size: 14}, pieces: []piece{{off: 12, n: 2, at: 8}}}},
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
		sum := pkdelta.SumOfBytes(b)
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

// TestUndoIsNoUpdate: an undo that would create or append is none.
func TestUndoIsNoUpdate(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	if err := writeJournal(atomicfile.In(t.Context(), root), "undo", []action{{kind: actCreate, name: "y", temp: "x"}}); err != nil {
		t.Fatal(err)
	}
	if err := Undo(context.Background(), filepath.Join(dir, "undo"), root); !errors.Is(err, ErrJournal) {
		t.Error(err)
	}
}

// FuzzActions: actions that can be read are written the same way, and what they
// want is within bounds.
func FuzzActions(f *testing.F) {
	sum := pkdelta.Sum{1, 2, 3}
	seed := marshalActions([]action{
		{kind: actChange, name: "a/b.pak", before: pkdelta.File{Size: 10, Sum: sum}, after: pkdelta.File{Size: 12, Sum: sum}, pieces: []piece{{off: 1, n: 2, at: 8}, {off: 9, n: 3, at: 10}}},
		{kind: actCreate, name: "c", temp: ".pakdb-c", after: pkdelta.File{Size: 3, Sum: sum}},
		{kind: actRemove, name: "d", before: pkdelta.File{Size: 3, Sum: sum}},
		{kind: actGrow, name: "e", before: pkdelta.File{Size: 5, Sum: sum}, after: pkdelta.File{Size: 9, Sum: sum}, pieces: []piece{{off: 7, n: 2, at: 9}}},
		{kind: actCut, name: "f", before: pkdelta.File{Size: 9, Sum: sum}, after: pkdelta.File{Size: 5, Sum: sum}},
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

// FuzzRecord: whatever the stream of a record has, it makes a file with the hash
// that it names, or none.
func FuzzRecord(f *testing.F) {
	// Small, for each execution reads it several times.
	same, huge := pkdeltatest.Content{Name: "Game/a.uasset", Data: pkdeltatest.Words(7, 900)}, pkdeltatest.Words(1, 4000)
	old := pkdeltatest.WritePak(f, &codecs.CreateOptions{Version: "11", Method: "zlib"}, []pkdeltatest.Content{same, {Name: "Game/b.umap", Data: huge}})
	exact := pkdeltatest.WritePak(f, &codecs.CreateOptions{Version: "11", Method: "zlib"}, []pkdeltatest.Content{same, {Name: "Game/b.umap", Data: append(bytes.Clone(huge), "more"...)}})
	pak := appendedOf(f, old, exact)
	mark := bytes.LastIndex(pak, []byte(recordMagic))
	start := mark - 8 - int(binary.LittleEndian.Uint64(pak[mark-8:]))
	h, _, err := pkdelta.ReadHeader(bytes.NewReader(pak[start:mark-8]), pkdelta.MaxHeader)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(pak[start+int(h.FrontSize) : mark-8])
	f.Fuzz(func(t *testing.T, stream []byte) {
		h := &pkdelta.Header{Files: pkdelta.Files{Old: []pkdelta.File{{Name: "x.pak", Size: int64(start)}}, New: h.New}, Needs: pkdelta.Needs{Memory: h.Memory}, Parts: []pkdelta.Segment{{Stored: int64(len(stream)), Sum: pkdelta.SumOfBytes(stream), File: 0}}}
		record := append(h.Frame(pkdelta.Version, append(h.Columns(), h.Sums()...), stream), stream...) // coding it takes 20 MB
		b := append(bytes.Clone(pak[:start]), record...)
		b = binary.LittleEndian.AppendUint64(b, uint64(len(record)))
		b = append(append(b, recordMagic...), pak[mark+len(recordMagic):]...)
		v, _, err := standsFor(context.Background(), &program.Part{ReaderAt: bytes.NewReader(b)}, int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		if v == nil {
			return
		}
		got := make([]byte, v.Size())
		err = stored.ReadAt(v, got, 0)
		if err = errors.Join(err, v.Spool.Close()); err != nil || !bytes.Equal(got, exact) {
			t.Fatalf("%d bytes, %v", len(got), err)
		}
	})
}
