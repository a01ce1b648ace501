package lzo_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/codecs/internal/lzo"
	"pakdb/internal/testkit"
)

var update = flag.Bool("update", false, "write the digests of the library that PAKDB_LIBLZO2 names")

// server is Python around liblzo2. It answers each source with its stream;
// numbers are little-endian.
const server = `
import sys, os, struct, ctypes
lib = ctypes.CDLL(os.environ["PAKDB_LIBLZO2"])
size = ctypes.c_size_t
work = ctypes.create_string_buffer(1 << 20)
i, o = sys.stdin.buffer, sys.stdout.buffer
o.write(b"%x\n" % lib.lzo_version()); o.flush()
while h := i.read(8):
    n, level = struct.unpack("<II", h)
    src = i.read(n)
    room = n + n // 8 + 1024
    dst, k = ctypes.create_string_buffer(room), size(room)
    assert 0 == lib.lzo1x_999_compress_level(src, size(n), dst, ctypes.byref(k), work, None, size(0), None, level)
    o.write(struct.pack("<I", k.value) + dst.raw[:k.value]); o.flush()
`

// library is a running server.
type library struct {
	in      io.WriteCloser
	out     *bufio.Reader
	version string
}

func startLibrary(t *testing.T) *library {
	t.Helper()
	if os.Getenv("PAKDB_LIBLZO2") == "" {
		t.Skip("PAKDB_LIBLZO2 does not name the shared library")
	}
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
		t.Fatal(err)
	}
	return l
}

func (l *library) stream(t *testing.T, src []byte, level int) []byte {
	t.Helper()
	req := binary.LittleEndian.AppendUint32(nil, uint32(len(src)))
	req = binary.LittleEndian.AppendUint32(req, uint32(level))
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

// TestLibrary compares with a library: all levels, on inputs that are not those
// of the digests.
func TestLibrary(t *testing.T) {
	l := startLibrary(t)
	var e lzo.Encoder
	for i := range 1000 {
		src := newDrawer(i, 1).draw()
		for _, level := range lzo.Levels() {
			want := l.stream(t, src, level)
			if got, err := e.Encode(nil, src, level); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("round %d, level %d of %d bytes: %d bytes, the library has %d; %v", i, level, len(src), len(got), len(want), err)
			}
		}
	}
}

// digests returns a line for each of up to 400 drawn inputs: what levels 8 and 9 make of
// it, and what another level does.
func digests(inputs int, stream func(src []byte, level int) []byte) string {
	var lines strings.Builder
	for i := range inputs {
		src := newDrawer(i, 2).draw()
		fmt.Fprintf(&lines, "%d", len(src))
		for _, level := range []int{8, 9, 1 + i%7} {
			b := stream(src, level)
			sum := sha256.Sum256(b)
			fmt.Fprintf(&lines, " %d %x", len(b), sum[:6])
		}
		fmt.Fprintln(&lines)
	}
	return lines.String()
}

// TestDigests compares with what liblzo2 made of drawn inputs: its digests are
// kept. Run with PAKDB_LIBLZO2=its path and -update to write them.
func TestDigests(t *testing.T) {
	name := filepath.Join("testdata", "liblzo2-20a0.txt")
	if *update {
		l := startLibrary(t)
		name = filepath.Join("testdata", "liblzo2-"+l.version+".txt")
		text := digests(400, func(src []byte, level int) []byte { return l.stream(t, src, level) })
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var e lzo.Encoder
	got := digests(testkit.Of(80, 400), func(src []byte, level int) []byte { return encode(t, &e, src, level) })
	if strings.HasPrefix(string(want), got) {
		return
	}
	wantLines, failed := strings.Split(string(want), "\n"), 0
	for i, line := range strings.Split(got, "\n") {
		if i >= len(wantLines) || line != wantLines[i] {
			failed++
		}
	}
	t.Errorf("of %d inputs, %d are not what the library makes", len(wantLines)-1, failed)
}
