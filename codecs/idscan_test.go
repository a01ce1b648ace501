package codecs_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pakdb/codecs"
)

type hit struct {
	off int
	id  uint64
}

func scan(s *codecs.IDSet, content []byte) []hit {
	var hits []hit
	s.Scan(content, func(off int, id uint64) { hits = append(hits, hit{off, id}) })
	return hits
}

func TestIDSetScan(t *testing.T) {
	const id = 0x1122334455667788
	le := binary.LittleEndian.AppendUint64(nil, id)
	be := binary.BigEndian.AppendUint64(nil, id)
	tests := []struct {
		name    string
		layout  codecs.IDLayout
		ids     []uint64
		content []byte
		want    []hit
	}{
		{"unaligned little-endian", codecs.IDLayout{Width: 8}, []uint64{id}, cat("abc", le, "d"), []hit{{3, id}}},
		{"unaligned big-endian", codecs.IDLayout{Width: 8, Big: true}, []uint64{id}, cat("abc", be, "d"), []hit{{3, id}}},
		{"other byte order", codecs.IDLayout{Width: 8}, []uint64{id}, cat("abc", be, "d"), nil},
		{"at both ends", codecs.IDLayout{Width: 8}, []uint64{id}, cat(le, le), []hit{{0, id}, {8, id}}},
		{"one byte short", codecs.IDLayout{Width: 8}, []uint64{id}, le[:7], nil},
		{"aligned", codecs.IDLayout{Width: 8, Align: 4}, []uint64{id}, cat("abcd", le), []hit{{4, id}}},
		{"not at a multiple", codecs.IDLayout{Width: 8, Align: 4}, []uint64{id}, cat("abc", le, "d"), nil},
		{"32 bits big-endian", codecs.IDLayout{Width: 4, Big: true, Align: 4}, []uint64{0x11223344, 0x55667788},
			be, []hit{{0, 0x11223344}, {4, 0x55667788}}},
		{"32 bits little-endian", codecs.IDLayout{Width: 4}, []uint64{0x22334455}, cat("abc", le), []hit{{6, 0x22334455}}},
		{"32 bits one byte short", codecs.IDLayout{Width: 4}, []uint64{0x11223344}, be[:3], nil},
		{"overlapping", codecs.IDLayout{Width: 8}, []uint64{0x0101010101010101}, slices.Repeat([]byte{1}, 10),
			[]hit{{0, 0x0101010101010101}, {1, 0x0101010101010101}, {2, 0x0101010101010101}}},
		{"zero is never known", codecs.IDLayout{Width: 8}, []uint64{0, id}, make([]byte, 64), nil},
		{"empty set", codecs.IDLayout{Width: 8}, nil, le, nil},
		{"empty content", codecs.IDLayout{}, []uint64{id}, nil, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := codecs.NewIDSet(test.layout, slices.Values(test.ids))
			if got := scan(s, test.content); !slices.Equal(got, test.want) {
				t.Errorf("Scan = %x, want %x", got, test.want)
			}
		})
	}
}

// Every planted id is found, and nothing else, in noise.
func TestIDSetScanNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	ids := make([]uint64, 1000)
	content := noise(r, 1<<18)
	var want []hit
	for i := range ids {
		ids[i] = r.Uint64()
		off := i*256 + r.IntN(200)
		binary.BigEndian.PutUint64(content[off:], ids[i])
		want = append(want, hit{off, ids[i]})
	}
	s := codecs.NewIDSet(codecs.IDLayout{Width: 8, Big: true}, slices.Values(ids))
	if got := scan(s, content); !slices.Equal(got, want) {
		t.Errorf("%d hits, want %d", len(got), len(want))
	}
}

// Scan finds what looking at every place finds.
func TestIDSetScanProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		layout := codecs.IDLayout{Width: rapid.SampledFrom([]int{4, 8}).Draw(t, "width"),
			Big: rapid.Bool().Draw(t, "big"), Align: rapid.IntRange(0, 5).Draw(t, "align")}
		content := rapid.SliceOfN(rapid.ByteRange(0, 2), 0, 40).Draw(t, "content") // few values: many hits
		load := func(off int) uint64 {
			b := slices.Clone(content[off : off+layout.Width])
			if layout.Big {
				slices.Reverse(b)
			}
			return binary.LittleEndian.Uint64(append(b, 0, 0, 0, 0))
		}
		last := len(content) - layout.Width
		var ids []uint64
		for _, off := range rapid.SliceOf(rapid.IntRange(0, max(last, 0))).Draw(t, "places") {
			if off <= last {
				ids = append(ids, load(off))
			}
		}
		var want []hit
		for off := 0; off <= last; off += max(layout.Align, 1) {
			if id := load(off); id != 0 && slices.Contains(ids, id) {
				want = append(want, hit{off, id})
			}
		}
		if got := scan(codecs.NewIDSet(layout, slices.Values(ids)), content); !slices.Equal(got, want) {
			t.Fatalf("Scan = %x, want %x", got, want)
		}
	})
}

func BenchmarkIDSetScan(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	random := noise(r, 4<<20)
	for _, layout := range []codecs.IDLayout{{Width: 8}, {Width: 8, Big: true}, {Width: 4, Align: 4, Big: true}} {
		for _, n := range []int{50_000, 260_000} {
			ids := make([]uint64, n)
			for i := range ids {
				ids[i] = r.Uint64()
			}
			s := codecs.NewIDSet(layout, slices.Values(ids))
			b.Run(fmt.Sprintf("width=%d/big=%v/ids=%d", layout.Width, layout.Big, n), func(b *testing.B) {
				b.SetBytes(int64(len(random)))
				b.ReportAllocs()
				for b.Loop() {
					s.Scan(random, func(int, uint64) {})
				}
			})
		}
	}
}

func noise(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func cat(parts ...any) []byte {
	var b []byte
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			b = append(b, p...)
		case []byte:
			b = append(b, p...)
		}
	}
	return b
}
