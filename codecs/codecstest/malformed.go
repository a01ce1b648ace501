package codecstest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pakdb/codecs"
)

// Vector is a file that departs from its format, and the first problem that a
// reader must report for it (in the order of [Problems]).
type Vector struct {
	Name    string
	Bytes   []byte
	Options *codecs.Options
	Want    error  // class, for errors.Is
	Field   string // of the FormatError
	Off     int64  // of the FormatError; -1 for none
	Entry   string // of the FormatError; "" is not compared
}

// Malformed checks every vector.
func Malformed(t *testing.T, f *codecs.Format, vectors []Vector) {
	t.Helper()
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			if err := v.check(f); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func (v *Vector) check(f *codecs.Format) error {
	src := Bytes(strings.ReplaceAll(v.Name, " ", "_"), v.Bytes)
	if err := survive(f, src, v.Options, 0); err != nil {
		return err
	}
	found := Problems(context.Background(), f, src, v.Options)
	if len(found) == 0 {
		return errors.New("reported no problem")
	}
	var fe *codecs.FormatError
	if !errors.As(found[0], &fe) {
		return fmt.Errorf("not a *FormatError: %w", found[0])
	}
	if !errors.Is(fe, v.Want) || fe.Field != v.Field || fe.Off != v.Off || (v.Entry != "" && fe.Entry != v.Entry) {
		return fmt.Errorf("first problem is %w\n(class %v: %v, field %q, offset %#x, entry %q)\nwant class %v, field %q, offset %#x, entry %q",
			fe, v.Want, errors.Is(fe, v.Want), fe.Field, fe.Off, fe.Entry, v.Want, v.Field, v.Off, v.Entry)
	}
	return nil
}

// Patch returns a copy of b with the bytes at off replaced.
func Patch(b []byte, off int, repl ...byte) []byte {
	c := bytes.Clone(b)
	copy(c[off:], repl)
	return c
}
