package program

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/coder"
	"pakdb/diff/ship/internal/table"
	"pakdb/internal/stored"
)

// Known are the tables of an old archive that both sides have read.
type Known struct {
	table.Tables
	Kind   table.Kind
	At     Range
	Size   int64 // bytes, of all that were joined
	File   int   // of the old ones: that has the entries
	files  []int // of tables that were joined, for each row the one that has its entry; else nil
	Pieces []Stretch
	Starts map[int64]int // of pieces
	order  *Queue        // of pieces that were not copied yet
}

// Stretch is an entry's bytes, by the tables, in a file, and how many at its
// front say where it is.
type Stretch struct {
	Off, N int64
	Head   int
}

// HasHead reports whether bytes before an entry say where it is.
func HasHead(p Stretch) bool { return p.Head > 0 }

// maxHead is how many bytes of an entry may say where it is.
const maxHead = 1 << 20

// ReadTables reads tables of old files. Entries are in a file of size bytes.
func ReadTables(o *OldFiles, kind table.Kind, at Range, file int, size int64) (*Known, error) {
	if at.Size > table.MaxSize {
		return nil, fmt.Errorf("%w: tables of %d bytes", table.ErrTable, at.Size)
	}
	content := make([]byte, at.Size)
	if err := stored.ReadAt(o.Files[at.File], content, at.Off); err != nil {
		return nil, err
	}
	t, err := table.Parse(kind, content, at.Off)
	if err != nil {
		return nil, err
	}
	k := &Known{Tables: t, Kind: kind, At: at, Size: at.Size, File: file}
	k.arrange(stretches(t.Rows(), size))
	return k, nil
}

// arrange makes an order that of pieces, none of which is taken.
func (k *Known) arrange(pieces []Stretch) {
	k.Pieces, k.Starts, k.order = pieces, make(map[int64]int, len(pieces)), NewQueue(len(pieces))
	for i, p := range pieces {
		k.Starts[p.Off] = i
	}
}

// renew puts pieces in the order of their places, none of them taken.
func (k *Known) renew() {
	slices.SortFunc(k.Pieces, func(a, b Stretch) int { return cmp.Compare(a.Off, b.Off) })
	k.arrange(k.Pieces)
}

// Follow puts pieces in the order of items; those of none are last.
func (k *Known) Follow(items []table.Item) {
	list := make([]Stretch, 0, len(k.Pieces))
	used := make([]bool, len(k.Pieces))
	rows := k.Rows()
	for _, it := range items {
		if it.Old < 0 {
			continue
		}
		if i, ok := k.Starts[rows[it.Old].Off]; ok && !used[i] {
			used[i] = true
			list = append(list, k.Pieces[i])
		}
	}
	for i, p := range k.Pieces {
		if !used[i] {
			list = append(list, p)
		}
	}
	k.arrange(list)
}

// stretches makes pieces of rows, in the order of their places. Of two that overlap
// the first one counts.
func stretches(rows []table.Row, size int64) (pieces []Stretch) {
	for _, r := range rows {
		if r.Off >= 0 && r.Size > 0 && r.Off <= size && r.Size <= size-r.Off && r.Head <= maxHead {
			pieces = append(pieces, Stretch{r.Off, r.Size, r.Head})
		}
	}
	slices.SortStableFunc(pieces, func(a, b Stretch) int { return cmp.Compare(a.Off, b.Off) })
	end := int64(0)
	return slices.DeleteFunc(pieces, func(p Stretch) bool {
		if p.Off < end {
			return true
		}
		end = p.Off + p.N
		return false
	})
}

// stretch returns the pieces that begin and end where so many bytes do.
func (k *Known) stretch(off, n int64) (first, count int, ok bool) {
	first, ok = k.Starts[off]
	if !ok || !k.order.has(first) {
		return 0, 0, false
	}
	at := off
	for i := first; i < len(k.Pieces) && k.Pieces[i].Off >= at; i++ {
		if at = k.Pieces[i].Off + k.Pieces[i].N; at >= off+n {
			return first, i - first + 1, at == off+n
		}
	}
	return 0, 0, false
}

// Join returns tables with the rows of more, of other archives.
func (k *Known) Join(more []*Known) (*Known, error) {
	joined, list := *k, []table.Tables{k.Tables}
	joined.files = make([]int, len(k.Rows()))
	for i := range joined.files {
		joined.files[i] = k.File
	}
	for _, t := range more {
		list = append(list, t.Tables)
		for range t.Rows() {
			joined.files = append(joined.files, t.File)
		}
		if joined.Size += t.Size; joined.Size > table.MaxSize {
			return nil, fmt.Errorf("%w: tables of %d bytes", table.ErrTable, joined.Size)
		}
	}
	var err error
	joined.Tables, err = table.Join(list)
	return &joined, err
}

// Seeded returns tables whose path hashes begin with another seed.
func (k *Known) Seeded(seed uint64) (*Known, error) {
	t, err := table.WithSeed(k.Tables, seed)
	with := *k
	with.Tables = t
	return &with, err
}

// Places reports for each row where its entry went in a new file; -1 is nowhere.
func (k *Known) Places(copies []Copied, to int) []int64 {
	rows, moved := k.Rows(), map[int]*moves{}
	list := make([]int64, len(rows))
	for i, r := range rows {
		if list[i] = -1; r.Off < 0 {
			continue
		}
		file := k.File
		if k.files != nil {
			file = k.files[i]
		}
		if moved[file] == nil {
			moved[file] = newMoves(copies, file, to)
		}
		list[i] = moved[file].place(r.Off)
	}
	return list
}

// RowsIn returns rows of old tables, whose entries went to these places, in one of
// the orders.
func RowsIn(order int, rows []table.Row, to []int64) []int {
	list := make([]int, 0, len(rows))
	for i, r := range rows {
		if order == AllRows || to[i] >= 0 || r.Off < 0 {
			list = append(list, i)
		}
	}
	if order == DataRows {
		// Rows without a place are last, as delete records are.
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(uint64(to[a]), uint64(to[b])) })
	}
	return list
}

// corruptTables is what err means for a patch.
func corruptTables(err error) error {
	if errors.Is(err, table.ErrTable) {
		err = fmt.Errorf("%w: %w", delta.ErrCorrupt, err)
	}
	return err
}

// tableReader reads tables of old archives for a machine.
type tableReader struct {
	last  *Known // that were named last
	spent int64  // bytes of tables
}

// spend bounds the bytes of tables that are read and predicted, 8 for each piece
// that is put in order, and for each copy that is looked at: more than some times
// the new files would be meant to keep processors busy.
func (t *tableReader) spend(new []delta.File, n int64) error {
	limit := int64(2 * table.MaxSize)
	for _, f := range new {
		limit += 4 * f.Size
	}
	if t.spent += n + 1<<10; t.spent > limit {
		return corrupt("tables of %d bytes", t.spent)
	}
	return nil
}

// read reads tables of a kind whose entries are in a file.
func (t *tableReader) read(h *delta.Header, old *OldFiles, kind table.Kind, file int, at Range) (*Known, error) {
	if err := t.spend(h.New, at.Size); err != nil {
		return nil, err
	}
	k, err := ReadTables(old, kind, at, file, h.Old[file].Size)
	return k, corruptTables(err)
}

// nameTables makes tables of an old file known: those that were named last are not
// read again.
func (m *Machine) nameTables() error {
	kind, file, at := m.state.codeNamed(&m.r, m.output(), 0, 0, Range{})
	if err := m.r.err(); err != nil {
		return err
	}
	t := &m.tables
	if t.last == nil || t.last.Kind != kind || t.last.At != at || t.last.File != file {
		var err error
		if t.last, err = t.read(m.H, m.Old, kind, file, at); err != nil {
			return err
		}
	}
	m.state.Known = t.last
	t.last.renew()
	return t.spend(m.H.New, 8*int64(len(t.last.Pieces)))
}

// copyPieces copies pieces of the tables.
func (m *Machine) copyPieces(ctx context.Context) error {
	op := m.state.codePieces(&m.r, m.output(), pieces{})
	if err := m.r.err(); err != nil {
		return err
	}
	if err := m.out.zeros(op.pad); err != nil {
		return err
	}
	k := m.state.Known
	list := k.Pieces[op.first : op.first+op.n]
	off, last := list[0].Off, list[len(list)-1]
	size := last.Off + last.N - off
	if size <= 0 {
		return corrupt("pieces that do not follow each other")
	}
	if m.out.pos != off && slices.ContainsFunc(list, HasHead) {
		return m.moveBytes(ctx, list, off, size)
	}
	return m.copyBytes(ctx, k.File, off, size)
}

// moveBytes copies pieces whose heads say where they are.
func (m *Machine) moveBytes(ctx context.Context, pieces []Stretch, off, n int64) error {
	if err := m.out.hasRoom(n); err != nil {
		return err
	}
	known := m.state.Known
	file, by, end := known.File, m.out.pos-off, off+n
	m.copied(file, off, n)
	for _, p := range pieces {
		if p.Head == 0 {
			continue
		}
		if p.Off < off {
			return corrupt("pieces that do not follow each other")
		}
		if err := m.transfer(ctx, file, off, p.Off-off); err != nil {
			return err
		}
		head := m.out.scratch(p.Head)
		if err := stored.ReadAt(m.Old.Files[file], head, p.Off); err != nil {
			return fmt.Errorf("%s at 0x%x: %w", m.H.Old[file].Name, p.Off, err)
		}
		known.Move(head, by)
		if err := m.out.write(head); err != nil {
			return err
		}
		off = p.Off + int64(p.Head)
	}
	return m.transfer(ctx, file, off, end-off)
}

// predict makes what the tables known will probably be the source of what
// follows.
func (m *Machine) predict() error {
	if m.state.Known == nil {
		return corrupt("no tables")
	}
	p := &Prediction{}
	m.state.codePrediction(&m.r, m.output(), p, &predicting{m, p})
	if err := m.r.err(); err != nil {
		return err
	}
	if err := m.out.flush(); err != nil {
		return err
	}
	content, err := p.All.Predict(p.Items, p.Form, m.out.to, m.out.pos)
	m.state.predicted(bytes.NewReader(content))
	m.r.src = m.state.src
	return corruptTables(err)
}

// predicting is a machine that reads the operands of a prediction.
type predicting struct {
	m *Machine
	p *Prediction
}

func (r *predicting) begin() error {
	return r.m.tables.spend(r.m.H.New, r.m.state.Known.At.Size+8*int64(len(r.m.Copies)))
}

func (*predicting) tables(int) (int, Range) { return 0, Range{} }

func (r *predicting) join(file int, at Range) error {
	m := r.m
	k, err := m.tables.read(m.H, m.Old, m.state.Known.Kind, file, at)
	if err == nil {
		err = m.tables.spend(m.H.New, 8*int64(len(m.Copies)))
	}
	if err != nil {
		return err
	}
	r.p.More = append(r.p.More, k)
	size := m.state.Known.Size
	for _, k := range r.p.More {
		size += k.Size
	}
	if size > table.MaxSize {
		return corrupt("tables of %d bytes", size)
	}
	return nil
}

func (r *predicting) arrange() (size int64, err error) {
	m, p := r.m, r.p
	if p.All = m.state.Known; len(p.More) > 0 {
		p.All, err = p.All.Join(p.More)
	}
	if p.Seeded && err == nil {
		p.All, err = p.All.Seeded(p.Seed)
	}
	if err != nil {
		return 0, corruptTables(err)
	}
	to := m.to - p.Back
	p.Moved = p.All.Places(m.Copies, to)
	if p.All.Kind == table.IoStore {
		return m.H.New[to].Size, nil
	}
	return m.out.pos, nil
}

// note remembers what guided a content that is written as it is: bytes of an old
// file that are not compressed.
func note(copies []Copied, src coder.Old, guess, n, at int64, to int) []Copied {
	s, ok := src.(*source)
	if !ok || guess < 0 {
		return copies
	}
	i, _ := slices.BinarySearch(s.ends, guess+1)
	if i == len(s.ranges) || s.ranges[i].Method != delta.Methods[0] || s.ranges[i].File == ListedFile {
		return copies
	}
	r := s.ranges[i]
	skip := guess - (s.ends[i] - r.Size)
	return append(copies, Copied{r.File, to, r.Off + skip, min(n, r.Size-skip), at, true})
}
