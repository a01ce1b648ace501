package gpak_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/codecs/gpak"
)

// noise returns n bytes, half of which repeat what stands before them.
func noise(n int) []byte {
	random := rand.New(rand.NewPCG(uint64(n), 1))
	b := make([]byte, 0, n+1<<10)
	for len(b) < n {
		b = binary.LittleEndian.AppendUint64(b, random.Uint64())
		if back := random.IntN(1 << 12); back < len(b) {
			b = append(b, b[len(b)-back:][:min(back, 9)]...)
		}
	}
	return b[:n]
}

// allocated returns what f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// sameContent compares the content of an entry, and that its memory is bounded.
func sameContent(t *testing.T, a codecs.Archive, e *codecs.Entry, want []byte) {
	t.Helper()
	got := make([]byte, len(want))
	used := allocated(func() {
		r, err := a.Open(context.Background(), e)
		if err != nil {
			t.Fatalf("%s: %v", e.Name, err)
		}
		_, err = io.ReadFull(r, got)
		if n, end := r.Read(make([]byte, 1)); err != nil || n != 0 || end != io.EOF {
			t.Fatalf("%s: %v, then %d bytes, %v", e.Name, err, n, end)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	})
	if !bytes.Equal(got, want) {
		t.Errorf("%s: another content", e.Name)
	}
	if most := uint64(3 << 20); len(want) > 8<<20 && used > most {
		t.Errorf("%s: %d bytes of memory for %d of content", e.Name, used, len(want))
	}
}

// Large entries of all kinds, as they are written.
func TestLargeEntries(t *testing.T) {
	for _, version := range kinds {
		t.Run(version, func(t *testing.T) {
			sizes := map[string]int{"a": 10, "b": 4<<20 - 1, "c": 4 << 20, "d": 9<<20 + 5, "e": 1 << 20}
			var out codecstest.Buffer
			w, err := gpak.Format().Create(&out, &codecs.CreateOptions{Version: version})
			if err != nil {
				t.Fatal(err)
			}
			for name, n := range sizes {
				if err := w.Add(context.Background(), &codecs.Entry{Name: name, Size: int64(n)}, bytes.NewReader(noise(n))); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			a := codecstest.Open(t, gpak.Format(), codecstest.Bytes("a.sip", out.Bytes()), nil)
			for e, err := range a.Entries() {
				if err != nil {
					t.Fatal(err)
				}
				sameContent(t, a, e, noise(sizes[e.Name]))
			}
			if same := repack(t, codecstest.Bytes("a.sip", out.Bytes()), &codecs.CreateOptions{Version: version}); !bytes.Equal(same, out.Bytes()) {
				t.Error("packed again it is another file")
			}
		})
	}
}

// scattered returns a database whose large blobs lie in pieces, in rows of all forms, and
// what is in it.
func scattered(t *testing.T, pageSize int) ([]byte, map[string][]byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	exec := func(s string, args ...any) {
		t.Helper()
		if _, err := db.Exec(s, args...); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	exec(fmt.Sprintf(`PRAGMA page_size = %d`, pageSize))
	exec(`PRAGMA synchronous = OFF`)
	exec(`BEGIN`)
	exec(`CREATE TABLE data_tbl (s REAL, extra, n TEXT UNIQUE COLLATE NOCASE, more, B BLOB, l INTEGER, i INTEGER)`)
	exec(ver15)
	for i := range 400 {
		exec(`INSERT INTO data_tbl (rowid, n, b, l, i) VALUES (?, ?, zeroblob(30000), 30000, ?)`, 10*i-500, fmt.Sprint("fill", i), i)
	}
	exec(`DELETE FROM data_tbl WHERE rowid % 20 = 0`)
	want := map[string][]byte{}
	for i, n := range []int{4 << 20, 4<<20 + pageSize - 30, 10 << 20, 5<<20 + 1} {
		name := fmt.Sprint("large", i)
		want[name] = noise(n)
		exec(`INSERT INTO data_tbl (rowid, s, extra, n, more, b, l, i) VALUES (?, NULL, ?, ?, ?, ?, ?, ?)`, []int64{-1 << 62, -255, 4001, 1 << 62}[i],
			[]any{nil, 1.5, int64(1) << 40, "text"}[i], name, []any{int64(-300), nil, 1, 0}[i], want[name], n, i-10)
	}
	exec(`COMMIT`)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b, want
}

func TestScatteredBlobs(t *testing.T) {
	for _, pageSize := range []int{512, 1024, 4096, 65536} {
		t.Run(fmt.Sprint(pageSize), func(t *testing.T) {
			b, want := scattered(t, pageSize)
			a := codecstest.Open(t, gpak.Format(), codecstest.Bytes("a.sip", b), nil)
			found := 0
			for e, err := range a.Entries() {
				if err != nil {
					t.Fatal(err)
				}
				content, ok := want[e.Name]
				if !ok {
					continue
				}
				found++
				sameContent(t, a, e, content)
				raw, err := a.OpenRaw(e)
				if err != nil {
					t.Fatal(err)
				}
				for _, off := range []int{len(content) - 1, 0, len(content) / 2, 3} {
					p := make([]byte, 70_000)
					n, err := raw.ReadAt(p, int64(off))
					if short := len(content)-off < len(p); !bytes.Equal(p[:n], content[off:min(off+len(p), len(content))]) || short != (err == io.EOF) {
						t.Errorf("%s: %d bytes at %d, %v", e.Name, n, off, err)
					}
				}
			}
			if found != len(want) {
				t.Errorf("%d of %d", found, len(want))
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// A chain of pages that leads nowhere, or in a circle, ends with an error or with as many
// bytes as the row has, and no byte that lies elsewhere is read for it.
func TestDamagedChains(t *testing.T) {
	b, want := scattered(t, 1024)
	var at int // of the number of the next page, in the middle of a blob
	for name, content := range want {
		if name == "large2" {
			piece := content[len(content)/2:][:900]
			if at = bytes.Index(b, piece); at < 0 {
				piece = piece[450:][:40]
				at = bytes.Index(b, piece)
			}
			at = at / 1024 * 1024
		}
	}
	for name, next := range map[string]uint32{"none": 0, "the first": 1, "behind the end": uint32(len(b)/1024 + 1), "far": 1<<32 - 1, "itself": uint32(at/1024 + 1)} {
		t.Run(name, func(t *testing.T) {
			bad := bytes.Clone(b)
			binary.BigEndian.PutUint32(bad[at:], next)
			a := codecstest.Open(t, gpak.Format(), codecstest.Bytes("a.sip", bad), nil)
			for e, err := range a.Entries() {
				if err != nil || e.Name != "large2" {
					continue
				}
				got, err := codecstest.ReadEntry(context.Background(), a, e)
				var fe *codecs.FormatError
				if name == "itself" {
					if err != nil || bytes.Equal(got, want[e.Name]) {
						t.Errorf("%d bytes, %v", len(got), err)
					}
				} else if !errors.Is(err, codecs.ErrCorrupt) || !errors.As(err, &fe) || fe.Entry != "large2" || fe.Field != "b" {
					t.Errorf("%d bytes, %v", len(got), err)
				}
			}
		})
	}
}

// A large block that does not decode is damage of its entry, wherever it breaks off.
func TestDamagedLargeBlock(t *testing.T) {
	block, err := compress.Encode(compress.LZ4, nil, noise(9<<20))
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(e *kapgEntry){
		"longer": func(e *kapgEntry) { e.size++ }, "shorter": func(e *kapgEntry) { e.size-- }, "cut": func(e *kapgEntry) { e.csz -= 10 },
	} {
		e := raw("A", 0)
		e.csz, e.size = int32(len(block)), 9<<20
		change(&e)
		a := codecstest.Open(t, gpak.Format(), codecstest.Bytes("a.sip", kapgFile(block, e)), nil)
		for e, err := range a.Entries() {
			if err != nil {
				t.Fatal(err)
			}
			_, err := codecstest.ReadEntry(context.Background(), a, e)
			var fe *codecs.FormatError
			if !errors.Is(err, codecs.ErrCorrupt) || !errors.As(err, &fe) || fe.Entry != "A" || fe.Field != "data" {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
