package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"pakdb/internal/regular"
)

// Files are those of a store, wherever they lie: in a folder ([Folder]), on a web
// server, or in a bucket. They are safe for concurrent use.
type Files interface {
	// Open asks for a part of a file. The error is a [NotGiven] if another try may say
	// something else, [Busy] if it may later; of any other nobody knows.
	Open(ctx context.Context, p Ask) (*Answer, error)
	// At tells where a file is, for those who read of it.
	At(name string) string
	// Steady reports that the same question has the same answer.
	Steady() bool
}

// Ask is for a part of a file of a store.
type Ask struct {
	Name  string // with slashes
	Off   int64
	N     int64 // bytes; -1: all from Off on
	Fresh bool  // what caches have is not wanted
}

// Bucket is where a publisher writes a store that several may write at once: a bucket
// of S3. Each call is one change, which others see as a whole or not at all.
type Bucket interface {
	Files
	// Put writes a file, and returns its version. With version [Absent] there must be none
	// of that name yet; with another one it must be that; with "" any may be. Else the
	// error is [ErrRaced].
	Put(ctx context.Context, name string, r io.ReadSeeker, size int64, version string) (string, error)
	// Stat tells of a file; the error wraps fs.ErrNotExist if there is none.
	Stat(ctx context.Context, name string) (Info, error)
	// List calls use for all files of a folder, "" for all of the store, in their order.
	List(ctx context.Context, folder string, use func(Info) error) error
	// Remove removes a file, which need not be there.
	Remove(ctx context.Context, name string) error
}

// Absent is the version of a file that is not there.
const Absent = "*"

// ErrRaced is the error for a file that somebody else wrote meanwhile.
var ErrRaced = errors.New("somebody else has written it meanwhile")

// Info is what a bucket says of a file.
type Info struct {
	Name    string
	Size    int64
	Written time.Time
}

// Answer is what came for a [Ask]. The caller closes it.
type Answer struct {
	io.ReadCloser
	Skip    int64  // bytes before those that were asked for
	Size    int64  // of all that comes; -1: not known
	Kind    string // media type, "" if nobody says
	Version string // changes with the file, "" if nobody says
}

// NotGiven is the error for an answer that is none.
type NotGiven struct {
	Err    error
	Absent bool // there is no such file
}

func (e *NotGiven) Error() string { return e.Err.Error() }
func (e *NotGiven) Unwrap() error { return e.Err }

// Lacks reports an error for a file that a store in a folder or in a bucket should have,
// and has not.
func Lacks(err error) bool {
	var none *NotGiven
	return errors.As(err, &none) && none.Absent && errors.Is(err, fs.ErrNotExist)
}

// Busy is a server's that asks to be left alone for a while.
type Busy struct {
	Status string
	After  time.Duration
	Until  time.Time // instead of After, unless it is zero
}

// Wait returns how long it asks for.
func (e *Busy) Wait(now time.Time) time.Duration {
	if e.Until.IsZero() {
		return e.After
	}
	return e.Until.Sub(now)
}

func (e *Busy) Error() string { return "the server says " + e.Status }

// Folder is a folder with a store.
type Folder string

// At returns the path of a file.
func (d Folder) At(name string) string { return filepath.Join(string(d), filepath.FromSlash(name)) }

// Steady is true.
func (d Folder) Steady() bool { return true }

// Open opens a part of a file, which must have as many bytes.
func (d Folder) Open(_ context.Context, p Ask) (*Answer, error) {
	f, err := regular.Open(d.At(p.Name))
	if err != nil {
		return nil, &NotGiven{err, errors.Is(err, fs.ErrNotExist)}
	}
	st, err := f.Stat()
	if err == nil && st.Size() < p.Off+max(p.N, 0) {
		err = fmt.Errorf("%w: it ends before byte %d", ErrCorrupt, p.Off+max(p.N, 0))
	}
	if err != nil {
		return nil, &NotGiven{Err: errors.Join(err, f.Close())}
	}
	size := p.N
	if size < 0 {
		size = st.Size() - p.Off
	}
	return &Answer{ReadCloser: &section{io.NewSectionReader(f, p.Off, size), f}, Size: size}, nil
}

// section is a part of an open file.
type section struct {
	io.Reader
	io.Closer
}

// Reader reads files for publishers, who hold them as a whole.
type Reader struct {
	ctx   context.Context
	files Files
}

// NewReader returns a reader that ends when ctx is done.
func NewReader(ctx context.Context, files Files) *Reader { return &Reader{ctx, files} }

// File reads a file, with its version. The error wraps fs.ErrNotExist if there is none.
func (r *Reader) File(name string) (b []byte, version string, err error) {
	return r.read(Ask{Name: name, N: -1})
}

// Part reads n bytes from off on, or all if n is negative.
func (r *Reader) Part(name string, off, n int64) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	b, _, err := r.read(Ask{Name: name, Off: off, N: n})
	if err == nil && n >= 0 && int64(len(b)) != n {
		err = fmt.Errorf("%s: %w: it ends before byte %d", r.files.At(name), ErrCorrupt, off+n)
	}
	return b, err
}

const (
	readTries = 5 // of servers that are busy or break off
	readPause = 100 * time.Millisecond
	mostRoom  = 16 << 20 // bytes of memory for what nobody may have sent yet
)

func (r *Reader) read(p Ask) (b []byte, version string, err error) {
	for try, pause := 1, readPause; ; try, pause = try+1, pause*4 {
		b, version, err = r.once(p)
		var final *NotGiven
		if err == nil || r.files.Steady() || errors.As(err, &final) || try == readTries {
			return b, version, err
		}
		var busy *Busy
		if errors.As(err, &busy) {
			pause = max(pause, min(busy.Wait(time.Now()), time.Minute))
		}
		select {
		case <-r.ctx.Done():
			return nil, "", r.ctx.Err()
		case <-time.After(pause):
		}
	}
}

func (r *Reader) once(p Ask) (b []byte, version string, err error) {
	a, err := r.files.Open(r.ctx, p)
	var none *NotGiven
	if errors.As(err, &none) && none.Absent && !errors.Is(err, fs.ErrNotExist) {
		return nil, "", fmt.Errorf("%s: %w", r.files.At(p.Name), &NotGiven{fs.ErrNotExist, true})
	}
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = a.Close() }()
	if _, err := io.CopyN(io.Discard, a, a.Skip); err != nil {
		return nil, "", fmt.Errorf("%s: %w", r.files.At(p.Name), err)
	}
	var in io.Reader = a
	if p.N >= 0 {
		in = io.LimitReader(a, p.N)
	}
	buf := bytes.NewBuffer(make([]byte, 0, bytes.MinRead+min(max(a.Size, p.N, 0), mostRoom)))
	if _, err = buf.ReadFrom(in); err != nil {
		return nil, "", fmt.Errorf("%s: %w", r.files.At(p.Name), err)
	}
	return buf.Bytes(), a.Version, nil
}
