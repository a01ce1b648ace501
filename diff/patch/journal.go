package patch

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/zeebo/blake3"
)

// A journal is what an update in place is going to write, complete and on the
// disk before the first byte of a file is changed. Writing it again does no harm:
// whoever finds one that ends in its hash finishes the update, and whoever finds
// another one removes it, for nothing was changed yet.
//
//	"pkjourn\x01", then records: a byte that says which, then
//	file:   name, size and BLAKE3 before, size and BLAKE3 after
//	piece:  offset, length, bytes: of the file before it
//	create: temporary name, name
//	commit: BLAKE3 of all before
//
// Numbers and lengths are LEB128.
const (
	journalMagic = "pkjourn\x01"
	journalName  = tempPrefix + "update.journal"
	journalNew   = tempPrefix + "update.new"  // before it holds
	journalUndo  = tempPrefix + "update.undo" // before it has its name
)

// Records of a journal.
const (
	recordFile = iota + 1
	recordPiece
	recordCreate
	recordCommit
)

// target is a file that is updated in place.
type target struct {
	name          string
	before, after File // their names are not used
}

// journal is being written.
type journal struct {
	f   *os.File
	w   *bufio.Writer
	sum *blake3.Hasher
	pos int64 // bytes written, those in w too
}

func newJournal(dir *os.Root, name string) (*journal, error) {
	f, err := dir.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return nil, err
	}
	j := &journal{f: f, w: bufio.NewWriterSize(f, 64<<10), sum: blake3.New()}
	return j, j.put([]byte(journalMagic))
}

func (j *journal) put(b []byte) error {
	_, _ = j.sum.Write(b)
	j.pos += int64(len(b))
	_, err := j.w.Write(b)
	return err
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func (j *journal) file(t target) error {
	b := appendText([]byte{recordFile}, t.name)
	for _, f := range []File{t.before, t.after} {
		b = binary.AppendUvarint(b, uint64(f.Size))
		b = append(b, f.Sum[:]...)
	}
	return j.put(b)
}

// piece returns where in the journal the bytes stand.
func (j *journal) piece(off int64, p []byte) (at int64, err error) {
	b := binary.AppendUvarint([]byte{recordPiece}, uint64(off))
	if err := j.put(binary.AppendUvarint(b, uint64(len(p)))); err != nil {
		return 0, err
	}
	at = j.pos
	return at, j.put(p)
}

func (j *journal) create(temp, name string) error {
	return j.put(appendText(appendText([]byte{recordCreate}, temp), name))
}

// commit ends the journal. It is on the disk then.
func (j *journal) commit() error {
	if err := j.put([]byte{recordCommit}); err != nil {
		return err
	}
	sum := j.sum.Sum(nil)[:len(Sum{})]
	_, err := j.w.Write(sum)
	return errors.Join(err, j.w.Flush(), j.f.Sync(), j.f.Close())
}

// overlay is a file as it will be: what is written goes to the journal, and is
// read from there.
type overlay struct {
	old    *os.File
	size   int64 // of old
	j      *journal
	end    int64 // of what was written in order
	pieces []piece
}

// piece is a run of bytes in a journal.
type piece struct{ off, n, at int64 }

// grain is how many equal bytes are left out of a journal at least.
const grain = 4 << 10

// WriteAt records what differs from what is there.
func (o *overlay) WriteAt(p []byte, off int64) (int, error) {
	if off != o.end {
		return len(p), o.record(p, off) // what was written before may stand there
	}
	o.end += int64(len(p))
	n, from := len(p), 0
	old := make([]byte, min(int64(n), max(0, o.size-off)))
	if len(old) > 0 {
		if err := readAt(o.old, old, off); err != nil {
			return 0, err
		}
	}
	for at := 0; at < n; at += grain {
		end := min(at+grain, n)
		if end <= len(old) && string(p[at:end]) == string(old[at:end]) {
			if err := o.record(p[from:at], off+int64(from)); err != nil {
				return 0, err
			}
			from = end
		}
	}
	return n, o.record(p[from:], off+int64(from))
}

func (o *overlay) record(p []byte, off int64) error {
	if len(p) == 0 {
		return nil
	}
	at, err := o.j.piece(off, p)
	o.pieces = append(o.pieces, piece{off, int64(len(p)), at})
	return err
}

// ReadAt reads the file as it will be, up to where it was written.
func (o *overlay) ReadAt(p []byte, off int64) (int, error) {
	n := min(int64(len(p)), o.end-off)
	if n <= 0 {
		return 0, io.EOF
	}
	if have := min(n, o.size-off); have > 0 {
		if err := readAt(o.old, p[:have], off); err != nil {
			return 0, err
		}
	}
	if err := o.j.w.Flush(); err != nil {
		return 0, err
	}
	for _, k := range o.pieces {
		from, to := max(off, k.off), min(off+n, k.off+k.n)
		if from < to {
			if err := readAt(o.j.f, p[from-off:to-off], k.at+from-k.off); err != nil {
				return 0, err
			}
		}
	}
	if n < int64(len(p)) {
		return int(n), io.EOF
	}
	return int(n), nil
}

// ErrJournal means that a journal is not complete, or is not one.
var ErrJournal = errors.New("not a complete journal")

// readJournal reads a journal's records, after its hash has been checked.
func readJournal(f *os.File, do func(kind byte, t target, off int64, data io.Reader, n int64, temp string) error) error {
	if err := checkJournal(f); err != nil {
		return err
	}
	if _, err := f.Seek(int64(len(journalMagic)), io.SeekStart); err != nil {
		return err
	}
	r := bufio.NewReaderSize(f, 64<<10)
	for {
		kind, err := r.ReadByte()
		if err != nil || kind == recordCommit {
			return err
		}
		var t target
		var off, n int64
		var temp string
		var data io.Reader
		in := &journalReader{r: r}
		switch kind {
		case recordFile:
			t = target{name: in.text(), before: in.file(), after: in.file()}
		case recordPiece:
			off, n = in.number(), in.number()
			data = io.LimitReader(r, n)
		case recordCreate:
			temp, t.name = in.text(), in.text()
		default:
			in.err = ErrJournal
		}
		if in.err != nil {
			return in.err
		}
		if err := do(kind, t, off, data, n, temp); err != nil {
			return err
		}
		if data != nil {
			if _, err := io.Copy(io.Discard, data); err != nil {
				return err
			}
		}
	}
}

// checkJournal compares the hash at the end with all before it.
func checkJournal(f *os.File) error {
	st, err := f.Stat()
	if err != nil {
		return err
	}
	n := st.Size() - int64(len(Sum{}))
	var head [len(journalMagic)]byte
	var want Sum
	if n < int64(len(head)) || readAt(f, head[:], 0) != nil || string(head[:]) != journalMagic || readAt(f, want[:], n) != nil {
		return ErrJournal
	}
	sum, err := sumOf(context.Background(), f, n)
	if err == nil && sum != want {
		err = ErrJournal
	}
	return err
}

// journalReader reads fields. The first failure stays.
type journalReader struct {
	r   *bufio.Reader
	err error
}

func (r *journalReader) number() int64 {
	v, err := binary.ReadUvarint(r.r)
	if r.err == nil && (err != nil || v > 1<<62) {
		r.err = ErrJournal
	}
	return int64(v)
}

func (r *journalReader) bytes(n int64) []byte {
	if n < 0 || n > maxName || r.err != nil {
		r.err = ErrJournal
		return nil
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(r.r, b); err != nil {
		r.err = ErrJournal
	}
	return b
}

func (r *journalReader) text() string { return string(r.bytes(r.number())) }

func (r *journalReader) file() (f File) {
	f.Size = r.number()
	copy(f.Sum[:], r.bytes(int64(len(f.Sum))))
	return f
}

// Recover finishes an update in place of files in a folder that was interrupted,
// and reports whether there was one. What was interrupted before it changed a
// file is removed.
func Recover(ctx context.Context, dir *os.Root) (bool, error) {
	f, err := dir.Open(journalName)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	w := &replay{dir: dir}
	err = readJournal(f, w.do)
	err = errors.Join(err, w.finish(), f.Close())
	if errors.Is(err, ErrJournal) {
		return false, dir.Remove(journalName)
	}
	if err == nil {
		err = w.check(ctx)
	}
	if err != nil {
		return false, fmt.Errorf("finishing the update in %s: %w", dir.Name(), err)
	}
	return true, errors.Join(dir.Remove(journalName), syncDir(dir, "."))
}

// replay writes what a journal says.
type replay struct {
	dir  *os.Root
	now  target
	file *os.File
	done []target
}

func (w *replay) do(kind byte, t target, off int64, data io.Reader, n int64, temp string) error {
	switch kind {
	case recordFile:
		if err := w.finish(); err != nil {
			return err
		}
		f, err := w.dir.OpenFile(t.name, os.O_RDWR, 0)
		w.now, w.file = t, f
		return err
	case recordPiece:
		if w.file == nil {
			return ErrJournal
		}
		_, err := io.CopyN(io.NewOffsetWriter(w.file, off), data, n)
		return err
	}
	if err := w.dir.Rename(temp, t.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil // without the temporary file: renamed before
}

// finish gives the file at hand its size.
func (w *replay) finish() error {
	if w.file == nil {
		return nil
	}
	err := errors.Join(w.file.Truncate(w.now.after.Size), w.file.Sync(), w.file.Close())
	w.file, w.done = nil, append(w.done, w.now)
	return err
}

// check compares the files with their hashes.
func (w *replay) check(ctx context.Context) error {
	for _, t := range w.done {
		f, err := w.dir.Open(t.name)
		if err != nil {
			return err
		}
		sum, err := sumOf(ctx, f, t.after.Size)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
		if sum != t.after.Sum {
			return fmt.Errorf("%s: %w", t.name, ErrResult)
		}
	}
	return nil
}

// writeUndo writes, to name in the folder, the journal that takes back what the
// folder's journal will do to files that are there; files that it creates stay.
func writeUndo(dir *os.Root, name string) (err error) {
	f, err := dir.Open(journalNew)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	j, err := newJournal(dir, journalUndo)
	if err != nil {
		return err
	}
	u := &undo{dir: dir, j: j}
	err = readJournal(f, u.do)
	if err = errors.Join(err, u.finish()); err != nil {
		return errors.Join(err, j.f.Close(), dir.Remove(journalUndo))
	}
	return errors.Join(j.commit(), dir.Rename(journalUndo, name))
}

// undo collects what stands where a journal will write.
type undo struct {
	dir  *os.Root
	j    *journal
	now  target
	file *os.File
}

func (u *undo) do(kind byte, t target, off int64, _ io.Reader, n int64, _ string) (err error) {
	switch kind {
	case recordFile:
		if err := u.finish(); err != nil {
			return err
		}
		if u.file, err = u.dir.Open(t.name); err != nil {
			return err
		}
		u.now = t
		return u.j.file(target{t.name, t.after, t.before})
	case recordPiece:
		return u.save(off, min(off+n, u.now.before.Size))
	}
	return nil
}

// save writes the bytes from..to of the file at hand.
func (u *undo) save(from, to int64) error {
	for from < to {
		p := make([]byte, min(to-from, 1<<20))
		if err := readAt(u.file, p, from); err != nil {
			return err
		}
		if _, err := u.j.piece(from, p); err != nil {
			return err
		}
		from += int64(len(p))
	}
	return nil
}

// finish saves what the new size cuts off.
func (u *undo) finish() error {
	if u.file == nil {
		return nil
	}
	err := errors.Join(u.save(u.now.after.Size, u.now.before.Size), u.file.Close())
	u.file = nil
	return err
}

// Undo takes back an update in place by what [Plan.Apply] kept of it. The files
// must be as the update left them; else nothing is changed.
func Undo(ctx context.Context, file string, dir *os.Root) (err error) {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	err = readJournal(f, func(kind byte, t target, _ int64, _ io.Reader, _ int64, _ string) error {
		if kind != recordFile {
			return nil
		}
		return isFile(ctx, dir, t.name, t.before)
	})
	if err != nil {
		return named(file, err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	j, err := dir.OpenFile(journalNew, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	_, err = io.Copy(j, f)
	if err := errors.Join(err, j.Sync(), j.Close()); err != nil {
		return err
	}
	return goLive(ctx, dir)
}

// goLive makes a complete journal the one that holds, and does what it says.
func goLive(ctx context.Context, dir *os.Root) error {
	if err := errors.Join(dir.Rename(journalNew, journalName), syncDir(dir, ".")); err != nil {
		return err
	}
	_, err := Recover(context.WithoutCancel(ctx), dir)
	return err
}

// isFile returns ErrWrongOld unless a file is what it should be.
func isFile(ctx context.Context, dir *os.Root, name string, want File) error {
	f, err := dir.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	if st.Size() == want.Size {
		sum, err := sumOf(ctx, f, want.Size)
		if err != nil {
			return err
		}
		if sum == want.Sum {
			return nil
		}
	}
	return fmt.Errorf("%s: %w: it is not as the update left it", name, ErrWrongOld)
}
