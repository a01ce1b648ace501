package lzo_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	rasky "github.com/rasky/go-lzo"

	"pakdb/codecs/internal/lzo"
	"pakdb/internal/lzotest"
)

// benchData yields data of one kind, at most a few MB, or skips.
var benchData = []struct {
	name string
	data func(testing.TB) []byte
}{
	{"text", func(tb testing.TB) []byte { return goroot(tb, "src/testdata/Isaac.Newton-Opticks.txt") }},
	{"go", func(tb testing.TB) []byte { return goroot(tb, "src/net/http/*.go") }},
	{"texture", func(testing.TB) []byte { return texture(256) }},
	{"calligraphy", func(tb testing.TB) []byte { return sample(tb, "gpak/Calligraphy_1.10_names.sip") }},
}

// BenchmarkDecode decodes blocks of the sizes that archives use, and with
// go-lzo's decoder the same blocks in the same run.
func BenchmarkDecode(b *testing.B) {
	for _, kind := range benchData {
		for _, size := range []int{lzo.SegmentSize, 64 << 10} {
			for _, level := range []int{lzotest.LevelFast, lzotest.LevelBest} {
				b.Run(fmt.Sprintf("%s/%dK/level%d", kind.name, size>>10, level), func(b *testing.B) {
					benchDecode(b, kind.data(b), size, level)
				})
			}
		}
	}
}

// block is one piece of the data and its stream.
type block struct{ data, stream []byte }

func benchDecode(b *testing.B, data []byte, size, level int) {
	data = data[:min(len(data), 2<<20)]
	var blocks []block
	for rest := data; len(rest) > 0; rest = rest[min(len(rest), size):] {
		piece := rest[:min(len(rest), size)]
		out, err := lzotest.Encode(nil, piece, level)
		if err != nil {
			b.Fatal(err)
		}
		blocks = append(blocks, block{piece, out})
	}
	dst := make([]byte, size)
	b.Run("pakdb", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			for _, k := range blocks {
				if n, _, err := lzo.Decode(dst, k.stream); err != nil || n != len(k.data) {
					b.Fatal(n, err)
				}
			}
		}
	})
	b.Run("go-lzo", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			for _, k := range blocks {
				out, err := rasky.Decompress1X(bytes.NewReader(k.stream), len(k.stream), len(k.data))
				if err != nil || len(out) != len(k.data) {
					b.Fatal(len(out), err)
				}
			}
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	data := texture(64)
	for _, level := range []int{lzotest.LevelFast, lzotest.LevelBest} {
		b.Run(fmt.Sprintf("level%d", level), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := lzotest.EncodeSegmented(nil, data, level); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// goroot joins the files of Go's own source that match the pattern.
func goroot(tb testing.TB, pattern string) (out []byte) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		tb.Skipf("no Go source: %v", err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), filepath.FromSlash(pattern)))
	if err != nil || len(files) == 0 {
		tb.Skipf("no Go source: %v", err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			tb.Skipf("no Go source: %v", err)
		}
		out = append(out, data...)
	}
	return out
}

// texture returns side*side blocks of 8 bytes like a DXT1 texture's: two
// colours that change slowly and indices, a third of them busy.
func texture(side int) (out []byte) {
	r := rand.New(rand.NewPCG(1, 2))
	for y := range side {
		for x := range side {
			colour, index := uint16(x/8+y/8*32), uint32(0x55aa55aa)
			if r.IntN(3) == 0 {
				index = r.Uint32() & 0x0f0f0f0f
			}
			out = append(out, byte(colour), byte(colour>>8), byte(colour+1), byte(colour>>8))
			out = append(out, byte(index), byte(index>>8), byte(index>>16), byte(index>>24))
		}
	}
	return out
}
