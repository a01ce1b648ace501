package apply

import (
	"fmt"
	"io"
	"strings"

	"pakdb/diff/ship/delta"
	"pakdb/internal/stored"
)

// Describe writes what was found and what applying would write, for people.
func (p *Plan) Describe(w io.Writer) error {
	var b strings.Builder
	if p.Recovered {
		b.WriteString("finished: an update of these files that was interrupted\n")
	}
	if p.Applied {
		fmt.Fprintf(&b, "applied already: %s, as their hashes say\n", delta.Count(len(p.Header.New), "new file"))
		p.describeOld(&b)
		_, err := io.WriteString(w, b.String())
		return err
	}
	for i, f := range p.Header.Old {
		fmt.Fprintf(&b, "right: %s is %s, %s\n", delta.Printable(p.Found[i]), delta.Printable(f.Name), humanSize(f.Size))
	}
	for _, o := range p.Passed {
		fmt.Fprintf(&b, "left out: %s\n", delta.Printable(o.Error()))
	}
	p.describeOld(&b)
	for _, note := range p.Notes {
		fmt.Fprintf(&b, "note: %s\n", note)
	}
	fmt.Fprintf(&b, "to write: %s, %s", humanSize(p.Write), delta.Count(len(p.Header.New), "file"))
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

// describeOld tells what becomes of old files that no new one takes the place of.
func (p *Plan) describeOld(b *strings.Builder) {
	for _, list := range []struct {
		names []string
		what  string
	}{
		{p.Removed, "to remove: %s, which the new version does not have\n"},
		{p.Changed, "kept: %s, which the new version does not have, and which was changed\n"},
		{p.Kept, "kept: %s, which the new version does not have\n"},
	} {
		for _, name := range list.names {
			fmt.Fprintf(b, list.what, delta.Printable(name))
		}
	}
}

func humanSize(n int64) string { return stored.HumanSize(float64(n)) }
