package all_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
)

// block is a stored block of a sample and what it decodes to.
type block struct {
	at              string
	stored, decoded []byte
}

// zlibBlocks returns all zlib blocks of the samples in a folder that are not
// encrypted.
func zlibBlocks(t testing.TB, folder string) (blocks []block) {
	t.Helper()
	err := filepath.WalkDir(codecstest.Sample(t, folder), func(path string, d fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); err != nil || ext != ".pak" && ext != ".utoc" {
			return err
		}
		blocks = append(blocks, archiveBlocks(t, path)...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return blocks
}

func archiveBlocks(t testing.TB, path string) (blocks []block) {
	src := codecstest.OpenFile(t, path)
	a, _, err := all.Registry().Open(t.Context(), src, nil)
	if err != nil {
		return nil // encrypted
	}
	t.Cleanup(func() { _ = a.Close() })
	data, err := os.ReadFile(strings.TrimSuffix(path, ".utoc") + map[bool]string{true: ".ucas"}[filepath.Ext(path) == ".utoc"])
	if err != nil {
		t.Fatal(err)
	}
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
			stored, decoded := data[b.Offset:b.Offset+b.Stored], make([]byte, b.Size)
			if compress.Decode(compress.Zlib, decoded, stored) != nil {
				continue // stored as it is
			}
			blocks = append(blocks, block{filepath.Base(path) + ": " + e.Name, stored, decoded})
		}
	}
	return blocks
}

// Every zlib block that UnrealPak, the engine and others made is re-created.
func TestUnrealSamples(t *testing.T) {
	blocks := append(zlibBlocks(t, "unreal-pak"), zlibBlocks(t, "iostore")...)
	if len(blocks) < 500 {
		t.Errorf("only %d blocks found", len(blocks))
	}
	var e compress.ZlibEncoder
	bad := 0
	for _, b := range blocks {
		got, err := e.Encode(nil, b.decoded, compress.ZlibDefault)
		if err != nil || !bytes.Equal(got, b.stored) {
			bad++
			t.Errorf("%s: block of %d bytes, %d stored, header %x: %d bytes, %v", b.at, len(b.decoded), len(b.stored), b.stored[:2], len(got), err)
		}
	}
	t.Logf("%d of %d blocks re-created", len(blocks)-bad, len(blocks))
}
