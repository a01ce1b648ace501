// Package testkit says how deep tests go.
package testkit

import "os"

// Deep reports whether tests try every case, as PAKDB_DEEP=1 asks and .ci/run does.
// Otherwise they take a sample, so that go test ./... ends within minutes.
func Deep() bool { return os.Getenv("PAKDB_DEEP") != "" }

// Of returns how many cases a test takes: sampled, or all of them if tests go deep.
func Of(sampled, all int) int {
	if Deep() {
		return all
	}
	return sampled
}
