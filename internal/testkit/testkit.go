// Package testkit says how deep tests go.
package testkit

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Depth is the environment variable that says how deep tests go. Without it they take a
// sample, so that go test ./... ends within minutes. PAKDB_DEEP=1, as .ci/run sets, takes a
// few times as many cases, and PAKDB_DEEP=all takes every case, for hours.
const Depth = "PAKDB_DEEP"

// Deep reports whether tests go deeper than a sample: for what is done at all or not.
func Deep() bool { return os.Getenv(Depth) != "" }

// All reports whether tests try every case.
func All() bool { return os.Getenv(Depth) == "all" }

// Of returns how many cases a test takes, or which of them, one in so many: the sample, all,
// or between these the geometric mean.
func Of(sampled, all int) int {
	switch os.Getenv(Depth) {
	case "":
		return sampled
	case "all":
		return all
	}
	return int(math.Round(math.Sqrt(float64(sampled) * float64(all))))
}

// Some returns n elements of a list, spread over it, or more of them as [Of] says.
func Some[T any](all []T, n int) (some []T) {
	n = Of(min(n, len(all)), len(all))
	for i := range n {
		some = append(some, all[i*len(all)/n])
	}
	return some
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
