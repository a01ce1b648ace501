package diff_test

import (
	"fmt"
	"testing"

	"pakdb/diff"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

// TestStepsOfOneArchive: the steps of SQLite grow as the entries do, whichever of the
// entries of an archive change.
func TestStepsOfOneArchive(t *testing.T) {
	for name, changes := range map[string]func(i int) bool{
		"all":       func(int) bool { return true },
		"every 2nd": func(i int) bool { return i%2 == 0 },
		"none":      func(i int) bool { return false },
	} {
		t.Run(name, func(t *testing.T) {
			steps := schematest.CountSteps(t)
			cost := func(n int) (sum int64) {
				var old, new []schema.Entry
				for i := range n {
					old, new = append(old, file(fmt.Sprint("f", i), i+1)), append(new, file(fmt.Sprint("f", i), i+1))
					if changes(i) {
						new[i] = file(fmt.Sprint("f", i), n+i+1)
					}
				}
				for i := range 3 * n {
					new = append(new, file(fmt.Sprint("new", i), 3*n+i))
				}
				path := catalog(t, pak(old...), pak(new...))
				steps.Take()
				_, got := compared(t, path, diff.Options{}, "0", "1")
				if len(got) < 3*n {
					t.Fatalf("%d changes", len(got))
				}
				for _, n := range steps.Take() {
					sum += n
				}
				return sum
			}
			if few, many := cost(100), cost(800); many > 12*few {
				t.Errorf("8 times the entries take %d times the steps: %d, then %d", many/few, few, many)
			}
		})
	}
}
