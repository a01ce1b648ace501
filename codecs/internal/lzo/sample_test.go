package lzo_test

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"pakdb/codecs/internal/lzo"
)

// sample returns a file of the samples folder, or skips the test.
func sample(tb testing.TB, name string) []byte {
	tb.Helper()
	dir := os.Getenv("PAKDB_SAMPLES")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "samples")
	}
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		tb.Skipf("no samples (set PAKDB_SAMPLES): %v", err)
	}
	return data
}

type sampleEntry struct {
	Index        int
	Type         string
	Compressed   int
	FileOffset   int64  `json:"file_offset"`
	ExtractedSHA string `json:"extracted_sha1"`
}

// TestSamplePaks decodes each compressed entry of the Corruption samples, whose
// streams Prime World Editor and Retro's own compressor made.
func TestSamplePaks(t *testing.T) {
	var truth map[string]json.RawMessage
	if err := json.Unmarshal(sample(t, "retro-pak/truth.json"), &truth); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"mp3_small.pak", "mp3_small_v2.pak"} {
		pak := sample(t, "retro-pak/"+name)
		var want struct{ Entries []sampleEntry }
		if err := json.Unmarshal(truth[name], &want); err != nil {
			t.Fatal(err)
		}
		decoded := 0
		for _, e := range want.Entries {
			if e.Compressed == 0 {
				continue
			}
			got := decodeCMPD(t, pak[e.FileOffset:])
			if sum := sha1.Sum(got); hex.EncodeToString(sum[:]) != e.ExtractedSHA {
				t.Errorf("%s: entry %d (%s): %d bytes of another content", name, e.Index, e.Type, len(got))
			}
			decoded++
		}
		if decoded < 10 {
			t.Errorf("%s: only %d compressed entries", name, decoded)
		}
	}
}

// decodeCMPD trusts its input: see the retropak package for a reader that does
// not.
func decodeCMPD(t *testing.T, entry []byte) (out []byte) {
	if !bytes.HasPrefix(entry, []byte("CMPD")) {
		t.Fatalf("entry begins with %q", entry[:4])
	}
	n := int(binary.BigEndian.Uint32(entry[4:]))
	table, data := entry[8:8+8*n], entry[8+8*n:]
	for ; len(table) > 0; table = table[8:] {
		stored := binary.BigEndian.Uint32(table) & 0xffffff
		block := make([]byte, binary.BigEndian.Uint32(table[4:]))
		if int(stored) == len(block) {
			copy(block, data)
		} else if read, err := lzo.DecodeSegmented(block, data[:stored]); err != nil || read != int(stored) {
			t.Errorf("block of %d bytes: read %d, %v", stored, read, err)
		}
		out, data = append(out, block...), data[stored:]
	}
	return out
}
