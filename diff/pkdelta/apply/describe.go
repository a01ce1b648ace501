package apply

import (
	"fmt"
	"io"
	"strings"

	"pakdb/diff/pkdelta"
	"pakdb/internal/progress"
)

// Describe writes what was found and what applying would write, for people.
func (p *Plan) Describe(w io.Writer) error {
	var b strings.Builder
	if p.Recovered {
		b.WriteString("finished: an update of these files that was interrupted\n")
	}
	if p.Applied {
		fmt.Fprintf(&b, "applied already: %s, as their hashes say\n", pkdelta.Count(len(p.Header.New), "new file"))
		_, err := io.WriteString(w, b.String())
		return err
	}
	for i, f := range p.Header.Old {
		fmt.Fprintf(&b, "right: %s is %s, %s\n", pkdelta.Printable(p.Found[i]), pkdelta.Printable(f.Name), humanSize(f.Size))
	}
	for _, o := range p.Passed {
		fmt.Fprintf(&b, "left out: %s\n", pkdelta.Printable(o.Error()))
	}
	for _, note := range p.Notes {
		fmt.Fprintf(&b, "note: %s\n", note)
	}
	fmt.Fprintf(&b, "to write: %s, %s", humanSize(p.Write), pkdelta.Count(len(p.Header.New), "file"))
	if p.Stay > 0 {
		fmt.Fprintf(&b, "; %s stay where they are", humanSize(p.Stay))
	}
	if p.Free >= 0 {
		fmt.Fprintf(&b, "; the disk has room for %s", humanSize(p.Free))
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}

func humanSize(n int64) string { return progress.HumanSize(float64(n)) }
