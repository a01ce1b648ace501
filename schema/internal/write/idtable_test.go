package write

import (
	"math/rand/v2"
	"testing"
)

// TestIDTable compares a table of ids with a map.
func TestIDTable(t *testing.T) {
	var table idTable[contentKey]
	numbers := map[contentKey]int{}
	for range 100_000 {
		k := contentKey{size: rand.Int64N(60_000)}
		k.hash[rand.IntN(16)] = byte(rand.IntN(3))
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
