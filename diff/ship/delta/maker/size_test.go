package maker

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/deltatest"
	"pakdb/internal/testkit"
)

// TestSizes guards kinds of pairs on which a public tool once needed fewer bytes.
// docs/bench_delta_hunt.py compares them with the tools themselves; the bounds
// are what patches had when this was written, with a little room.
func TestSizes(t *testing.T) {
	if testing.Short() {
		t.Skip("tens of megabytes of noise")
	}
	noise, text, more := string(deltatest.Noisy(9, 6<<20)), string(deltatest.Words(1, 200_000)), string(deltatest.Words(2, 50_000))
	for _, c := range testkit.Some([]struct {
		name   string
		atMost int
		old    []delta.Input
		new    []delta.Input
	}{
		{"one byte", 52, deltatest.Files("a"), deltatest.Files("b")},
		{"equal", 44, deltatest.Files(string(deltatest.Words(1, 5000))), deltatest.Files(string(deltatest.Words(1, 5000)))},
		{"many tiny files", 1020, deltatest.Tiny(300, 0), deltatest.Tiny(300, 20)},
		{"halves swapped", 64, deltatest.Files(noise[:1<<20] + noise[1<<20:2<<20]), deltatest.Files(noise[1<<20:2<<20] + noise[:1<<20])},
		{"blocks shuffled", 1150, deltatest.Files(noise[:2<<20]), deltatest.Files(shuffled(noise[:2<<20], 4<<10))},
		{"many blocks shuffled", 2720, deltatest.Files(noise), deltatest.Files(shuffled(noise, 4<<10))},
		{"one row parted", 800, deltatest.Files(woven(noise, 3000)), deltatest.Files(noise)},
		{"zeros between", 8850, deltatest.Files(spaced(noise[:1<<20], 1)), deltatest.Files(spaced(noise[:1<<20], 1) + spaced(noise[2<<20:2<<20+8192], 30_000))},
		{"one thing many times", 75, deltatest.Files(noise[:100_000]), deltatest.Files(strings.Repeat(noise[:100_000], 9))},
		{"one byte in front", 60, deltatest.Files(noise), deltatest.Files("x" + noise)},
		{"far repeats", 5<<20 + 200, deltatest.Files("x"), deltatest.Files(noise[:5<<20] + noise[:5<<20])},
		{"noise", 1056, deltatest.Files("a"), deltatest.Files(noise[:1000])},
		{"an archive from its content", 340, deltatest.Files(text, more), []delta.Input{deltatest.Input("x.pak", deltatest.PakOf(t, []byte(text), []byte(more)))}},
		{"the content of an archive", 125, []delta.Input{deltatest.Input("x.pak", deltatest.PakOf(t, []byte(text), []byte(more)))}, deltatest.Files(text, more)},
		{"renamed and edited", 122, []delta.Input{deltatest.Input("a", []byte(text)), deltatest.Input("b", []byte(more))}, []delta.Input{deltatest.Input("c", []byte(more[:900]+"new"+more[1000:])), deltatest.Input("d", []byte(text[:5000]+text[5100:]))}},
		{"files behind each other, with their names", 590, inFolders(noise, 30), []delta.Input{deltatest.Input("all", listed(noise, 30))}},
		{"two files from three", 94, deltatest.Files(noise[:1<<20], noise[1<<20:2<<20], noise[2<<20:3<<20]), deltatest.Files(noise[2<<20:3<<20]+noise[:1<<19], noise[1<<19:2<<20])},
	}, 4) {
		t.Run(c.name, func(t *testing.T) {
			p := rounds().Patch(t, c.old, c.new)
			rounds().Check(t, p, c.old, c.new)
			h, _, err := delta.ReadHeader(bytes.NewReader(p), delta.MaxHeader)
			if err != nil {
				t.Fatal(err)
			}
			most := c.atMost + 16*len(h.Removed()) // their hashes
			if t.Logf("%d bytes", len(p)); len(p) > most {
				t.Errorf("%d bytes, at most %d expected", len(p), most)
			}
		})
	}
}

// inFolders are n files of 8 KiB, in folders.
func inFolders(content string, n int) (list []delta.Input) {
	for i := range n {
		list = append(list, deltatest.Input(nameOf(i), []byte(content[i<<13:(i+1)<<13])))
	}
	return list
}

func nameOf(i int) string { return fmt.Sprintf("folder%x/file%x.dat", i*i*77777, i*i*i*99991) }

// listed is one file of them, and their names.
func listed(content string, n int) []byte {
	var b []byte
	for i := range n {
		b = append(append(fmt.Appendf(b, "[%s]", nameOf(i)), content[i<<13:(i+1)<<13]...), 0)
	}
	return b
}

// shuffled is s with its blocks in another order.
func shuffled(s string, block int) string {
	var b strings.Builder
	for _, i := range rand.New(rand.NewPCG(2, 2)).Perm(len(s) / block) {
		b.WriteString(s[i*block : (i+1)*block])
	}
	return b.String()
}

// woven is one block of the first half of s, one of the second, and so on.
func woven(s string, block int) string {
	var b strings.Builder
	half := len(s) / 2
	for at := 0; at < half; at += block {
		b.WriteString(s[at:min(at+block, half)])
		b.WriteString(s[half+at : half+min(at+block, half)])
	}
	return b.String()
}

// spaced is s with zeros behind every 64 bytes.
func spaced(s string, n int) string {
	var b strings.Builder
	for ; len(s) >= 64; s = s[64:] {
		b.WriteString(s[:64])
		b.WriteString(strings.Repeat("\x00", n))
	}
	return b.String()
}
