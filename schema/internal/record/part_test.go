package record_test

import (
	"math/rand/v2"
	"testing"

	"pakdb/schema/internal/record"
)

// Each place has what the last part before it says.
func TestParts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for bits := range 55 {
		var parts []record.Part
		want := make([]int64, 1000)
		for at := range want {
			if at > 0 {
				want[at] = want[at-1]
			}
			if at > 0 && r.IntN(20) == 0 {
				want[at] = r.Int64N(1<<(bits+1)) - 1<<bits
				parts = append(parts, record.Part{At: uint16(at), More: want[at]})
			}
		}
		width, packed := record.PackParts(parts)
		if most := int64(bits/8 + 1); width > most {
			t.Errorf("numbers of %d bits take %d bytes", bits+1, width)
		}
		for at := range want {
			if got, err := record.MoreAt(packed, width, int64(at)); err != nil || got != want[at] {
				t.Fatalf("%d bits, at %d: %d, %v; want %d", bits, at, got, err, want[at])
			}
		}
		last := want[len(want)-1]
		if got, err := record.MoreAt(packed, width, 1<<40); err != nil || got != last {
			t.Errorf("far behind the last part: %d, %v; want %d", got, err, last)
		}
	}
}

func TestDamagedParts(t *testing.T) {
	for _, c := range []struct {
		packed []byte
		width  int64
	}{{make([]byte, 4), 0}, {make([]byte, 4), -2}, {make([]byte, 10), 8}, {make([]byte, 4), 1}, {make([]byte, 7), 1 << 40}} {
		if got, err := record.MoreAt(c.packed, c.width, 0); err == nil {
			t.Errorf("%d bytes with numbers of %d: %d, want an error", len(c.packed), c.width, got)
		}
	}
}
