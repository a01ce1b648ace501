package update

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"pakdb/diff/ship/store"
	"pakdb/internal/atomicfile"
	"pakdb/internal/process"
	"pakdb/internal/stored"
)

// What was fetched is compared with its hash when it is used, too: it may have
// been kept by an earlier try, or be a sound frame of something else. What is
// wrong is fetched again.

// fetcher fetches ranges of the store into files of the folder of work.
type fetcher struct {
	frames *frameReader
	disk   *disk
	ranges []*fetchRange
	at     map[store.FrameID]located
	deltas map[Content]located
	recent store.FrameCache
}

// fetchRange is a range and the file that it lies in.
type fetchRange struct {
	Range
	data   *os.File // nil: it is not there yet
	absent bool     // nobody gives it
}

// located is a part of a range.
type located struct {
	in     *fetchRange
	off, n int64
}

func newFetcher(frames *frameReader, disk *disk, ranges []Range) *fetcher {
	f := &fetcher{frames: frames, disk: disk, at: map[store.FrameID]located{}, deltas: map[Content]located{}}
	for _, r := range ranges {
		f.add(r)
	}
	return f
}

// add takes a range in, which is not fetched yet.
func (f *fetcher) add(r Range) *fetchRange {
	in := &fetchRange{Range: r}
	f.ranges = append(f.ranges, in)
	for _, p := range r.Parts {
		if at := (located{in, p.Off, p.Size}); p.Pack > 0 {
			f.at[p.frame()] = at
		} else {
			f.deltas[p.Content] = at
		}
	}
	return in
}

// work is where a range is fetched to.
func (r *Range) work() string {
	return path.Join(store.WorkDir, fmt.Sprintf(atomicfile.Prefix+"%s-%d-%d", r.Sum, r.Off, r.Size))
}

// hasFrames reports whether a frame is in the range, and not deltas alone.
func (r *Range) hasFrames() bool {
	return slices.ContainsFunc(r.Parts, func(p Part) bool { return p.Pack > 0 })
}

// all gets all ranges up to a rank, some at a time, each into a file of its own. It returns
// the contents whose deltas nobody gives.
func (f *fetcher) all(ctx context.Context, rank int, fetched func(n int64)) (absent []Content, err error) {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(workers)
	var counting sync.Mutex
	for _, r := range f.ranges {
		if r.Rank > rank || r.data != nil {
			continue
		}
		g.Go(process.RescueFunc(func() error {
			err := f.fetch(ctx, r, r.inflates)
			var wrong *wrongError
			if errors.As(err, &wrong) && !r.hasFrames() && ctx.Err() == nil {
				r.absent, err = true, nil // deltas are not needed
			}
			if err == nil && fetched != nil {
				counting.Lock()
				defer counting.Unlock()
				fetched(r.Size)
			}
			return err
		}))
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return f.forgetAbsent(), nil
}

// missing is how many bytes up to a rank are not fetched.
func (f *fetcher) missing(rank int) (n int64) {
	for _, r := range f.ranges {
		if r.Rank <= rank && r.data == nil {
			n += r.Size
		}
	}
	return n
}

// forgetAbsent forgets the ranges that nobody gives, and returns what they have.
func (f *fetcher) forgetAbsent() (list []Content) {
	for _, r := range f.ranges {
		for _, p := range r.Parts {
			if r.absent {
				list = append(list, p.Content)
				delete(f.deltas, p.Content)
			}
		}
	}
	f.ranges = slices.DeleteFunc(f.ranges, func(r *fetchRange) bool { return r.absent })
	return list
}

// fetch gets a range, unless an earlier try has.
func (f *fetcher) fetch(ctx context.Context, r *fetchRange, check func([]byte) error) error {
	name := r.work()
	if file, err := f.disk.out.Open(name); err == nil {
		if st, err := file.Stat(); err == nil && st.Size() == r.Size {
			r.data = file
			return nil
		}
		_ = file.Close()
	}
	b, err := f.frames.get(ctx, &r.Range, true, check)
	if err != nil {
		return err
	}
	file, err := f.disk.out.OpenFile(name+"~", os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	if _, err = file.Write(b); err == nil {
		err = f.disk.out.Rename(name+"~", name)
	}
	if err != nil {
		return errors.Join(err, file.Close(), f.disk.out.Remove(name+"~"))
	}
	r.data = file.File
	return nil
}

// again fetches a range anew.
func (f *fetcher) again(ctx context.Context, r *fetchRange, check func([]byte) error) error {
	f.frames.remote.isWrong(int(r.Size))
	err := r.close()
	if err == nil {
		err = f.disk.out.Remove(r.work())
	}
	if err != nil {
		return err
	}
	return f.fetch(ctx, r, check)
}

// need fetches those of some frames that were not planned.
func (f *fetcher) need(ctx context.Context, frames map[store.FrameID]bool) error {
	for id := range frames {
		if _, there := f.at[id]; there {
			delete(frames, id)
		}
	}
	parts, err := f.frames.locate(ctx, frames)
	if err != nil {
		return err
	}
	for _, r := range join(parts, nearby) {
		if err := f.fetch(ctx, f.add(r), nil); err != nil {
			return err
		}
	}
	return nil
}

// chunk returns a chunk of what was fetched.
func (f *fetcher) chunk(ctx context.Context, c store.ChunkRef) ([]byte, error) {
	id := c.Place.ID()
	frame, ok := f.recent.Frames[id]
	if !ok {
		at := f.at[id]
		b, err := at.read()
		if err == nil {
			frame, err = c.Frame(b)
		}
		if errors.Is(err, store.ErrCorrupt) && at.in != nil {
			err = f.again(ctx, at.in, func(b []byte) (err error) {
				frame, err = c.Frame(b[at.off : at.off+at.n])
				return err
			})
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", store.PackName(id.Pack), err)
		}
		f.recent.Keep(id, frame)
	}
	return c.In(frame)
}

func (l *located) read() ([]byte, error) {
	if l.in == nil || l.in.data == nil {
		return nil, fmt.Errorf("%w: a part of a pack that was not planned", store.ErrCorrupt)
	}
	b := make([]byte, l.n)
	return b, stored.ReadAt(l.in.data, b, l.off)
}

func (r *fetchRange) close() error {
	if r.data == nil {
		return nil
	}
	err := r.data.Close()
	r.data = nil
	return err
}

// close closes the files of all ranges.
func (f *fetcher) close() error {
	var errs []error
	for _, r := range f.ranges {
		errs = append(errs, r.close())
	}
	return errors.Join(errs...)
}

// chunkReader reads chunks one after the other.
type chunkReader struct {
	next   func(store.ChunkRef) ([]byte, error)
	chunks []store.ChunkRef
	rest   []byte
}

func (r *chunkReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if len(r.chunks) == 0 {
			return 0, io.EOF
		}
		var err error
		if r.rest, err = r.next(r.chunks[0]); err != nil {
			return 0, err
		}
		r.chunks = r.chunks[1:]
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}
