package bin_test

import (
	"errors"
	"testing"

	"pakdb/internal/bin"
)

// FuzzFieldsReader: no number is beyond its bound, no count beyond the bytes there are,
// and after a failure there is nothing.
func FuzzFieldsReader(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5}, []byte("\x05\x03abcend\x0001234567"))
	f.Fuzz(func(t *testing.T, program, data []byte) {
		class := errors.New("class")
		r := bin.NewFields(data, class)
		for _, op := range program {
			left, limit := r.Len(), int64(op)
			switch op % 6 {
			case 0:
				if v := r.Number("number", limit); v < 0 || v > limit {
					t.Fatalf("%d of %d", v, limit)
				}
			case 1:
				if v := r.Signed("signed", limit); v < -limit || v > limit {
					t.Fatalf("%d of %d", v, limit)
				}
			case 2:
				if n := r.Count("count", int(limit), 2); n > int(limit) || 2*n > left {
					t.Fatalf("%d of %d bytes", n, left)
				}
			case 3:
				_ = r.Text("text", int(limit))
			case 4:
				_ = r.Line("line", 'e', int(limit))
			case 5:
				_ = r.Uint64()
			}
			if r.Len() > left || r.Err() != nil && (r.Len() > 0 || !errors.Is(r.Err(), class)) {
				t.Fatalf("%d bytes left of %d, %v", r.Len(), left, r.Err())
			}
		}
	})
}
