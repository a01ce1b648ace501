package all_test

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	kpzlib "github.com/klauspost/compress/zlib"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/codecs/internal/inflate"
)

// zblock is a zlib block of an archive, and room for what it decodes to.
type zblock struct{ src, dst []byte }

// archiveBlocks returns every nth zlib block of an archive that is not encrypted.
func inflateBlocks(t testing.TB, path string, nth int) (blocks []zblock) {
	a, _, err := all.Registry().Open(t.Context(), codecstest.OpenFile(t, path), nil)
	if err != nil {
		return nil // encrypted
	}
	t.Cleanup(func() { _ = a.Close() })
	file, err := os.Open(strings.TrimSuffix(path, ".utoc") + map[bool]string{true: ".ucas"}[filepath.Ext(path) == ".utoc"])
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	n := 0
	for e, err := range a.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		if e.Method != compress.Zlib || e.Flags&codecs.Encrypted != 0 {
			continue
		}
		parts := e.Blocks
		if parts == nil {
			parts = []codecs.Block{{Offset: e.Offset, Stored: e.Stored, Size: e.Size}}
		}
		for _, b := range parts {
			if n++; n%nth != 0 || b.Stored == b.Size { // as it is
				continue
			}
			src := make([]byte, b.Stored)
			if _, err := file.ReadAt(src, b.Offset); err != nil {
				t.Fatal(err)
			}
			blocks = append(blocks, zblock{src, make([]byte, b.Size)})
		}
	}
	return blocks
}

// sampleBlocks returns the zlib blocks of all samples.
func sampleBlocks(t testing.TB) (blocks []zblock) {
	for _, folder := range []string{"unreal-pak", "iostore"} {
		err := filepath.WalkDir(codecstest.Sample(t, folder), func(path string, d fs.DirEntry, err error) error {
			if ext := filepath.Ext(path); err != nil || ext != ".pak" && ext != ".utoc" {
				return err
			}
			blocks = append(blocks, inflateBlocks(t, path, 1)...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return blocks
}

// peer decodes src by klauspost/compress, into exactly size bytes, and returns how many
// bytes of src that took.
func peer(src []byte, size int) (out []byte, read int, err error) {
	in := bytes.NewReader(src)
	r, err := kpzlib.NewReader(in)
	if err != nil {
		return nil, 0, err
	}
	if out, err = io.ReadAll(r); err == nil && len(out) != size {
		err = fmt.Errorf("%d bytes, not %d", len(out), size)
	}
	return out, len(src) - in.Len(), err
}

// Blocks that UnrealPak, the engine and others made.
func TestSamples(t *testing.T) {
	blocks := sampleBlocks(t)
	if len(blocks) < 500 {
		t.Errorf("only %d blocks found", len(blocks))
	}
	var d inflate.Decoder
	for i, b := range blocks {
		want, read, err := peer(b.src, len(b.dst))
		if err != nil {
			t.Fatalf("block %d, %d bytes: klauspost/compress: %v", i, len(b.src), err)
		}
		n, err := d.Zlib(b.dst, b.src)
		if err != nil || n != read || !bytes.Equal(b.dst, want) {
			t.Errorf("block %d, %d bytes: %v", i, len(b.src), err)
		}
	}
	t.Logf("%d blocks", len(blocks))
}

// benchBlocks are those of the samples, or a part of PAKDB_BENCH_FILE.
func benchBlocks(b *testing.B) (blocks []zblock) {
	if name := os.Getenv("PAKDB_BENCH_FILE"); name != "" {
		return inflateBlocks(b, name, 5)
	}
	return sampleBlocks(b)
}

func bench(b *testing.B, blocks []zblock, decode func(zblock) error) {
	var size int64
	for _, k := range blocks {
		size += int64(len(k.dst))
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, k := range blocks {
			if err := decode(k); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkZlib decodes the blocks of the samples, or those of the archive that
// PAKDB_BENCH_FILE names.
func BenchmarkZlib(b *testing.B) {
	var d inflate.Decoder
	bench(b, benchBlocks(b), func(k zblock) error {
		_, err := d.Zlib(k.dst, k.src)
		return err
	})
}

// BenchmarkKlauspost is what the same costs in klauspost/compress, whose reader
// is used again, too.
func BenchmarkKlauspost(b *testing.B) {
	var r io.ReadCloser
	var in bytes.Reader
	bench(b, benchBlocks(b), func(k zblock) (err error) {
		in.Reset(k.src)
		if r == nil {
			r, err = kpzlib.NewReader(&in)
		} else {
			err = r.(kpzlib.Resetter).Reset(&in, nil)
		}
		if err == nil {
			_, err = io.ReadFull(r, k.dst)
		}
		return err
	})
}
