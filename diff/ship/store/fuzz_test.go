package store

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/klauspost/compress/zstd"
)

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
		info, rows, err := ParsePack(append(b, PackMagic...), 0)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Error(err)
			}
			return
		}
		for _, r := range rows {
			if r.Frame >= len(info.Ends) {
				t.Errorf("frame %d of %d", r.Frame, len(info.Ends))
			}
		}
		_, _, _ = ParsePack(directory, 0)
	})
}
