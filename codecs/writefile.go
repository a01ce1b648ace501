package codecs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"

	"pakdb/internal/rescue"
)

// Aborter is a [Writer] that holds something, such as a temporary file, which
// it must give back when Close is not called. Abort after Close does nothing.
type Aborter interface{ Abort() error }

// WriteFile writes a new archive of format f to path, replacing what is there
// only when the archive is complete: fill adds the entries, the result is
// synced, opened again and read to its end, and then renamed. Until then it is
// a temporary file in the same folder, which is removed on any error and when
// ctx is done. What does not read back is ErrReadBack.
//
// Formats of several files get [CreateOptions.Sibling]. Their files are put in
// place one after the other, the one at path last.
func WriteFile(ctx context.Context, path string, f *Format, o *CreateOptions, fill func(Writer) error) (err error) {
	s, err := StageFile(ctx, path, f, o, fill)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Discard()) }()
	if err := readBack(ctx, s.files, f, o, s.entries); err != nil {
		return err
	}
	return s.Commit()
}

// writeArchive returns how many entries were written.
func writeArchive(ctx context.Context, out io.WriteSeeker, f *Format, o *CreateOptions, fill func(Writer) error) (int, error) {
	w, err := f.Create(out, o)
	if err != nil {
		return 0, err
	}
	c := &counter{Writer: w}
	if err := errors.Join(rescue.Call(func() error { return fill(c) }), ctx.Err()); err != nil {
		if a, ok := w.(Aborter); ok {
			err = errors.Join(err, a.Abort())
		}
		return 0, err
	}
	return c.n, rescue.Call(w.Close)
}

// counter counts the entries that went into a Writer.
type counter struct {
	Writer
	n int
}

// Unwrap is for WriterAs.
func (c *counter) Unwrap() Writer { return c.Writer }

func (c *counter) Add(ctx context.Context, e *Entry, r io.Reader) error {
	c.n++
	return c.Writer.Add(ctx, e, r)
}

func (c *counter) AddRaw(ctx context.Context, e *Entry, r io.Reader) error {
	c.n++
	return c.Writer.AddRaw(ctx, e, r)
}

// readBack opens what was written as any reader would, and reads every entry
// that has content.
func readBack(ctx context.Context, files *tempFiles, f *Format, o *CreateOptions, want int) error {
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
	n, err := readEntries(ctx, a)
	if err == nil && n != want {
		err = fmt.Errorf("%d entries, %d were written", n, want)
	}
	if err = errors.Join(err, a.Close()); err != nil {
		return differs(err)
	}
	return nil
}

// readEntries reads every entry that has content, several at once, until one
// fails. It returns how many entries there are.
func readEntries(ctx context.Context, a Archive) (n int, err error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	entries := make(chan *Entry)
	var readers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		readers.Go(func() {
			for e := range entries {
				if err := rescue.Call(func() error { return readEntry(ctx, a, e) }); err != nil {
					stop(err) // the first one counts
				}
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
	return n, context.Cause(ctx)
}

func readEntry(ctx context.Context, a Archive, e *Entry) error {
	r, err := a.Open(ctx, e)
	if err != nil {
		return err
	}
	n, err := io.Copy(io.Discard, r)
	if err == nil && n != e.Size {
		err = fmt.Errorf("entry %d %q has %d bytes, %d declared", e.Ordinal, e.Name, n, e.Size)
	}
	return errors.Join(err, r.Close())
}
