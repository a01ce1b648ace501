package apply

import (
	"context"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/internal/program"
)

// place is where new files are made: [NewFiles] has fresh, [InPlace] has placed.
// An applier calls obstacles and resume, then begin and
// complete for each file, with keep between segments, then decide, commit, and end
// whatever happened.
type place interface {
	// obstacles finds what is in the way before anything is written.
	obstacles() error
	// resume returns what an earlier call reached, and the output of the file that it
	// was at; nil: there is nothing to go on with.
	resume() (reached, program.Output, error)
	// begin returns the output for a new file.
	begin(ctx context.Context, f delta.File) (program.Output, error)
	// complete takes note that the file at hand has the hash that it should have.
	complete(f delta.File, sum delta.Sum) error
	// keep makes what was reached last, so that a later call can resume.
	keep(segment, file int) error
	// decide finds out what has to be written, once all files are complete.
	decide(ctx context.Context) error
	// bill adds that up.
	bill() Bill
	// commit gives all files their names, or none of them.
	commit(ctx context.Context) error
	// end closes what is open. After an error it removes what was made, but for what
	// an interrupted call is resumed with.
	end(ctx context.Context, err error) error
}

// newPlace returns that of a mode.
func newPlace(s *staging, m *program.Machine, o *ApplyOptions) place {
	if o.Mode == NewFiles {
		return &fresh{s: s, m: m}
	}
	p := newPlaced(s, m, o)
	if !o.DryRun {
		p.spool.Limit = journalMemory
	}
	return p
}
