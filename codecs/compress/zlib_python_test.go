package compress_test

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"testing"

	"pakdb/codecs/compress"
	"pakdb/internal/testkit"
)

// deflateServer is Python around the C library. It answers each source with
// its stream; numbers are little-endian.
const deflateServer = `
import sys, struct, zlib
i, o = sys.stdin.buffer, sys.stdout.buffer
o.write(zlib.ZLIB_RUNTIME_VERSION.encode() + b"\n"); o.flush()
while h := i.read(12):
    level, mem, bits, strategy, n = struct.unpack("<BBbBQ", h)
    c = zlib.compressobj(level, zlib.DEFLATED, bits, mem, strategy)
    b = c.compress(i.read(n)) + c.flush()
    o.write(struct.pack("<Q", len(b)) + b); o.flush()
`

// TestPythonZlib compares with the zlib of the system, in C, whatever its
// version: levels 1 to 9, since Python feeds level 0 in pieces of its own.
func TestPythonZlib(t *testing.T) {
	cmd := exec.Command("python3", "-c", deflateServer)
	stdin, err1 := cmd.StdinPipe()
	stdout, err2 := cmd.StdoutPipe()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if err := cmd.Start(); err != nil {
		t.Skipf("no python3: %v", err)
	}
	defer func() { _ = stdin.Close(); _ = cmd.Wait() }()
	r := bufio.NewReader(stdout)
	version, err := r.ReadString('\n')
	if err != nil {
		t.Skipf("this python3 has no zlib: %v", err)
	}
	t.Logf("zlib %s", version)

	rounds := testkit.Of(30, 1000)
	var e compress.ZlibEncoder
	for i := range rounds {
		rnd := rand.New(rand.NewPCG(uint64(i), 2))
		p, src := drawParams(rnd), zlibDraw(rnd)
		p.Level = max(p.Level, 1)
		want, err := askPython(stdin, r, src, p)
		if err != nil {
			t.Fatalf("%v: %v", p, err)
		}
		compare(t, &e, src, p, want)
	}
}

func askPython(w io.Writer, r io.Reader, src []byte, p compress.ZlibParams) ([]byte, error) {
	bits := int8(p.WindowBits)
	if p.Raw {
		bits = -bits
	}
	req := append([]byte{p.Level, p.MemLevel, byte(bits), byte(p.Strategy)}, binary.LittleEndian.AppendUint64(nil, uint64(len(src)))...)
	if _, err := w.Write(append(req, src...)); err != nil {
		return nil, err
	}
	var n uint64
	if err := binary.Read(r, binary.LittleEndian, &n); err != nil {
		return nil, err
	}
	if n > uint64(2*len(src)+1000) {
		return nil, fmt.Errorf("%d bytes for %d", n, len(src))
	}
	want := make([]byte, n)
	_, err := io.ReadFull(r, want)
	return want, err
}
