package write

import (
	"math/rand/v2"
	"testing"
)

// TestIDTable compares a table of ids with a map.
func TestIDTable(t *testing.T) {
	var table idTable
	numbers := map[ident]int{}
	for range 100_000 {
		key := rand.Uint64N(60_000)
		k := ident{int64(key), key%20_000*0x9e3779b97f4a7c15 + rand.Uint64N(3)} // keys share marks, and marks keys
		was, known := numbers[k]
		if found, _ := table.find(k); known != (found >= 0) || known && found != was {
			t.Fatalf("%v: found %d, was %d (%v)", k, found, was, known)
		}
		n, fresh := table.number(k)
		if fresh == known || !fresh && n != was || fresh && n != len(numbers) {
			t.Fatalf("%v: number %d (new %v), was %d (%v) of %d", k, n, fresh, was, known, len(numbers))
		}
		if numbers[k] = n; table.at(n) != k || table.n != len(numbers) {
			t.Fatalf("number %d is %v, not %v", n, table.at(n), k)
		}
	}
}
