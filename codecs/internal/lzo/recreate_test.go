package lzo_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"pakdb/codecs/internal/lzo"
	"pakdb/internal/lzotest"
)

// TestRecreateSamples reports how many of the samples' LZO segments the encoder
// re-creates. Those of Prime World Editor, which links the C library, are made
// with LZO1X-999 at level 8; package lzotest tells why it differs, and lzo.Encoder does
// not.
func TestRecreateSamples(t *testing.T) {
	for _, name := range []string{"mp3_small.pak", "mp3_small_v2.pak"} {
		pak := sample(t, "retro-pak/"+name)
		segments, same := 0, map[int]int{}
		for _, block := range cmpdBlocks(pak) {
			for stored := block.stored; len(stored) > 2; {
				n := int(int16(binary.BigEndian.Uint16(stored)))
				if n <= 0 || n > len(stored)-2 {
					break // stored as it is, or the padding behind
				}
				size := min(lzo.SegmentSize, block.size)
				block.size -= size
				plain := make([]byte, size)
				if _, _, err := lzo.Decode(plain, stored[2:2+n]); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				segments++
				for _, level := range []int{lzotest.LevelFast, lzotest.LevelBest} {
					if b, err := lzotest.Encode(nil, plain, level); err == nil && bytes.Equal(b, stored[2:2+n]) {
						same[level]++
					}
				}
				stored = stored[2+n:]
			}
		}
		if segments < 10 {
			t.Errorf("%s: only %d segments", name, segments)
		}
		t.Logf("%s: %d segments, re-created by level: %v", name, segments, same)
	}
}

type cmpdBlock struct {
	stored []byte
	size   int
}

// cmpdBlocks finds the compressed blocks of every CMPD entry of a sample, which
// is trusted.
func cmpdBlocks(pak []byte) (blocks []cmpdBlock) {
	for at := bytes.Index(pak, []byte("CMPD")); at >= 0; {
		entry := pak[at:]
		n := int(binary.BigEndian.Uint32(entry[4:]))
		if n < 1 || n > 4 {
			break
		}
		table, data := entry[8:8+8*n], entry[8+8*n:]
		for ; len(table) > 0; table = table[8:] {
			stored, size := int(binary.BigEndian.Uint32(table)&0xffffff), int(binary.BigEndian.Uint32(table[4:]))
			if stored < size {
				blocks = append(blocks, cmpdBlock{data[:stored], size})
			}
			data = data[stored:]
		}
		next := bytes.Index(pak[at+4:], []byte("CMPD"))
		if next < 0 {
			break
		}
		at += 4 + next
	}
	return blocks
}
