package gear_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"pakdb/internal/gear"
)

func random(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// TestTablesStay: stores, patches and catalogs that exist depend on the numbers.
func TestTablesStay(t *testing.T) {
	for name, c := range map[string]struct {
		table       gear.Table
		first, last uint64
	}{
		"sketches": {gear.Mixed(0), 0xe220a8397b1dcdaf, 0x5a5832bb47bcf19e},
		"patches":  {gear.Mixed(1), 0x910a2dec89025cc1, 0x20933f9b9211242a},
		"stores":   {gear.Hashed(), 0xf1611bf1dfde3a2d, 0x6d93c57b374dd499},
	} {
		if c.table[0] != c.first || c.table[255] != c.last {
			t.Errorf("%s: %#x and %#x, want %#x and %#x", name, c.table[0], c.table[255], c.first, c.last)
		}
	}
}

// TestCutIsLocal: the chunks of a content are those of the same content behind
// other bytes, but for the first ones.
func TestCutIsLocal(t *testing.T) {
	table, b := gear.Mixed(0), random(1<<18)
	ends := func(p []byte, off int) map[int]bool {
		all := map[int]bool{}
		for at := 0; at < len(p); {
			at += table.Cut(p[at:min(len(p), at+8<<10)], 512, 10)
			all[at-off] = true
		}
		return all
	}
	before, after := ends(b, 0), ends(append([]byte("inserted"), b...), 8)
	same := 0
	for at := range after {
		if before[at] {
			same++
		}
	}
	if same < len(before)*9/10 || len(before) < 100 {
		t.Errorf("%d of %d chunks end where they did", same, len(before))
	}
}

// TestCutByItsRule: the length is that of the rule, byte by byte.
func TestCutByItsRule(t *testing.T) {
	table, b := gear.Hashed(), random(40_000)
	for _, c := range []struct{ n, least, bits int }{{40_000, 64, 6}, {40_000, 256, 10}, {40_000, 2048, 13}, {300, 256, 10}, {256, 256, 10}, {0, 256, 10}, {10, 64, 1}, {4000, 512, 60}} {
		p, want := b[:c.n], c.n
		for end := c.least + 1; end <= len(p); end++ {
			h := uint64(0)
			for _, x := range p[end-gear.Window : end] {
				h = table.Next(h, x)
			}
			if h>>(64-c.bits) == 0 {
				want = end
				break
			}
		}
		if got := table.Cut(p, c.least, c.bits); got != want {
			t.Errorf("%+v: %d, want %d", c, got, want)
		}
	}
	if n := table.Cut(bytes.Repeat([]byte{7}, 5000), 256, 10); n != 5000 && n != 257 {
		t.Errorf("of equal bytes %d", n)
	}
}

// FuzzCut compares Cut with the rule, a byte at a time.
func FuzzCut(f *testing.F) {
	f.Add(random(3000), 64, 10)
	f.Add(bytes.Repeat([]byte{0, 1}, 200), 70, 3)
	table := gear.Mixed(0)
	f.Fuzz(func(t *testing.T, p []byte, least, bits int) {
		least, bits = gear.Window+least&1023, 1+bits&15
		want, h := len(p), uint64(0)
		for i, b := range p {
			if h = table.Next(h, b); i >= least && h>>(64-bits) == 0 {
				want = i + 1
				break
			}
		}
		if got := table.Cut(p, least, bits); got != want {
			t.Errorf("least %d, %d bits, of %d bytes: %d, want %d", least, bits, len(p), got, want)
		}
	})
}

func BenchmarkCut(b *testing.B) {
	table, content := gear.Mixed(0), random(1<<20)
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		for at := 0; at < len(content); {
			at += table.Cut(content[at:min(len(content), at+8<<10)], 512, 10)
		}
	}
}
