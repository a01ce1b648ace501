package store

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// FuzzManifest reads the JSON that a server sends.
func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"pakdb":1,"builds":["1.0","1.1"]}`))
	f.Add([]byte(`{"pakdb":1,"label":"1.0","files":{"object":"00","at":[1,2,3,4]},"deltas":[{"name":"a"}]}`))
	f.Add([]byte(`[{"path":"a/b","size":3,"blake3":"00","recipe":[1,2,3,4]}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		index, err := parseIndex(b)
		checkRead(t, index, err, parseIndex)
		build, err := parseBuild(b)
		checkRead(t, build, err, parseBuild)
		if files, err := parseFiles(b); err == nil {
			_ = (&Build{}).setFiles(files)
		}
	})
}

// checkRead: what is read is of a known class of errors, or reads the same again.
func checkRead[T any](t *testing.T, v *T, err error, parse func([]byte) (*T, error)) {
	t.Helper()
	if err != nil {
		if !errors.Is(err, ErrCorrupt) && !errors.Is(err, errors.ErrUnsupported) {
			t.Error(err)
		}
		return
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := parse(text); err != nil || !reflect.DeepEqual(again, v) {
		t.Errorf("%s is not read again: %v", text, err)
	}
}

// FuzzPack reads a pack's directory, which is compressed, with frames before it.
func FuzzPack(f *testing.F) {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte{1, 10, 0}, byte(10))
	f.Add(append([]byte{1, 9, 1, 2}, make([]byte, 30)...), byte(9))
	f.Fuzz(func(t *testing.T, directory []byte, frames byte) {
		coded := z.EncodeAll(directory, nil)
		b := append(make([]byte, frames), coded...)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(coded)))
		info, rows, err := parsePack(append(b, packMagic...), 0)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Error(err)
			}
			return
		}
		for _, r := range rows {
			if r.frame >= len(info.frames) {
				t.Errorf("frame %d of %d", r.frame, len(info.frames))
			}
		}
		_, _, _ = parsePack(directory, 0)
	})
}
