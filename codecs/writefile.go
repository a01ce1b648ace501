package codecs

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"pakdb/internal/atomicfile"
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

// Staged is an archive that is written and synced, and has no name of its own
// yet: a caller with more to check than [WriteFile] does looks at it first. It is
// not safe for concurrent use.
type Staged struct {
	files   *tempFiles
	written *written
}

// StageFile writes a new archive of format f that is to be at path, as
// [WriteFile] does, and leaves it under a temporary name in the same folder.
// The caller ends it by Commit or Discard. On an error, and when ctx is done,
// nothing is left.
func StageFile(ctx context.Context, path string, f *Format, o *CreateOptions, fill func(Writer) error) (_ *Staged, err error) {
	if f.Create == nil {
		return nil, &FormatError{Format: f.Name, File: filepath.Base(path), Off: -1, Err: ErrReadOnly}
	}
	files, err := newTempFiles(ctx, path)
	if err != nil {
		return nil, err
	}
	s := &Staged{files: files}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Discard())
		}
	}()
	defer process.Rescue(&err)
	out, err := s.files.create("")
	if err != nil {
		return nil, err
	}
	if s.written, err = writeArchive(ctx, out, f, s.files.options(o), fill); err != nil {
		return nil, err
	}
	return s, s.files.sync()
}

// StageBytes is StageFile for a file that is no archive.
func StageBytes(ctx context.Context, path string, b []byte) (_ *Staged, err error) {
	files, err := newTempFiles(ctx, path)
	if err != nil {
		return nil, err
	}
	s := &Staged{files: files}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Discard())
		}
	}()
	out, err := s.files.create("")
	if err != nil {
		return nil, err
	}
	if _, err := out.Write(b); err != nil {
		return nil, err
	}
	return s, s.files.sync()
}

// Source is the file under the name that it will have, with those beside it
// that belong to it. It may be read until Commit or Discard.
func (s *Staged) Source() (Source, error) {
	if len(s.files.list) == 0 {
		return Source{}, os.ErrClosed
	}
	f := s.files.list[0]
	st, err := f.file.Stat()
	if err != nil {
		return Source{}, err
	}
	return Source{ReaderAt: f.file.File, Name: f.name, Size: st.Size(), Dir: s.files}, nil
}

// Size is that of all its files together, in bytes.
func (s *Staged) Size() (n int64, err error) {
	for _, f := range s.files.list {
		st, err := f.file.Stat()
		if err != nil {
			return n, err
		}
		n += st.Size()
	}
	return n, nil
}

// Commit gives the files their names, the archive's own last, in place of what
// is there.
func (s *Staged) Commit() error { return s.files.commit() }

// Discard removes what has no name of its own yet; after Commit that is
// nothing.
func (s *Staged) Discard() error { return s.files.remove() }

// tempFiles are the files of an archive that is being written, under temporary
// names in the folder that they will be in. As an fs.FS it shows them under
// their own names.
type tempFiles struct {
	dir  *atomicfile.Dir // of the archive's path
	base string
	list []tempFile // the archive's own first
}

type tempFile struct {
	file *atomicfile.Temp
	name string // that it will have
}

func newTempFiles(ctx context.Context, path string) (*tempFiles, error) {
	dir, err := atomicfile.Open(ctx, filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	return &tempFiles{dir: dir, base: filepath.Base(path)}, nil
}

// create makes a file: the archive for suffix "", else one beside it.
func (t *tempFiles) create(suffix string) (*atomicfile.File, error) {
	name := t.base
	if suffix != "" {
		name = strings.TrimSuffix(t.base, filepath.Ext(t.base)) + suffix
	}
	if filepath.Base(name) != name || t.find(name) != nil {
		return nil, &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
	}
	t.dir.Sweep(".", name)
	f, err := t.dir.Create(name, 0o666)
	if err != nil {
		return nil, err
	}
	t.list = append(t.list, tempFile{f, name})
	return f.File, nil
}

func (t *tempFiles) find(name string) *atomicfile.Temp {
	for _, f := range t.list {
		if f.name == name {
			return f.file
		}
	}
	return nil
}

// options are o with a Sibling, unless it has its own.
func (t *tempFiles) options(o *CreateOptions) *CreateOptions {
	var with CreateOptions
	if o != nil {
		with = *o
	}
	if with.Sibling == nil {
		with.Sibling = func(suffix string) (io.WriteSeeker, error) {
			f, err := t.create(suffix)
			if err != nil {
				return nil, err // not a nil *os.File in the interface
			}
			return f, nil
		}
	}
	return &with
}

// Open implements fs.FS, for reading back what was written.
func (t *tempFiles) Open(name string) (fs.File, error) {
	f := t.find(name)
	if f == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return os.Open(f.TempPath())
}

func (t *tempFiles) sync() error {
	for _, f := range t.list {
		if err := f.file.Sync(); err != nil {
			return err
		}
	}
	return nil
}

// commit closes the files and gives them their names, the archive's own last:
// until then the one that was there before is found, with or without the
// files that it needs.
func (t *tempFiles) commit() error {
	for _, f := range t.list {
		if err := f.file.Close(); err != nil {
			return err
		}
	}
	for len(t.list) > 0 {
		if err := t.list[len(t.list)-1].file.Place(); err != nil {
			return err
		}
		t.list = t.list[:len(t.list)-1]
	}
	return t.dir.Sync()
}

// remove takes away what has no name of its own yet. The folder is closed then.
func (t *tempFiles) remove() error {
	var errs []error
	for _, f := range t.list {
		errs = append(errs, f.file.Discard())
	}
	t.list = nil
	if t.dir != nil {
		errs = append(errs, t.dir.Close())
		t.dir = nil
	}
	return errors.Join(errs...)
}

// CheckNames returns the error of class [ErrName] that writing an archive of format f ends
// with at the first of these names that it cannot hold, beside those before it; nil if there
// is none. So it is known before hours of packing. Each format's Writer has its rules in one
// place: it is given entries without contents, and what it writes goes nowhere. Other errors
// are left to the writing.
func CheckNames(ctx context.Context, f *Format, o *CreateOptions, names iter.Seq[string]) error {
	dry := *o
	dry.Sibling = func(string) (io.WriteSeeker, error) { return &nowhere{}, nil }
	err := process.RescueCall(func() error { return dryRun(ctx, f, &dry, names) })
	if errors.Is(err, ErrName) {
		return err
	}
	return ctx.Err()
}

func dryRun(ctx context.Context, f *Format, o *CreateOptions, names iter.Seq[string]) (err error) {
	w, err := f.Create(&nowhere{}, o)
	if err != nil {
		return err
	}
	if a, ok := w.(Aborter); ok {
		defer func() { err = errors.Join(err, a.Abort()) }()
	}
	for name := range names {
		if err := w.Add(ctx, &Entry{Name: name}, strings.NewReader("")); err != nil {
			return err
		}
	}
	return nil
}

// nowhere is a file of which nobody reads what is written to it.
type nowhere struct{ at, size int64 }

func (n *nowhere) Write(p []byte) (int, error) {
	n.at += int64(len(p))
	n.size = max(n.size, n.at)
	return len(p), nil
}

func (n *nowhere) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += n.at
	case io.SeekEnd:
		offset += n.size
	}
	if offset < 0 {
		return 0, errors.ErrUnsupported
	}
	n.at = offset
	return offset, nil
}
