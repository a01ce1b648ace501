package apply

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"pakdb/codecs"
	"pakdb/diff/delta"
	"pakdb/diff/pkdelta"
	"pakdb/diff/pkdelta/program"
	"pakdb/diff/pkdelta/table"
	"pakdb/internal/stored"
)

// An archive that was appended to has a record, in front of its footer, by which
// the file is made that the archive stands for:
//
//	a patch from all that is before the record to that file | u64 its length | "pkexact\x01"
//
// The patch names no hash of what it is applied to; that of the result decides.
// The result has at most twice the bytes.
const (
	recordMagic  = codecs.AppendedMark
	recordWindow = 512 // the magic ends within so many bytes of the file's end
	recordTail   = 8 + len(recordMagic)
)

// record is that of a file.
type record struct {
	*pkdelta.Reader
	file *program.Part // without the record and what is behind it
}

// Stands returns the file that this one stands for.
func (r *record) stands() pkdelta.File { return r.Header.New[0] }

// findRecord looks for the record of a file; nil: it has none that is sound. Only
// that of which the hash of what it makes is right, is right.
func findRecord(file *program.Part, size int64) *record {
	n := min(size, recordWindow)
	tail := make([]byte, n)
	if n < int64(recordTail) || stored.ReadAt(file, tail, size-n) != nil {
		return nil
	}
	k := bytes.LastIndex(tail, []byte(recordMagic))
	if k < 8 {
		return nil
	}
	length, end := binary.LittleEndian.Uint64(tail[k-8:]), size-n+int64(k)-8
	if length > uint64(end) {
		return nil
	}
	start := end - int64(length)
	r, err := pkdelta.NewReader(bufio.NewReader(io.NewSectionReader(file, start, int64(length))))
	if err != nil || len(r.Header.Old) != 1 || len(r.Header.New) != 1 || r.Header.Old[0].Size != start ||
		len(r.Header.Keys) > 0 || !r.Header.IsMade(0) || r.Header.New[0].Size/2 > start || r.Header.Length() != int64(length) {
		return nil
	}
	return &record{r, file}
}

// view makes the file that a file with a record stands for, without copying. The
// caller closes its spool, and compares its hash.
func (r *record) view(ctx context.Context) (*program.Virtual, error) {
	v := &program.Virtual{Spool: program.TempSpool(), Base: r.file}
	m := &program.Machine{H: r.Header, Old: &program.OldFiles{Files: []io.ReaderAt{r.file}, Names: []string{r.Header.Old[0].Name}, Work: program.WorkFor(r.Header)}}
	m.Begin(0, v, r.Header.New[0].Size, 0, nil, nil)
	for {
		stream, _, err := r.Segment()
		if err == nil {
			err = m.Run(ctx, stream)
		} else if err == io.EOF && m.Pos() == r.Header.New[0].Size {
			return v, nil
		} else if err == io.EOF {
			err = fmt.Errorf("%w: %d bytes of %d", pkdelta.ErrResult, m.Pos(), r.Header.New[0].Size)
		}
		if err != nil {
			return nil, errors.Join(err, v.Spool.Close())
		}
	}
}

// standsFor returns the file that a file stands for, if it has a record and the
// hash of what that makes is right.
func standsFor(ctx context.Context, file *program.Part, size int64) (*program.Virtual, pkdelta.File, error) {
	r := findRecord(file, size)
	if r == nil {
		return nil, pkdelta.File{}, nil
	}
	v, err := r.view(ctx)
	if err == nil {
		var sum pkdelta.Sum
		if sum, err = pkdelta.SumOf(ctx, v, v.Size()); err == nil && sum != r.stands().Sum {
			err = fmt.Errorf("%w: the record of %s", pkdelta.ErrResult, r.stands().Name)
		}
		if err != nil {
			err = errors.Join(err, v.Spool.Close())
		}
	}
	if ctx.Err() != nil {
		return nil, pkdelta.File{}, ctx.Err()
	}
	if err != nil {
		return nil, pkdelta.File{}, nil // damaged: it stands for nothing
	}
	return v, r.stands(), nil
}

// writeRecord appends to the result the record by which exact is made of it. m
// says where entries and index are. Before the record stands a copy of the
// footer, by which the index can be read, so that the exact one follows from it.
func writeRecord(ctx context.Context, result, exact *program.Virtual, f pkdelta.File, m *mover, footer []byte) error {
	index := program.Range{Off: m.indexAt, Stored: m.indexN + int64(len(footer)), Size: m.indexN + int64(len(footer))}
	if _, err := result.WriteAt(footer, result.Size()); err != nil {
		return err
	}
	start := result.Size()
	h := &pkdelta.Header{Files: pkdelta.Files{Old: []pkdelta.File{{Name: f.Name, Size: start}}, New: []pkdelta.File{f}}, Needs: pkdelta.Needs{Memory: pkdelta.MemoryUsual}}
	w := &recordWriter{exact: exact, m: m}
	w.e = &program.Emitter{H: h, Recipes: &program.RecipeList{}, Digests: map[[program.DigestSize]byte]int{}, Done: func(stream []byte, _ int) error {
		h.Parts = append(h.Parts, pkdelta.Segment{Stored: int64(len(stream)), Sum: pkdelta.SumOfBytes(stream), File: 0})
		w.segments = append(w.segments, stream...)
		return nil
	}}
	for kind := range table.Kinds {
		files := &program.OldFiles{Files: []io.ReaderAt{result}}
		if k, err := program.ReadTables(files, kind, index, 0, start); err == nil {
			w.known = k
		}
	}
	if err := w.run(ctx); err != nil {
		return err
	}
	b := append(h.Marshal(w.segments), w.segments...)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(b)))
	_, err := result.WriteAt(append(b, recordMagic...), start)
	return err
}

// recordWriter writes the segments of a record.
type recordWriter struct {
	e        *program.Emitter
	m        *mover
	exact    *program.Virtual
	segments []byte
	known    *program.Known // the index; nil: nothing follows from it
	tables   []byte         // the index of the exact file, as it follows
	form     table.Form
	items    []table.Item // of tables: all rows, as they are
	places   []int64      // where their entries are
	index    *delta.Index // of tables
}

func (w *recordWriter) run(ctx context.Context) error {
	for _, x := range w.m.order {
		off, n, place := x.off, x.n, x.place
		if !x.same {
			off, n, place = off+x.head, n-x.head, place+x.head
		}
		if off < w.e.Pos {
			continue // shared with the one before
		}
		if err := w.literal(ctx, off-w.e.Pos); err != nil {
			return err
		}
		w.e.CopyOld(0, place, n)
	}
	w.e.FlushCopy()
	if w.known != nil {
		w.predict()
	}
	if err := w.literal(ctx, w.exact.Size()-w.e.Pos); err != nil {
		return err
	}
	return w.e.End()
}

// predict makes the exact file's index out of the one in the file: the same rows,
// each where its entry goes.
func (w *recordWriter) predict() {
	off, n := w.e.Pos, w.exact.Size()-w.e.Pos
	want := make([]byte, min(n, table.MaxSize))
	if err := stored.ReadAt(w.exact, want, off); err != nil {
		return
	}
	w.places = w.known.Places(w.e.Copies, 0)
	w.items = make([]table.Item, len(w.places))
	for i, at := range w.places {
		w.items[i] = table.Item{Old: i, Off: at}
	}
	least := 0
	for form := range table.Forms {
		content, err := w.known.Predict(w.items, form, w.exact, off)
		if err != nil {
			continue
		}
		if bytes.Equal(content, want) {
			w.tables, w.form = content, form
			break
		}
		if size := program.Trial(want, content); w.tables == nil || size < least {
			w.tables, w.form, least = content, form, size
		}
	}
	if w.tables != nil {
		w.index = delta.NewIndex(w.tables)
	}
}

// literal codes n bytes, which are no entry's.
func (w *recordWriter) literal(ctx context.Context, n int64) error {
	for n > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		if w.e.Full() {
			if err := w.e.End(); err != nil {
				return err
			}
		}
		p := make([]byte, min(n, delta.MaxContent))
		if err := stored.ReadAt(w.exact, p, w.e.Pos); err != nil {
			return err
		}
		w.e.FlushCopy()
		if w.index != nil && (!w.e.Open || len(w.e.Ranges) == 0) {
			w.source()
		}
		w.e.Raw(p, w.e.Cursor())
		n -= int64(len(p))
	}
	return nil
}

// source makes what was predicted the source: all rows, as they are.
func (w *recordWriter) source() {
	w.e.Name(w.known)
	w.e.Predict(program.Prediction{
		Order: program.AllRows, Form: w.form, Steps: []program.Step{{Run: len(w.items)}}, Items: w.items, All: w.known, Moved: w.places,
	}, w.tables, w.index)
}

// proveRecord makes the exact file by the record of a result, and compares its
// hash.
func proveRecord(ctx context.Context, result *program.Virtual, want pkdelta.File) error {
	v, stands, err := standsFor(ctx, &program.Part{ReaderAt: result}, result.Size())
	if err != nil {
		return err
	}
	if v == nil || stands.Sum != want.Sum || stands.Size != want.Size {
		return refuse("a record of the exact file could not be made")
	}
	return v.Spool.Close()
}
