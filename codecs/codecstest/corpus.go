package codecstest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Corpus checks that a committed input of a fuzz target is the one that the test makes
// now, or writes it where update is set. values are the arguments of the target in Go's
// syntax: []byte("..."), uint16(7).
func Corpus(t *testing.T, update bool, target, name string, values ...string) {
	t.Helper()
	file := filepath.Join("testdata", "fuzz", target, name)
	want := "go test fuzz v1\n" + strings.Join(values, "\n") + "\n"
	if update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != want {
		t.Errorf("%s differs (-update rewrites it): %v", file, err)
	}
}
