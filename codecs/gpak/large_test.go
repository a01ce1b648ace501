package gpak_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/codecs/gpak"
	"pakdb/internal/testkit"
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

// Large entries of all kinds, as they are written.
func TestLargeEntries(t *testing.T) {
	testkit.NotShort(t)
	for _, version := range kinds {
		t.Run(version, func(t *testing.T) {
			sizes := map[string]int{"a": 10, "b": 4<<20 + 5, "c": 1 << 20}
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
				if got, err := codecstest.ReadEntry(t.Context(), a, e); err != nil || !bytes.Equal(got, noise(sizes[e.Name])) {
					t.Errorf("%s: %d bytes, %v", e.Name, len(got), err)
				}
			}
			if same := repack(t, codecstest.Bytes("a.sip", out.Bytes()), &codecs.CreateOptions{Version: version}); !bytes.Equal(same, out.Bytes()) {
				t.Error("packed again it is another file")
			}
		})
	}
}

// A large block that does not decode is damage of its entry, wherever it breaks off.
func TestDamagedLargeBlock(t *testing.T) {
	block, err := compress.Encode(compress.LZ4, nil, noise(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(e *kapgEntry){
		"longer": func(e *kapgEntry) { e.size++ }, "shorter": func(e *kapgEntry) { e.size-- }, "cut": func(e *kapgEntry) { e.csz -= 10 },
	} {
		e := raw("A", 0)
		e.csz, e.size = int32(len(block)), 1<<20
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
