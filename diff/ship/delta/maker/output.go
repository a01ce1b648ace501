package maker

import (
	"context"
	"errors"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/coder"
	"pakdb/diff/ship/delta/inside"
	"pakdb/diff/ship/delta/internal/program"
)

// Stats tell what became of the bytes of the new files.
type Stats struct {
	Copied  int64                  // stored bytes taken from old files
	Made    map[delta.Recipe]int64 // stored bytes made from content
	Raw     int64                  // bytes coded as they are
	Derived int64                  // bytes of digests
	Sealed  int64                  // of copied, made and coded bytes, those that are encrypted anew
	Entries int                    // of the new archives
	Changed int                    // of these, not copied as a whole
}

// errLonger means that a patch was given up, as it is longer than another one.
var errLonger = errors.New("longer than another patch")

// output is a new file as far as it is explained. Operations go to the emitter.
type output struct {
	ctx     context.Context
	file    *inside.Layout
	e       *program.Emitter
	load    *loader
	stats   *Stats
	twin    int   // the old file, or -1
	pos     int64 // bytes that are explained
	digests digests
}

// gapBefore is layout's, less what is explained.
func (o *output) gapBefore(k int) (off, n int64) {
	off, n = o.file.GapBefore(k)
	if done := o.pos - off; done > 0 && done <= n {
		return o.pos, n - done
	}
	return off, n
}

// near is where copying would go on.
func (o *output) near(gap int64) position {
	c := &o.e.Run
	if c.N == 0 || c.File == o.self() {
		return position{int32(o.twin), o.pos + gap}
	}
	return position{int32(c.File), c.Off + c.N + gap}
}

// self is the number by which the file itself is copied from.
func (o *output) self() int { return len(o.e.H.Old) }

// copyOld copies stored bytes that end at a place of the file.
func (o *output) copyOld(file int, off, n, end int64) {
	o.e.CopyOld(file, off, n)
	o.stats.Copied += n
	o.pos = end
}

// copySame copies n bytes at off from a place of an old file, if they are the same.
func (o *output) copySame(off, n int64, from position, l *inside.Layout) (bool, error) {
	same, err := equalAt(o.ctx, o.file, off, l, from.off, n)
	if same {
		o.copyOld(int(from.file), from.off, n, off+n)
	}
	return same, err
}

// gap codes n bytes at off, which stand before extent k of entry e.
func (o *output) gap(off, n, guess int64, e *inside.Entry, k int) error {
	p, err := o.file.Read(off, n)
	if err != nil {
		return err
	}
	old := o.load.now.content
	if err := o.digests.head(p, off, e, k, old[min(max(guess, 0), int64(len(old))):]); err != nil {
		return err
	}
	o.stats.Raw += n
	o.seal(off)
	o.e.Raw(p, guess)
	o.pos = off + n
	return nil
}

// raw codes p, which stands at off, as it is, by the source that use sets.
// Segments end where they are full.
func (o *output) raw(p []byte, off, guess int64, use func() error) error {
	o.stats.Raw += int64(len(p))
	for at := 0; at < len(p); {
		if err := o.endFull(); err != nil {
			return err
		}
		if err := use(); err != nil {
			return err
		}
		n := min(coder.MaxContent, len(p)-at, o.seal(off+int64(at)))
		o.e.Raw(p[at:at+n], guess)
		if o.e.Enc.IsOver() {
			return errLonger
		}
		guess = o.e.Cursor()
		at += n
	}
	o.pos = off + int64(len(p))
	return nil
}

// rawBy is raw by ranges of old files.
func (o *output) rawBy(ranges []program.Range, p []byte, off, guess int64) error {
	return o.raw(p, off, guess, func() error { return o.load.use(ranges) })
}

// endFull ends the segment if it is full.
func (o *output) endFull() error {
	if o.e.Full() {
		return o.e.End()
	}
	return nil
}

// seal opens the unit that off lies in, or none, and returns for how many bytes
// that holds.
func (o *output) seal(off int64) (n int) {
	s, end := o.file.Unit(off)
	o.e.Seal(s)
	return int(end - off)
}

// endUnit completes what is encrypted of an extent that was written.
func (o *output) endUnit(x *inside.Extent) {
	if x.Key > 0 {
		o.e.Seal(program.Sealing{})
		o.stats.Sealed += x.Stored
	}
	o.pos = x.End()
}

// withRuns explains p, which stands at off: runs by copies, and by rest what is
// between them, which is told the run before.
func (o *output) withRuns(p []byte, off int64, runs []storedRun, rest func(p []byte, off int64, after *storedRun) error) error {
	at, after := 0, (*storedRun)(nil)
	for i := range runs {
		r := &runs[i]
		if r.at > at {
			if err := rest(p[at:r.at], off+int64(at), after); err != nil {
				return err
			}
		}
		if err := o.endFull(); err != nil {
			return err
		}
		at, after = r.at+r.n, r
		if i > 0 && r.off == runs[i-1].off && follows(r, &runs[i-1]) { // all repetitions are one copy
			o.copyOld(o.self(), off+int64(r.at-r.n), int64(r.n), off+int64(at))
		} else {
			o.copyOld(r.file, r.off, int64(r.n), off+int64(at))
		}
	}
	if at == len(p) {
		return nil
	}
	return rest(p[at:], off+int64(at), after)
}

// sameUnit reports that two extents are padded by the same beginning.
func (o *output) sameUnit(a, b *inside.Extent) bool {
	if a.Key == 0 && b.Key == 0 {
		return true
	}
	s, _ := o.file.Unit(a.Off)
	t, _ := o.file.Unit(b.Off)
	return s == t
}
