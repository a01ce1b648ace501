// Package drawtest runs the tests of packages that examine properties of drawn builds,
// each of which is written, scanned or patched, and read again.
package drawtest

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// Run runs the tests of a package, and returns what a TestMain exits with. Each property
// is examined with so many draws, in short runs with a fifth of them, where the command
// line does not say how many: -rapid.checks=1000 looks for longer.
func Run(m *testing.M, draws int) int {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		if testing.Short() {
			draws = max(1, draws/5)
		}
		if err := flag.Set("rapid.checks", fmt.Sprint(draws)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
	}
	return m.Run()
}
