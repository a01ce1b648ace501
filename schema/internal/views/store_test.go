package views

import (
	"fmt"
	"testing"
)

// TestIndexChains: an index has few rows in one place, whatever its columns have: small numbers,
// ids, or both.
func TestIndexChains(t *testing.T) {
	const rows = 1 << 16
	s := newStore(4, &pool{})
	for i := range int64(rows) {
		s.columns[0].int(i + 1)
		s.columns[1].int(i)
		s.columns[2].int(i % 500 << 8)
		s.columns[3].int(i*7 + 3)
		s.n++
	}
	for _, key := range [][]int{{0}, {1}, {0, 1}, {0, 2}, {1, 2}, {0, 3}, {0, 1, 2, 3}} {
		x, err := s.indexOf(fmt.Sprint(key), key, func() error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		steps := 0
		for _, row := range x.heads {
			for n := 1; row >= 0; row = x.rows[row].other {
				for same := row; same >= 0; n++ {
					steps += n
					same = x.rows[same].next
				}
			}
		}
		if steps > 2*rows {
			t.Errorf("columns %d: %d steps to %d rows", key, steps, rows)
		}
	}
}
