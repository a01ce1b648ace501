package diff_test

import (
	"fmt"
	"strings"
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

// TestStepsOfManyArchives: what is asked once of a comparison is not asked for each archive. To find
// the tables anew for each of 16,000 loose files read 13.7 GB.
func TestStepsOfManyArchives(t *testing.T) {
	steps := schematest.CountSteps(t)
	queries := func(n int) int {
		var old, new []made
		for i := range n {
			name := fmt.Sprint(i, ".pak")
			old = append(old, made{name: name, entries: []schema.Entry{file(name, 2*i+1)}})
			new = append(new, made{name: name, entries: []schema.Entry{file(name, 2*i+2)}})
		}
		path := catalog(t, old, new)
		steps.Take()
		if _, got := compared(t, path, diff.Options{}, "0", "1"); len(got) != n {
			t.Fatalf("%d changes of %d archives", len(got), n)
		}
		sum := int64(0)
		for query, n := range steps.Take() {
			if strings.Contains(query, "sqlite_schema") || strings.Contains(query, "x_named_resource") {
				sum += n
			}
		}
		return int(sum)
	}
	if few, many := queries(4), queries(32); many > few+50*32 {
		t.Errorf("%d steps to find tables for 4 archives, %d for 32", few, many)
	}
}
