package apply

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/zeebo/blake3"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/program"
	"pakdb/internal/atomicfile"
	"pakdb/internal/bin"
	"pakdb/internal/stored"
)

// A journal says what is to be done with the files of a folder, completely, and
// is on the disk before the first of them is changed. Doing it again does no
// harm.
//
//	"pkjourn\x02" | data | actions | u64 where the actions start | hash of all before
//
// Hashes are the first 16 bytes of BLAKE3. An action is a byte that says which, a name, and:
//
//	change: size and hash before, size and hash after, a byte: 1 the file is not
//	        executable, 2 it is, 0 as it was; pieces
//	create: temporary name, size and hash after
//	remove: size and hash before
//
// Pieces are their count, then for each its offset less the end of the one
// before, its length, and the offset of its bytes in the journal. Numbers are
// LEB128, texts have their length before them. What a piece adds to a file
// is after all it has.
const (
	journalMagic = "pkjourn\x02"
	journalName  = atomicfile.Prefix + "update.journal"
	journalNew   = atomicfile.Prefix + "update.new" // before it holds
	lockName     = atomicfile.Prefix + "update.lock"
)

// Actions of a journal.
const (
	actChange = iota + 1
	actCreate
	actRemove
)

// Whether a change makes a file executable.
const (
	execNo = iota + 1
	execYes
)

// maxActions are the bytes of actions, which are in memory.
const maxActions = 64 << 20

// action is what becomes of a file.
type action struct {
	kind          byte
	exec          byte // of a change
	name, temp    string
	before, after delta.File // without names; see journal
	pieces        []piece
	lost          bool // it could not be done: the file is another one, or gone
}

// piece is n bytes for a place in a file, which are somewhere in the journal.
type piece struct{ off, n, at int64 }

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendFile(b []byte, f delta.File) []byte {
	return append(binary.AppendUvarint(b, uint64(f.Size)), f.Sum[:]...)
}

func (a *action) append(b []byte) []byte {
	b = appendText(append(b, a.kind), a.name)
	switch a.kind {
	case actCreate:
		return appendFile(appendText(b, a.temp), a.after)
	case actRemove:
		return appendFile(b, a.before)
	}
	b = append(appendFile(appendFile(b, a.before), a.after), a.exec)
	b = binary.AppendUvarint(b, uint64(len(a.pieces)))
	end := int64(0)
	for _, p := range a.pieces {
		for _, n := range []int64{p.off - end, p.n, p.at} {
			b = binary.AppendUvarint(b, uint64(n))
		}
		end = p.off + p.n
	}
	return b
}

// journalTail is what is after the actions.
const journalTail = 8 + len(delta.Sum{})

// marshalActions returns what of a journal is after its data, but for the
// hash.
func marshalActions(list []action, dataEnd int64) (b []byte) {
	for i := range list {
		b = list[i].append(b)
	}
	return binary.LittleEndian.AppendUint64(b, uint64(dataEnd))
}

// sealJournal completes a journal whose data, after the magic, is in f already.
// It is on the disk then, and closed.
func sealJournal(f program.SpoolFile, dataEnd int64, list []action) error {
	b := marshalActions(list, dataEnd)
	if len(b) > maxActions {
		return errors.Join(fmt.Errorf("a journal of %d bytes", len(b)), f.Close())
	}
	sum, err := hashOf(f, dataEnd, b)
	if err == nil {
		_, err = f.WriteAt(append(b, sum[:]...), dataEnd)
	}
	return errors.Join(err, f.Sync(), f.Close())
}

// hashOf is the BLAKE3 of the first n bytes of f and then b.
func hashOf(f io.ReaderAt, n int64, b []byte) (delta.Sum, error) {
	h := blake3.New()
	if _, err := io.Copy(h, io.NewSectionReader(f, 0, n)); err != nil {
		return delta.Sum{}, err
	}
	_, _ = h.Write(b)
	return delta.Sum(h.Sum(nil)[:len(delta.Sum{})]), nil
}

// writeJournal writes a journal without data.
func writeJournal(dir *atomicfile.Dir, name string, list []action) error {
	f, err := dir.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(journalMagic); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := sealJournal(f, int64(len(journalMagic)), list); err != nil {
		return err
	}
	return dir.Sync()
}

// goLive writes a journal without data and does what it says.
func goLive(ctx context.Context, dir *atomicfile.Dir, list []action) error {
	err := writeJournal(dir, journalNew, list)
	if err == nil {
		err = dir.Rename(journalNew, journalName)
	}
	if err != nil {
		return errors.Join(err, dir.Remove(journalNew))
	}
	err = dir.Sync()
	_, rerr := recoverIn(context.WithoutCancel(ctx), dir)
	return errors.Join(err, rerr)
}

// ErrJournal means that a journal is not complete, or is not one.
var ErrJournal = errors.New("not a complete journal")

// readJournal returns the actions of a journal, once its hash is right.
func readJournal(f *os.File) ([]action, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size := st.Size()
	var head [len(journalMagic)]byte
	var tail [journalTail]byte
	if size < int64(len(head)+len(tail)) || stored.ReadAt(f, head[:], 0) != nil || string(head[:]) != journalMagic || stored.ReadAt(f, tail[:], size-int64(len(tail))) != nil {
		return nil, ErrJournal
	}
	sum, err := delta.SumOf(context.Background(), f, size-int64(len(delta.Sum{})))
	switch start, end := binary.LittleEndian.Uint64(tail[:]), size-int64(len(tail)); {
	case err != nil:
		return nil, err
	case sum != delta.Sum(tail[8:]) || start < uint64(len(head)) || start > uint64(end) || uint64(end)-start > maxActions:
		return nil, ErrJournal
	default:
		b := make([]byte, end-int64(start))
		if err := stored.ReadAt(f, b, int64(start)); err != nil {
			return nil, err
		}
		return parseActions(b, int64(start))
	}
}

// parseActions reads actions whose pieces have their bytes before dataEnd.
func parseActions(b []byte, dataEnd int64) (list []action, err error) {
	f := bin.NewFields(b, ErrJournal)
	for f.Len() > 0 && f.Err() == nil {
		a := action{kind: f.Bytes(1)[0], name: f.Text("name", delta.MaxName)}
		switch a.kind {
		case actChange:
			a.before, a.after, a.exec = readState(f), readState(f), f.Bytes(1)[0]
			if a.exec > execYes {
				f.Fail("executable %d", a.exec)
			}
			a.readPieces(f, dataEnd)
		case actCreate:
			a.temp = f.Text("temporary name", delta.MaxName+100)
			a.after = readState(f)
		case actRemove:
			a.before = readState(f)
		default:
			f.Fail("action %d", a.kind)
		}
		if f.Err() == nil && (delta.CheckName(a.name) != nil || delta.IsOwn(a.name) || a.kind == actCreate && delta.CheckName(a.temp) != nil) {
			f.Fail("name %q", a.name)
		}
		list = append(list, a)
	}
	if f.Err() != nil {
		return nil, f.Err()
	}
	return list, nil
}

func readState(f *bin.Fields) delta.File {
	return delta.File{Size: f.Number("size", 1<<62), Sum: delta.Sum(f.Bytes(len(delta.Sum{})))}
}

// readPieces reads pieces in the order of the file, within it, and such that
// what it grows by is written and not only declared.
func (a *action) readPieces(f *bin.Fields, dataEnd int64) {
	a.pieces = make([]piece, f.Count("pieces", maxActions, 3))
	end, grown := int64(0), a.before.Size
	for i := range a.pieces {
		p := &a.pieces[i]
		p.off = end + f.Number("offset", max(0, a.after.Size-end))
		p.n = f.Number("length", max(0, a.after.Size-p.off))
		p.at = f.Number("place", dataEnd)
		if p.n > dataEnd-p.at || p.off > grown {
			f.Fail("piece of %d bytes at %d", p.n, p.off)
			return
		}
		end = p.off + p.n
		grown = max(grown, end)
	}
	if a.after.Size > grown {
		f.Fail("%d bytes are added, and %d are there", a.after.Size-a.before.Size, grown-a.before.Size)
	}
}
