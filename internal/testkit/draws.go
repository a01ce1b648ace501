package testkit

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// Draw runs the tests of a package that examine properties of drawn builds, and returns the
// code that a TestMain exits with. Each property is examined with ten draws, with up to 100
// in deep tests, where the command line does not say how many: -rapid.checks=1000 looks for
// longer.
func Draw(m *testing.M) int {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		draws := Of(10, 100)
		if testing.Short() {
			draws = 5
		}
		if err := flag.Set("rapid.checks", fmt.Sprint(draws)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
	}
	return m.Run()
}
