package lzo_test

import (
	"encoding/binary"
	"io"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/codecs/internal/lzo"
	"pakdb/codecs/retropak"
)

// exactSegment is a stream of a sample and what it decodes to.
type exactSegment struct{ stored, decoded []byte }

// segments returns those of a pak, which is trusted.
func segments(t testing.TB, name string) (list []exactSegment) {
	a := codecstest.Open(t, retropak.Format(), codecstest.OpenFile(t, codecstest.Sample(t, "retro-pak", name)), nil)
	for entry, err := range a.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		if entry.Method != compress.LZO1X {
			continue
		}
		raw, err := a.OpenRaw(entry)
		if err != nil {
			t.Fatal(err)
		}
		all, err := io.ReadAll(raw)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range entry.Blocks {
			if b.Stored != b.Size {
				at := b.Offset - entry.Offset
				list = append(list, cut(t, all[at:at+b.Stored], int(b.Size))...)
			}
		}
	}
	return list
}

func cut(t testing.TB, stored []byte, size int) (list []exactSegment) {
	for size > 0 {
		n := int(int16(binary.BigEndian.Uint16(stored)))
		decoded := make([]byte, min(size, lzo.SegmentSize))
		size -= len(decoded)
		if n < 0 {
			stored = stored[2-n:]
			continue
		}
		if _, _, err := lzo.Decode(decoded, stored[2:2+n]); err != nil {
			t.Fatal(err)
		}
		list = append(list, exactSegment{stored[2 : 2+n], decoded})
		stored = stored[2+n:]
	}
	return list
}

// TestSamples makes the segments of the Corruption samples again, which Retro's
// compressor and Prime World Editor's made: all of them at level 8.
func TestSamples(t *testing.T) {
	var e lzo.Encoder
	count, made := 0, [lzo.MaxLevel + 1]int{}
	for _, name := range []string{"mp3_small.pak", "mp3_small_v2.pak"} {
		for _, s := range segments(t, name) {
			count++
			for _, level := range lzo.Levels() {
				if e.Makes(s.stored, s.decoded, level) {
					made[level]++
				}
			}
			if level, ok := e.Recognize(s.stored, s.decoded); !ok || level != 8 {
				t.Errorf("%s: recognised as %d, %v", name, level, ok)
			}
		}
	}
	t.Logf("%d segments, re-created by level 1 to 9: %v", count, made[1:])
	if count < 51 || made[8] != count {
		t.Errorf("%d of %d segments", made[8], count)
	}
}
