package calligraphy_test

import (
	"bytes"
	"errors"
	"testing"

	"pakdb/codecs"
)

// Each target feeds one extension. A file without problems must be told whole:
// writing its facts gives its bytes again.

func FuzzDirectory(f *testing.F) { fuzz(f, ".directory") }
func FuzzCurve(f *testing.F)     { fuzz(f, ".curve") }
func FuzzType(f *testing.F)      { fuzz(f, ".type") }
func FuzzBlueprint(f *testing.F) { fuzz(f, ".blueprint") }
func FuzzPrototype(f *testing.F) { fuzz(f, ".prototype") }
func FuzzResource(f *testing.F)  { fuzz(f, ".cell") }

func fuzz(f *testing.F, ext string) {
	name := "Calligraphy/a" + ext
	f.Fuzz(func(t *testing.T, body []byte) {
		facts, err := inspect(name, body)
		if (facts == nil) == (err == nil) {
			t.Fatalf("facts %v, err %v", facts, err)
		}
		if err != nil {
			checkClass(t, err)
			return
		}
		for _, p := range facts.Problems {
			checkClass(t, p)
		}
		if err := checkFacts(facts); err != nil {
			t.Fatal(err)
		}
		if ext == ".cell" || len(facts.Problems) > 0 {
			return
		}
		if got := encode(facts.Kind, detail(facts)); !sameBytes(got, body) {
			t.Fatalf("written again:\n%x\n%x", got, body)
		}
	})
}

// sameBytes takes the two separators of a directory's paths for one.
func sameBytes(a, b []byte) bool {
	if len(b) > 3 && string(b[1:3]) == "DR" {
		return bytes.Equal(bytes.ReplaceAll(a, []byte(`/`), []byte(`\`)), bytes.ReplaceAll(b, []byte(`/`), []byte(`\`)))
	}
	return bytes.Equal(a, b)
}

func checkClass(t *testing.T, err error) {
	t.Helper()
	var at *codecs.FormatError
	if !errors.As(err, &at) || at.Off < 0 {
		t.Fatalf("%v: no place", err)
	}
	for _, class := range []error{codecs.ErrCorrupt, codecs.ErrTruncated, codecs.ErrLimit, codecs.ErrNonStrict, errors.ErrUnsupported} {
		if errors.Is(err, class) {
			return
		}
	}
	t.Fatalf("%v: no class", err)
}
