package gpak

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"slices"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/internal/spool"
)

// kapgWriter lays a pak out as every known reader of the game can take it:
// table in unsigned hash order, data contiguous from 0 in table order, every
// entry compressed even where that makes it larger. Entries may come in any
// order, so their bytes wait in a spool.
type kapgWriter struct {
	intake
	out   io.Writer
	data  spool.Spool
	table []placed
}

// placed is a table entry whose bytes are in the spool.
type placed struct {
	path       string
	hash       uint64
	mod        int32
	csize, siz int32
	at         int64 // in the spool
}

func newKAPGWriter(out io.Writer) codecs.Writer {
	return &kapgWriter{intake: newIntake(compress.LZ4, maxKAPGContent), out: out}
}

// Add compresses and stores an entry.
func (w *kapgWriter) Add(ctx context.Context, e *codecs.Entry, r io.Reader) error {
	s, err := w.add(ctx, e, r)
	return w.keep(s, err)
}

// AddRaw stores an entry's LZ4 block, of a KAPG or a SQLite 1.6 pak, as it is.
func (w *kapgWriter) AddRaw(ctx context.Context, e *codecs.Entry, r io.Reader) error {
	s, err := w.addRaw(ctx, e, r)
	return w.keep(s, err)
}

func (w *kapgWriter) keep(s *stored, err error) error {
	if err != nil {
		return err
	}
	defer w.release()
	at := w.data.Size()
	if total := at + int64(len(s.data)); total > math.MaxInt32 {
		return w.fail(tooLarge(&codecs.Entry{Name: s.path}, "offset", total, math.MaxInt32))
	}
	if _, err := w.data.Write(s.data); err != nil {
		return w.fail(err)
	}
	w.table = append(w.table, placed{s.path, s.hash, int32(s.mod), int32(len(s.data)), int32(s.size), at})
	return nil
}

// Close writes table and data.
func (w *kapgWriter) Close() error {
	err := w.failed
	if err == nil {
		err = w.write()
	}
	return errors.Join(err, w.Abort())
}

// Abort gives the spool back.
func (w *kapgWriter) Abort() error {
	w.failed = cmp.Or(w.failed, errClosed)
	return w.data.Reset()
}

var errClosed = errors.New("gpak: writer is closed")

func (w *kapgWriter) write() error {
	slices.SortFunc(w.table, func(a, b placed) int { return cmp.Compare(a.hash, b.hash) })
	out := bufio.NewWriterSize(w.out, 1<<20)
	if err := w.writeTable(out); err != nil {
		return err
	}
	if err := w.writeData(out); err != nil {
		return err
	}
	return out.Flush()
}

func (w *kapgWriter) writeTable(out *bufio.Writer) error {
	b := append([]byte(magicKAPG), 0, 0, 0, 0, 0, 0, 0, 0)
	le.PutUint32(b[4:], kapgVersion)
	le.PutUint32(b[8:], uint32(len(w.table)))
	off := int32(0)
	for i := range w.table {
		if _, err := out.Write(b); err != nil {
			return err
		}
		p := &w.table[i]
		b = le.AppendUint64(b[:0], p.hash)
		b = le.AppendUint32(b, uint32(len(p.path)))
		b = append(b, p.path...)
		for _, v := range []int32{p.mod, off, p.csize, p.siz} {
			b = le.AppendUint32(b, uint32(v))
		}
		off += p.csize
	}
	_, err := out.Write(b)
	return err
}

// writeData copies runs: entries that came in hash order, as those of another
// pak do, lie in the spool as they will in the file.
func (w *kapgWriter) writeData(out io.Writer) error {
	var start, end int64
	for i := range w.table {
		p := &w.table[i]
		if p.at != end {
			if _, err := io.Copy(out, io.NewSectionReader(&w.data, start, end-start)); err != nil {
				return err
			}
			start, end = p.at, p.at
		}
		end += int64(p.csize)
	}
	_, err := io.Copy(out, io.NewSectionReader(&w.data, start, end-start))
	return err
}
