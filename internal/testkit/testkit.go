// Package testkit says how deep tests go.
package testkit

import (
	"flag"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"testing"

	"pakdb/internal/atomicfile"
)

// Depth is the environment variable that says how deep tests go. Without it they take a
// sample, so that go test ./... ends within minutes. PAKDB_DEEP=1, as .ci/run sets, takes
// twice as many cases, and PAKDB_DEEP=all takes every case, for hours.
const Depth = "PAKDB_DEEP"

// Deep reports whether tests go deeper than a sample: for what is done at all or not.
func Deep() bool { return os.Getenv(Depth) != "" }

// All reports whether tests try every case.
func All() bool { return os.Getenv(Depth) == "all" }

// Of returns how many cases a test takes, or which of them, one in so many: the sample, all,
// or twice the sample.
func Of(sampled, all int) int {
	switch os.Getenv(Depth) {
	case "":
		return sampled
	case "all":
		return all
	}
	if sampled > all {
		return max(all, sampled/2)
	}
	return min(all, 2*sampled)
}

// OnlyDeep skips a test in a sample: others go the same way, if not as far.
func OnlyDeep(t testing.TB) {
	t.Helper()
	if !Deep() {
		t.Skip(Depth + " is not set")
	}
}

// NotShort skips a test with -short: it takes other bytes the same way as others, and what
// -short is for is to start each goroutine once, as under the race detector.
func NotShort(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("other bytes on the same way")
	}
}

// Some returns n elements of a list, spread over it, or more of them as [Of] says.
func Some[T any](all []T, n int) (some []T) {
	n = Of(min(n, len(all)), len(all))
	for i := range n {
		some = append(some, all[i*len(all)/n])
	}
	return some
}

// SomeOf returns n cases of a table by their names, as [Some] does of a list.
func SomeOf[T any](all map[string]T, n int) iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		for _, name := range Some(slices.Sorted(maps.Keys(all)), n) {
			if !yield(name, all[name]) {
				return
			}
		}
	}
}

// Seed returns the seed of what a test draws: the same one in each run, so that a run can be
// repeated, and another each time if tests try every case. PAKDB_SEED gives one. A test that
// fails logs it.
func Seed(t testing.TB) uint64 {
	t.Helper()
	n := seed()
	t.Logf("PAKDB_SEED=%d", n)
	return n
}

func seed() uint64 {
	n, err := strconv.ParseUint(os.Getenv("PAKDB_SEED"), 10, 64)
	switch {
	case err == nil:
		return n
	case All():
		return rand.Uint64()
	default:
		return 1
	}
}

// Main runs the tests of a package, and returns the code that a TestMain exits with.
//
// Without GOGC, garbage is collected when it is four times as much as what is in use, not once:
// tests of a few seconds take up to a quarter less CPU. Without TMPDIR, temporary folders lie in
// memory where there is room: creating and syncing thousands of files takes a sixth of the CPU,
// and more of the time.
//
// Each property of drawn builds is examined with four draws, with up to 100 in deep tests, where
// the command line does not say how many: -rapid.checks=1000 looks for longer. The draws follow
// from [Seed], or from -rapid.seed.
func Main(m *testing.M) int {
	if _, set := os.LookupEnv("GOGC"); !set {
		debug.SetGCPercent(400)
	}
	const memory, room = "/dev/shm", 2 << 30
	if _, set := os.LookupEnv("TMPDIR"); !set && atomicfile.FreeSpace(memory) > room {
		if err := os.Setenv("TMPDIR", memory); err != nil {
			panic(err)
		}
	}
	flag.Parse()
	if flag.Lookup("rapid.checks") == nil {
		return m.Run()
	}
	draws := Of(4, 100)
	if testing.Short() {
		draws = 3
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
