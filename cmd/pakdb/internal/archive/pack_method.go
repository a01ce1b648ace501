package archive

import (
	"fmt"
	"slices"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/codecs/compress"
)

// substitute takes the place of a method that pakdb reads and does not write,
// such as Oodle: a method that entries of the model have and that is written, for
// a game may know no others, or none.
type substitute struct {
	of, by compress.Method // of is "" while nothing had to be substituted
}

// substituteMethod keeps the method of new entries to what pakdb writes.
func (t *target) substituteMethod(model *operand.Archive) {
	if compress.CanEncode(t.options.Method) {
		return
	}
	t.instead = substitute{of: t.options.Method, by: "none"}
	for _, m := range t.format.Methods {
		if m != compress.None && holdsMethod(model, m) {
			t.instead.by = m
			break
		}
	}
	t.options.Method = t.instead.by
}

func holdsMethod(ar *operand.Archive, m compress.Method) bool {
	return ar != nil && slices.ContainsFunc(slices.Collect(cli.Named(ar.Archive)), func(e *codecs.Entry) bool { return e.Method == m })
}

// method is what an entry of method m is encoded by, when it has to be.
func (s substitute) method(m compress.Method) compress.Method {
	if s.of != "" && !compress.CanEncode(m) {
		return s.by
	}
	return m
}

// noteSubstitute tells that new contents are not compressed as the others are.
func noteSubstitute(a *cli.App, s substitute) error {
	if s.of == "" || a.Quiet {
		return nil
	}
	how := "stored uncompressed"
	if s.by != "none" {
		how = "compressed by " + s.by.String() + ", which the archive has as well"
	}
	_, err := fmt.Fprintf(a.Stderr, "note: %s is read, but not written: new contents are %s; copied data stays as it is\n", s.of, how)
	return err
}
