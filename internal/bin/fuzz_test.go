package bin_test

import (
	"encoding/binary"
	"testing"

	"pakdb/internal/bin"
)

// FuzzReader: whatever is read in whatever order, the reader stays within its
// slice, never goes back by itself, and gives nothing after a failure.
func FuzzReader(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8}, []byte("some bytes\x00and more of them"))
	f.Add([]byte{6, 6, 6}, []byte{1, 0, 0, 0, 255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, program, data []byte) {
		r := bin.NewReader(data, 100, binary.LittleEndian)
		for i, op := range program {
			before, failed := r.Pos(), r.Err() != nil
			got := step(r, op, i)
			switch {
			case r.Pos() < 0 || r.Pos() > len(data) || r.Off() != int64(100+r.Pos()) || r.Len() != len(data)-r.Pos():
				t.Fatalf("at %d of %d, offset %d, %d left", r.Pos(), len(data), r.Off(), r.Len())
			case op%10 != 8 && r.Pos() < before:
				t.Fatalf("op %d went from %d to %d", op%10, before, r.Pos())
			case failed && (r.Err() == nil || got > 0):
				t.Fatalf("op %d gave %d bytes after a failure", op%10, got)
			}
		}
	})
}

// step reads something, and returns how many bytes or elements came.
func step(r *bin.Reader, op byte, n int) int {
	switch op % 10 {
	case 0:
		return int(r.U8())
	case 1:
		return int(r.U16())
	case 2:
		return int(r.U32())
	case 3:
		return int(r.U64() >> 1)
	case 4:
		return len(r.Bytes(int(op)))
	case 5:
		return len(r.CString())
	case 6:
		return r.Count(n + 1)
	case 7:
		return r.Count16(n + 1)
	case 8:
		r.Seek(int(op) - 8)
	case 9:
		return len(r.Bytes(-int(op)))
	}
	return 0
}
