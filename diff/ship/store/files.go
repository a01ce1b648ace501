package store

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/zeebo/blake3"

	"pakdb/internal/regular"
	"pakdb/internal/stored"
)

// Files are those of a store, wherever they lie: in a folder ([Folder]), on a web
// server, or in a bucket. They are safe for concurrent use.
type Files interface {
	// Open asks for a part of a file. The error is a [NotGiven] if another try may say
	// something else, [Busy] if it may later; of any other nobody knows.
	Open(ctx context.Context, p Ask) (*Answer, error)
	// At returns where a file is, for readers of a range.
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
	// Stat reports a file; the error wraps fs.ErrNotExist if there is none.
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

// Info is a bucket's metadata of a file.
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

// Reader reads files for publishers, which hold them as a whole.
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

// ReadObject reads an object of a store.
func ReadObject(from *Reader, id string) ([]byte, error) {
	b, _, err := from.File("m/" + path.Base(id))
	if err != nil {
		return nil, err
	}
	return ParseObject(b, id, MaxObject)
}

// ParseObject decodes an object of up to most bytes and checks that it is what its
// name says.
func ParseObject(b []byte, id string, most int) ([]byte, error) {
	plain, err := inflate(b, most)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ObjectName(id), err)
	}
	if sum := blake3.Sum256(plain); hex.EncodeToString(sum[:]) != id {
		return nil, fmt.Errorf("%w: %s is not what its name says", ErrCorrupt, ObjectName(id))
	}
	return plain, nil
}

// EachEarlier calls use for each version of a file that an object lists. That they
// are what the object's name says is known when it returns nil.
func EachEarlier(stored []byte, id string, use func(*File)) error {
	d, err := zstd.NewReader(bytes.NewReader(stored), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return err
	}
	defer d.Close()
	h := blake3.New()
	r := io.TeeReader(io.LimitReader(d, min(MaxObject, 1<<20+mostRatio*int64(len(stored)))), h)
	if err := parseFiles(r, func(f *File) error { use(f); return nil }); err != nil {
		return fmt.Errorf("%s: %w", ObjectName(id), err)
	}
	if hex.EncodeToString(h.Sum(nil)) != id {
		return fmt.Errorf("%w: %s is not what its name says", ErrCorrupt, ObjectName(id))
	}
	return nil
}

const (
	// MaxObject bounds the decoded bytes of an object of a publisher's own store, and
	// those of a list of earlier files, which nobody holds as a whole.
	MaxObject = 256 << 20
	// mostRatio is how much larger than stored that list may be. Each file of it has a
	// hash, of which 32 bytes do not compress, and 2 KiB at most that do.
	mostRatio = 64
	// MaxRoot bounds the root of a list of files: 64 paths of 2 KiB, with hashes.
	MaxRoot = 256 << 10
	// MaxTable bounds a table of packs: at 3 bytes for each frame of 64 KiB it is
	// that of 256 GiB of chunks, and a build may have many.
	MaxTable = 12 << 20
	// MaxDeltaList bounds a list of deltas, of 25 to 40 bytes each: 300,000 contents
	// that changed between two builds. A publisher leaves out what is more.
	MaxDeltaList = 8 << 20
	// maxWindow is the most that the encoder of objects looks back.
	maxWindow = 16 << 20
)

// What a client holds of what a store says is counted, and bounded by what it has
// received: to fill its memory, a server has to send as much.
const (
	// heldAnyhow is what a client may hold whatever it received. The heap may be
	// twice as large before garbage is collected; with 16 MiB of lists that wait,
	// frames and encoders the process stays below 256 MB. It is enough for the plan
	// of an update that fetches some 10 GB.
	heldAnyhow = 64 << 20
	// heldPerByte is what it may hold for each byte of lists that came. Honest ones
	// take 7 to 30: a piece of a recipe is stored in 15 to 20 bytes and held, with
	// the content that is wanted, in 500; a chunk in 10, and held in 90.
	heldPerByte = 40

	HeldFile   = 400 // bytes that are held of a file of a build
	HeldSlot   = 128 // of a part of a tree that is to be read
	HeldPiece  = 128 // of a piece of a recipe
	HeldWanted = 400 // of a content that the folder has not
	HeldChunk  = 96  // of a chunk of one, with its share of a frame
)

// Budget counts bytes in memory. Without received, nothing is refused: for those
// that read their own store.
type Budget struct {
	used     int64
	Own      int64 // what may be held because the client's own folder has it
	Received func() int64
}

// Take counts n bytes, or fails with a [MemoryError].
func (b *Budget) Take(n int64) error {
	b.used = SumSizes(b.used, n)
	if b.Received == nil {
		return nil
	}
	came := b.Received()
	most := SumSizes(heldAnyhow, b.Own)
	if came < math.MaxInt64/heldPerByte {
		most = SumSizes(most, came*heldPerByte)
	}
	if b.used > most {
		return &MemoryError{Held: b.used, Received: came}
	}
	return nil
}

// Give counts n bytes as free again.
func (b *Budget) Give(n int64) { b.used -= n }

// MemoryError means that a store says so much in so few bytes that no honest one
// does, or that its lists are damaged. It is [ErrCorrupt].
type MemoryError struct {
	Held, Received int64 // bytes
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("%v: to plan the update would take more than %d MiB of memory, by %d bytes of lists", ErrCorrupt, e.Held>>20, e.Received)
}

// Is reports that the error is [ErrCorrupt].
func (e *MemoryError) Is(target error) bool { return target == ErrCorrupt }

// Hint returns a line for the user: whom to ask about the store.
func (e *MemoryError) Hint() string {
	return "the store is damaged, or made to harm: ask who publishes it; nothing was changed"
}

// SumSizes adds sizes, which are not negative; an overflow gives the largest.
func SumSizes(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// What is being done, in the words that people see.
const (
	StepHashing   = "hashing"
	StepReading   = "reading"
	StepDeltas    = "deltas"
	StepWhole     = "whole files"
	StepComparing = "comparing"
	StepFetching  = "fetching"
	StepMaking    = "making files"
	StepChecking  = "checking"
)

// SumOf returns the BLAKE3 of the first n bytes of r, in hexadecimal. It counts
// them in the progress of ctx.
func SumOf(ctx context.Context, r io.ReaderAt, n int64) (string, error) {
	sum, err := stored.Hash(ctx, r, n)
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(sum[:]), nil
}
