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
// longer. The draws follow from [Seed], or from -rapid.seed.
func Draw(m *testing.M) int {
	flag.Parse()
	draws := Of(10, 100)
	if testing.Short() {
		draws = 5
	}
	values := map[string]uint64{"rapid.checks": uint64(draws), "rapid.seed": seed()}
	flag.Visit(func(f *flag.Flag) { delete(values, f.Name) })
	for name, value := range values {
		if err := flag.Set(name, fmt.Sprint(value)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
	}
	return m.Run()
}
