package compress_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/codecs/compress"
	"pakdb/internal/testkit"
)

var update = flag.Bool("update", false, "write the digests of the library that PAKDB_LIBLZ4 names")

// server is Python around a shared library of LZ4. It answers each source with
// its block; numbers are little-endian.
const server = `
import sys, os, struct, ctypes
lib = ctypes.CDLL(os.environ.get("PAKDB_LIBLZ4", "liblz4.so.1"))
if hasattr(lib, "LZ4_compress_fast_continue"):
    lib.LZ4_createStream.restype = ctypes.c_void_p
    lib.LZ4_freeStream.argtypes = [ctypes.c_void_p]
    lib.LZ4_compress_fast_continue.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p] + 3 * [ctypes.c_int]
i, o = sys.stdin.buffer, sys.stdout.buffer
o.write(b"%d\n" % lib.LZ4_versionNumber()); o.flush()
while h := i.read(12):
    n, acceleration, level = struct.unpack("<III", h)
    src = i.read(n)
    room = n + n // 255 + 16
    dst = ctypes.create_string_buffer(room)
    if level and hasattr(lib, "LZ4_compress_HC"):
        k = lib.LZ4_compress_HC(src, dst, n, room, level)
    elif level:
        k = lib.LZ4_compressHC2(src, dst, n, level)
    elif not acceleration:
        s = lib.LZ4_createStream()
        k = lib.LZ4_compress_fast_continue(s, src, dst, n, room, 1)
        lib.LZ4_freeStream(s)
    elif hasattr(lib, "LZ4_compress_fast"):
        k = lib.LZ4_compress_fast(src, dst, n, room, acceleration)
    else:
        k = lib.LZ4_compress(src, dst, n)
    o.write(struct.pack("<I", k) + dst.raw[:k]); o.flush()
`

// library is a running server.
type library struct {
	in      io.WriteCloser
	out     *bufio.Reader
	version int
}

func startLibrary(t *testing.T) *library {
	t.Helper()
	cmd := exec.Command("python3", "-c", server)
	stdin, err1 := cmd.StdinPipe()
	stdout, err2 := cmd.StdoutPipe()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if err := cmd.Start(); err != nil {
		t.Skipf("no python3: %v", err)
	}
	t.Cleanup(func() { _ = stdin.Close(); _ = cmd.Wait() })
	l := &library{in: stdin, out: bufio.NewReader(stdout)}
	if _, err := fmt.Fscanln(l.out, &l.version); err != nil {
		t.Skipf("no liblz4.so.1 (PAKDB_LIBLZ4 names another): %v", err)
	}
	return l
}

func (l *library) block(t *testing.T, src []byte, p compress.LZ4Params) []byte {
	t.Helper()
	acceleration := uint32(max(p.Acceleration, 1))
	if p.Stream {
		acceleration = 0
	}
	req := binary.LittleEndian.AppendUint32(nil, uint32(len(src)))
	req = binary.LittleEndian.AppendUint32(req, acceleration)
	req = binary.LittleEndian.AppendUint32(req, uint32(p.Level))
	if _, err := l.in.Write(append(req, src...)); err != nil {
		t.Fatal(err)
	}
	var n uint32
	if err := binary.Read(l.out, binary.LittleEndian, &n); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(l.out, b); err != nil {
		t.Fatal(err)
	}
	return b
}

// dialect is what a version of the library speaks on 64 bits.
func (l *library) dialect() compress.LZ4Dialect {
	switch {
	case l.version >= 10802:
		return compress.LZ4Modern
	case l.version >= 10703:
		return compress.LZ4Release18
	case l.version >= 10508:
		return compress.LZ4Release17
	}
	return compress.LZ4Release15
}

// TestLibrary compares with the system's liblz4.
func TestLibrary(t *testing.T) {
	l := startLibrary(t)
	p := compress.LZ4Params{Dialect: l.dialect()}
	t.Logf("liblz4 %d: %v", l.version, p)
	rounds := testkit.Of(8, 1000)
	var e compress.LZ4Encoder
	given := 0 // up
	for i := range rounds {
		r := rand.New(rand.NewPCG(uint64(i), 1))
		src := lz4Draw(r)
		p.Acceleration, p.Stream, p.Level = 0, false, 0
		switch {
		case i%5 >= 3:
			p.Level = highLevel(p.Dialect, r)
		case l.version >= 10700 && i%5 == 0:
			p.Acceleration = uint16(1 + r.IntN(80))
		case l.version >= 10700 && i%5 == 1:
			p.Stream = true
		}
		want := l.block(t, src, p)
		got, err := e.Encode(nil, src, p)
		if errors.Is(err, compress.ErrWork) {
			given++ // draws are of few letters, and have nothing but candidates
			continue
		}
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("round %d, %v of %d bytes: %d bytes, the library has %d; %v", i, p, len(src), len(got), len(want), err)
		}
	}
	t.Logf("%d of %d rounds given up", given, rounds)
	if given > 1+rounds/20 {
		t.Errorf("%d of %d rounds given up", given, rounds)
	}
}

// highLevel draws a level of high compression.
func highLevel(d compress.LZ4Dialect, r *rand.Rand) uint8 {
	if d == compress.LZ4Modern {
		return uint8(3 + r.IntN(10))
	}
	return uint8(1 + r.IntN(16))
}

// digests returns a line for each of up to 200 drawn inputs: what the fast parse makes
// of it, and what a level of high compression does.
func digests(inputs int, d compress.LZ4Dialect, block func(src []byte, p compress.LZ4Params) []byte) string {
	var lines strings.Builder
	for i := range inputs {
		r := rand.New(rand.NewPCG(uint64(i), 2))
		src := lz4Draw(r)
		fast := compress.LZ4Params{Dialect: d}
		high := compress.LZ4Params{Dialect: d, Level: highLevel(d, r)}
		fmt.Fprintf(&lines, "%d", len(src))
		for _, p := range []compress.LZ4Params{fast, high} {
			b := block(src, p)
			sum := sha256.Sum256(b)
			fmt.Fprintf(&lines, " %d %x", len(b), sum[:8])
		}
		fmt.Fprintln(&lines)
	}
	return lines.String()
}

// TestOldLibraries compares with what libraries of other versions made of drawn
// inputs: their digests are kept. To add one, build it as a shared library and
// run with PAKDB_LIBLZ4=its path and -update.
func TestOldLibraries(t *testing.T) {
	if *update {
		l := startLibrary(t)
		name := filepath.Join("testdata", fmt.Sprintf("%v-%d.txt", l.dialect(), l.version))
		text := digests(200, l.dialect(), func(src []byte, p compress.LZ4Params) []byte { return l.block(t, src, p) })
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join("testdata", "*.txt"))
	if err != nil || len(files) < 2 {
		t.Fatalf("%d files of digests, %v", len(files), err)
	}
	var e compress.LZ4Encoder
	for _, name := range files {
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		d, _, _ := strings.Cut(filepath.Base(name), "-")
		got := digests(testkit.Of(60, 200), named(t, d), func(src []byte, p compress.LZ4Params) []byte { return encodeLZ4(t, &e, src, p) })
		if !strings.HasPrefix(string(want), got) {
			t.Errorf("%s: not what the library makes", name)
		}
	}
}

func named(t *testing.T, name string) compress.LZ4Dialect {
	t.Helper()
	for _, d := range compress.LZ4Dialects() {
		if d.String() == name {
			return d
		}
	}
	t.Fatalf("no dialect %q", name)
	return 0
}
