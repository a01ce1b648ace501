package codecs

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"runtime"
	"slices"
	"sync"

	"pakdb/internal/process"
)

// Aborter is a [Writer] that holds something, such as a temporary file, which
// it must give back when Close is not called. Abort after Close does nothing.
type Aborter interface{ Abort() error }

// WriteFile writes a new archive of format f to path, replacing what is there
// only when the archive is complete: fill adds the entries, the result is
// synced, opened again and read to its end, and then renamed. The contents that
// were added must be among those that are read. Until then it is a temporary
// file in the same folder, which is removed on any error and when ctx is done.
// What does not read back is ErrReadBack.
//
// Formats of several files get [CreateOptions.Sibling]. Their files are put in
// place one after the other, the one at path last.
func WriteFile(ctx context.Context, path string, f *Format, o *CreateOptions, fill func(Writer) error) (err error) {
	s, err := StageFile(ctx, path, f, o, fill)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Discard()) }()
	if err := readBack(ctx, s.files, f, o, s.written); err != nil {
		return err
	}
	return s.Commit()
}

// writeArchive returns what was written.
func writeArchive(ctx context.Context, out io.WriteSeeker, f *Format, o *CreateOptions, fill func(Writer) error) (*written, error) {
	w, err := f.Create(out, o)
	if err != nil {
		return nil, err
	}
	c := &counter{Writer: w, written: &written{seed: maphash.MakeSeed()}}
	c.hash.SetSeed(c.seed)
	if err := errors.Join(process.RescueCall(func() error { return fill(c) }), ctx.Err()); err != nil {
		if a, ok := w.(Aborter); ok {
			err = errors.Join(err, a.Abort())
		}
		return nil, err
	}
	return c.written, process.RescueCall(w.Close)
}

// written is what went into a Writer: entries, and hashes of the contents that were
// added. Formats store them in an order and under names of their own.
type written struct {
	entries  int
	contents []uint64
	seed     maphash.Seed
}

// missing reports whether a content that was written is not among those that were read.
func (w *written) missing(read []uint64) bool {
	slices.Sort(w.contents)
	slices.Sort(read)
	for _, h := range w.contents {
		for len(read) > 0 && read[0] < h {
			read = read[1:]
		}
		if len(read) == 0 || read[0] != h {
			return true
		}
		read = read[1:]
	}
	return false
}

// counter notes what goes into a Writer.
type counter struct {
	Writer
	*written
	hash maphash.Hash
}

// Unwrap is for WriterAs.
func (c *counter) Unwrap() Writer { return c.Writer }

func (c *counter) Add(ctx context.Context, e *Entry, r io.Reader) error {
	c.entries++
	if e.Flags&Deleted != 0 || r == nil {
		return c.Writer.Add(ctx, e, r)
	}
	c.hash.Reset()
	err := c.Writer.Add(ctx, e, io.TeeReader(r, &c.hash))
	c.contents = append(c.contents, c.hash.Sum64())
	return err
}

func (c *counter) AddRaw(ctx context.Context, e *Entry, r io.Reader) error {
	c.entries++
	return c.Writer.AddRaw(ctx, e, r)
}

// readBack opens what was written as any reader would, and reads every entry
// that has content. An archive that fills contents up gives them back as others.
func readBack(ctx context.Context, files *tempFiles, f *Format, o *CreateOptions, want *written) error {
	file, base := files.list[0].file.File, files.list[0].name
	differs := func(err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return &FormatError{Format: f.Name, File: base, Off: -1, Err: fmt.Errorf("%w: %w", ErrReadBack, err)}
	}
	st, err := file.Stat()
	if err != nil {
		return err
	}
	open := Options{KeysTrusted: true}
	if o != nil {
		open.Keys = o.Keys
	}
	a, err := f.Open(ctx, Source{ReaderAt: file, Name: base, Size: st.Size(), Dir: files}, &open)
	if err != nil {
		return differs(err)
	}
	n, contents, err := readEntries(ctx, a, want)
	_, fills := ArchiveAs[Padder](a)
	switch {
	case err != nil:
	case n != want.entries:
		err = fmt.Errorf("%d entries, %d were written", n, want.entries)
	case !fills && want.missing(contents):
		err = errors.New("a content is another than was written")
	}
	if err = errors.Join(err, a.Close()); err != nil {
		return differs(err)
	}
	return nil
}

// readEntries reads every entry that has content, several at once, until one
// fails. It returns how many entries there are, and the hashes of their contents.
func readEntries(ctx context.Context, a Archive, w *written) (n int, contents []uint64, err error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	entries := make(chan *Entry)
	var readers sync.WaitGroup
	var mu sync.Mutex
	for range runtime.GOMAXPROCS(0) {
		readers.Go(func() {
			var h maphash.Hash
			h.SetSeed(w.seed)
			buf := make([]byte, 64<<10)
			for e := range entries {
				h.Reset()
				if err := process.RescueCall(func() error { return readEntry(ctx, a, e, &h, buf) }); err != nil {
					stop(err) // the first one counts
				}
				mu.Lock()
				contents = append(contents, h.Sum64())
				mu.Unlock()
			}
		})
	}
	for e, eerr := range a.Entries() {
		if eerr != nil {
			stop(eerr)
		}
		if ctx.Err() != nil {
			break
		}
		n++
		if e.Flags&Deleted == 0 {
			entries <- e
		}
	}
	close(entries)
	readers.Wait()
	return n, contents, context.Cause(ctx)
}

func readEntry(ctx context.Context, a Archive, e *Entry, w io.Writer, buf []byte) error {
	r, err := a.Open(ctx, e)
	if err != nil {
		return err
	}
	n, err := io.CopyBuffer(w, r, buf)
	if err == nil && n != e.Size {
		err = fmt.Errorf("entry %d %q has %d bytes, %d declared", e.Ordinal, e.Name, n, e.Size)
	}
	return errors.Join(err, r.Close())
}
