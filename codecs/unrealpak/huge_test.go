package unrealpak_test

import (
	"crypto/sha1"
	"fmt"
	"io"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/unrealpak"
)

// holes is a file of mostly zeros that counts what is read of it.
type holes struct {
	size  int64
	parts []part
	read  int64
}

type part struct {
	off  int64
	data []byte
}

func (s *holes) ReadAt(p []byte, off int64) (int, error) {
	n := int(min(int64(len(p)), s.size-off))
	clear(p[:n])
	for _, x := range s.parts {
		if from, to := max(off, x.off), min(off+int64(n), x.off+int64(len(x.data))); from < to {
			copy(p[from-off:to-off], x.data[from-x.off:])
		}
	}
	s.read += int64(n)
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// sparsePak is a pak of version 11 of stored entries.
func sparsePak(entries int, size int64) *holes {
	s := &holes{}
	var encoded, files []byte
	for i := range entries {
		s.parts = append(s.parts, part{s.size + 28, fmt.Appendf(nil, "sum of entry %7d", i)})
		files = u32(append(files, fstring(nil, fmt.Sprintf("f%d.bin", i))...), len(encoded))
		encoded = u64(u32(encoded, 0), int(s.size), int(size))
		s.size += 53 + size
	}
	dir := append(u32(append(u32(nil, 1), fstring(nil, "/")...), entries), files...)
	primary := func(dirAt int64) []byte {
		b := u32(u64(u32(fstring(nil, "../../../"), entries), 0), 0, 1)
		sum := sha1.Sum(dir)
		b = append(u64(b, int(dirAt), len(dir)), sum[:]...)
		return u32(append(u32(b, len(encoded)), encoded...), 0)
	}
	index := primary(s.size + int64(len(primary(0))))
	sum := sha1.Sum(index)
	footer := append(u64(u32(make([]byte, 17), 0x5A6F12E1, 11), int(s.size), len(index)), sum[:]...)
	end := append(append(index, dir...), append(footer, make([]byte, 160)...)...)
	s.parts = append(s.parts, part{s.size, end})
	s.size += int64(len(end))
	return s
}

// Of a pak of 100 GB the index is read, and for its sums little more than 20
// bytes an entry, or a window where entries are small.
func TestHundredGigabytes(t *testing.T) {
	const entries = 1000
	s := sparsePak(entries, 100<<20)
	a := codecstest.Open(t, unrealpak.Format(), codecs.Source{ReaderAt: s, Name: "huge.pak", Size: s.size}, nil)
	n, total := 0, int64(0)
	for e, err := range a.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		n, total = n+1, total+e.Size
	}
	sums, err := a.(codecs.Summer).Sums(t.Context())
	if err != nil || n != entries || total != entries*(100<<20) || string(sums[999].Bytes) != "sum of entry     999" {
		t.Fatalf("%d entries, %d bytes, %q, %v", n, total, sums[999].Bytes, err)
	}
	if s.read > 256<<10 {
		t.Errorf("%d bytes read", s.read)
	}
}
