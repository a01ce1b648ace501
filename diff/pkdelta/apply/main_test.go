package apply

import (
	"flag"
	"os"
	"testing"
)

// TestMain draws 25 builds for each property where the command line does not say
// how many: each is written, patched, applied and read again.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		if err := flag.Set("rapid.checks", "25"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
