package apply

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/program"
	"pakdb/internal/atomicfile"
	"pakdb/internal/stored"
)

// Mode says how new files are made.
type Mode int

// The modes of applying.
const (
	// NewFiles makes every new file under a temporary name, then replaces what is
	// there.
	NewFiles Mode = iota
	// InPlace changes files of the folder that are called as new ones where they
	// are, by way of a journal with what differs. An update that is interrupted
	// has not happened, or is finished by [Recover]; until then files are in
	// between.
	InPlace
)

// ApplyOptions for [Apply]. The zero value makes new files.
type ApplyOptions struct {
	Mode Mode
	// Keep keeps old files that no new one takes the place of, and that [Plan.Apply]
	// removes otherwise.
	Keep bool
	// Keys are AES-256 keys. Those that the patch needs must be among them.
	Keys [][]byte
	// DryRun finds out what is to be written, and does not.
	DryRun bool
}

// Apply makes the new files in a folder. old are the old files, in the order of
// the header, which [delta.Header.Find] has found to be the right ones. A new file has
// a temporary name until its hash is right and it is on the disk; older files
// are replaced when all new ones are complete. After an error nothing of this
// call is left. When ctx is done, or the process dies, the same call goes on
// after the last segment that was complete.
func Apply(ctx context.Context, r *delta.Reader, old []io.ReaderAt, dir *os.Root, o *ApplyOptions) error {
	if err := r.Header.CheckKeys(o.keys()); err != nil {
		return err
	}
	in := atomicfile.In(ctx, dir)
	if _, err := recoverIn(ctx, in); err != nil {
		return err
	}
	return newApplier(r.Header, old, in, o).apply(ctx, r)
}

func (o *ApplyOptions) keys() [][]byte {
	if o == nil {
		return nil
	}
	return o.Keys
}

// applier makes one new file after the other, in its place.
type applier struct {
	m       *program.Machine
	o       ApplyOptions
	s       *staging
	place   place
	file    int // at hand
	skip    int // segments that an earlier call executed
	segment int // that comes next
}

func newApplier(h *delta.Header, old []io.ReaderAt, dir *atomicfile.Dir, o *ApplyOptions) *applier {
	a := &applier{m: &program.Machine{H: h, Old: &program.OldFiles{Work: program.WorkFor(h)}}, s: &staging{dir: dir, h: h}, file: -1}
	a.m.Next = a.nextInSegment
	for i, f := range h.Old {
		src := old[i]
		if _, ok := src.(*program.Part); !ok {
			src = &program.Part{ReaderAt: src}
		}
		a.m.Old.Files = append(a.m.Old.Files, src)
		a.m.Old.Names = append(a.m.Old.Names, f.Name)
	}
	if o != nil {
		a.o = *o
	}
	a.place = newPlace(a.s, a.m, &a.o)
	return a
}

func (a *applier) apply(ctx context.Context, r *delta.Reader) error {
	err := a.prepare(ctx, r)
	if err == nil && !a.o.DryRun {
		err = a.place.commit(ctx)
	}
	return errors.Join(err, a.place.end(ctx, err))
}

// prepare makes everything but what becomes of files that are there.
func (a *applier) prepare(ctx context.Context, r *delta.Reader) error {
	var err error
	if a.m.Old.Keys, err = r.Header.Unlock(a.o.Keys); err != nil {
		return err
	}
	a.m.Watch = stored.ProgressOf(ctx)
	a.m.Watch.Begin(delta.StepApplying, delta.SizeOf(r.Header.New))
	ctx = stored.WatchProgress(ctx, nil) // hashing takes next to no time, and is not counted
	if err := a.place.obstacles(); err != nil {
		return err
	}
	if err := a.resume(r); err != nil {
		return err
	}
	if err := a.run(ctx, r); err != nil {
		return err
	}
	return a.place.decide(ctx)
}

// resume takes up what an earlier call left.
func (a *applier) resume(r *delta.Reader) error {
	at, out, err := a.place.resume()
	if out == nil || err != nil {
		return err
	}
	a.m.Watch.Add(delta.SizeOf(r.Header.New[:at.file]) + at.pos)
	a.file, a.skip = at.file, at.segment
	a.m.Begin(at.file, out, r.Header.New[at.file].Size, at.pos, at.digests, at.copies)
	return nil
}

func (a *applier) run(ctx context.Context, r *delta.Reader) error {
	for {
		stream, file, err := r.Segment()
		if err != nil && err != io.EOF {
			return err
		}
		if err == nil && a.segment < a.skip {
			a.segment++
			continue
		}
		end := len(r.Header.New)
		if err == nil {
			end = file
		}
		for a.file < end {
			if err := a.next(ctx); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return a.s.check()
		}
		if err := a.m.Run(ctx, stream); err != nil {
			return fmt.Errorf("%s: %w", r.Header.New[a.file].Name, err)
		}
		if a.segment++; a.segment < len(r.Header.Parts) {
			if err := a.place.keep(a.segment, a.file); err != nil {
				return err
			}
		}
	}
}

// next completes the file at hand and begins the one after it.
func (a *applier) next(ctx context.Context) error {
	h := a.m.H
	if a.file >= 0 {
		if err := a.complete(ctx); err != nil {
			return fmt.Errorf("%s: %w", h.New[a.file].Name, err)
		}
	}
	a.file++
	if a.file == len(h.New) {
		return nil
	}
	f := h.New[a.file]
	out, err := a.place.begin(ctx, f)
	if err != nil {
		return err
	}
	a.m.Begin(a.file, out, f.Size, 0, nil, a.m.Copies)
	return a.m.Unchanged(ctx)
}

// nextInSegment goes on, where a segment says so, with the next file that
// operations make: there must be one.
func (a *applier) nextInSegment(ctx context.Context) error {
	for {
		if a.file+1 >= len(a.m.H.New) {
			return fmt.Errorf("%w: a segment of more files than there are", delta.ErrCorrupt)
		}
		if err := a.next(ctx); err != nil || a.m.H.IsMade(a.file) {
			return err
		}
	}
}

// complete checks the file at hand.
func (a *applier) complete(ctx context.Context) error {
	f := a.m.H.New[a.file]
	if a.m.Pos() != f.Size {
		return fmt.Errorf("%w: %d bytes, %d wanted", delta.ErrResult, a.m.Pos(), f.Size)
	}
	sum, err := delta.SumOf(ctx, a.m.Out(), f.Size)
	if err != nil {
		return err
	}
	if !f.Is(sum) {
		return fmt.Errorf("%w: it would have another hash", delta.ErrResult)
	}
	a.s.sums = append(a.s.sums, sum)
	return a.place.complete(f, sum)
}
