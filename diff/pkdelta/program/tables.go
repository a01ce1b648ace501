package program

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"pakdb/diff/delta"
	"pakdb/diff/pkdelta"
	"pakdb/diff/pkdelta/table"
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

// span returns the pieces that begin and end where so many bytes do.
func (k *Known) span(off, n int64) (first, count int, ok bool) {
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

// Orders of the old rows that a prediction begins with.
const (
	AllRows   = iota // as they are in the tables
	MovedRows        // those whose entries the new file has
	DataRows         // these, in the order of its data
	RowOrders
)

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

// Places tells for each row where its entry went in a new file; -1 is nowhere.
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

// MaxAdded is how many rows a prediction may add.
const MaxAdded = 1 << 16

// tables reads which tables of an old file are meant.
func (m *Machine) tables() error {
	kind, err := m.number(InTable, int64(table.Kinds)-1)
	if err != nil {
		return err
	}
	if m.Read, err = m.tablesOf(table.Kind(kind), m.Read); err != nil {
		return err
	}
	m.Known = m.Read
	m.Known.renew()
	return m.spend(8 * int64(len(m.Known.Pieces)))
}

// tablesOf reads where tables of a kind are, and those unless they are the ones
// that were read last.
func (m *Machine) tablesOf(kind table.Kind, last *Known) (*Known, error) {
	file, err := m.number(inCopyFile, int64(len(m.H.Old))-1)
	if err != nil {
		return nil, err
	}
	of, err := m.signed(inRangeFile, int64(m.last.File), int64(len(m.H.Old))-1)
	if err != nil {
		return nil, err
	}
	size := m.H.Old[of].Size
	if kind != table.IoStore {
		if size, err = m.signed(inRangeLen, m.last.Stored, size); err != nil {
			return nil, err
		}
	}
	at := Range{File: int(of), Stored: size, Size: size}
	if kind == table.Unreal {
		at.Off = m.H.Old[of].Size - size
	}
	m.last = at
	if last != nil && last.Kind == kind && last.At == at && last.File == int(file) {
		return last, nil
	}
	if err := m.spend(at.Size); err != nil {
		return nil, err
	}
	k, err := ReadTables(m.Old, kind, at, int(file), m.H.Old[file].Size)
	return k, corruptTables(err)
}

// corruptTables is what err means for a patch.
func corruptTables(err error) error {
	if errors.Is(err, table.ErrTable) {
		err = fmt.Errorf("%w: %w", pkdelta.ErrCorrupt, err)
	}
	return err
}

// spend bounds the bytes of tables that are read and predicted, 8 for each piece
// that is put in order, and for each copy that is looked at: more than some times
// the new files would be meant to keep processors busy.
func (m *Machine) spend(n int64) error {
	limit := int64(2 * table.MaxSize)
	for _, f := range m.H.New {
		limit += 4 * f.Size
	}
	if m.Spent += n + 1<<10; m.Spent > limit {
		return fmt.Errorf("%w: tables of %d bytes", pkdelta.ErrCorrupt, m.Spent)
	}
	return nil
}

// copyPieces copies pieces that the tables tell.
func (m *Machine) copyPieces(ctx context.Context) error {
	k := m.Known
	if k == nil || k.order.left == 0 {
		return fmt.Errorf("%w: no pieces", pkdelta.ErrCorrupt)
	}
	i := k.order.at(unzigzag(m.dec.Number(InSkip)))
	n, err := m.number(InRun, int64(len(k.Pieces)-i-1))
	if err == nil {
		err = m.Old.Work.spend(itemCost * n)
	}
	if err != nil {
		return err
	}
	last := k.Pieces[i+int(n)]
	k.order.Take(i, int(n)+1)
	if k.Kind == table.IoStore {
		if err := m.pad(k.Kind.Pad(m.Pos, k.Pieces[i].N)); err != nil {
			return err
		}
	}
	size := last.Off + last.N - k.Pieces[i].Off
	if size <= 0 {
		return fmt.Errorf("%w: pieces that do not follow each other", pkdelta.ErrCorrupt)
	}
	pieces := k.Pieces[i : i+int(n)+1]
	if m.Pos != pieces[0].Off && slices.ContainsFunc(pieces, HasHead) {
		return m.moveBytes(ctx, pieces, pieces[0].Off, size)
	}
	return m.copyBytes(ctx, k.File, pieces[0].Off, size)
}

// moveBytes copies pieces whose heads say where they are.
func (m *Machine) moveBytes(ctx context.Context, pieces []Stretch, off, n int64) error {
	if n > m.size-m.Pos {
		return fmt.Errorf("%w: more than %d bytes of output", pkdelta.ErrCorrupt, m.size)
	}
	file, by, end := m.Known.File, m.Pos-off, off+n
	m.copiedTo(file, off, n)
	m.Copies = append(m.Copies, Copied{file, m.to, off, n, m.Pos, false})
	for _, p := range pieces {
		if p.Head == 0 {
			continue
		}
		if p.Off < off {
			return fmt.Errorf("%w: pieces that do not follow each other", pkdelta.ErrCorrupt)
		}
		if err := m.transfer(ctx, file, off, p.Off-off); err != nil {
			return err
		}
		head := m.scratch(p.Head)
		if err := stored.ReadAt(m.Old.Files[file], head, p.Off); err != nil {
			return fmt.Errorf("%s at 0x%x: %w", m.H.Old[file].Name, p.Off, err)
		}
		m.Known.Move(head, by)
		if err := m.write(head); err != nil {
			return err
		}
		off = p.Off + int64(p.Head)
	}
	return m.transfer(ctx, file, off, end-off)
}

// pad writes about so many zeros.
func (m *Machine) pad(about int64) error {
	n, err := m.signed(inPad, about, m.size-m.Pos)
	if err != nil {
		return err
	}
	zeros := m.scratch(FlushSize)
	clear(zeros)
	for n > 0 && err == nil {
		err = m.write(zeros[:min(n, FlushSize)])
		n -= min(n, FlushSize)
	}
	return err
}

// predict makes what the tables known will probably be the source of what
// follows.
func (m *Machine) predict() error {
	if m.Known == nil {
		return fmt.Errorf("%w: no tables", pkdelta.ErrCorrupt)
	}
	how, err := m.number(InTable, 2*int64(table.Forms)*RowOrders*(MaxJoined+1)-1)
	if err != nil {
		return err
	}
	order, form, seeded, more := how%RowOrders, table.Form(how/RowOrders%int64(table.Forms)), how/RowsSeeded%2 == 1, how/RowsJoined
	if err := m.spend(m.Known.At.Size + 8*int64(len(m.Copies))); err != nil {
		return err
	}
	known, err := m.joined(more, seeded)
	if err != nil {
		return err
	}
	to, end := m.to, m.Pos
	if m.Known.Kind == table.IoStore {
		back, err := m.number(InTable, int64(m.to))
		if err != nil {
			return err
		}
		to -= int(back)
		end = m.H.New[to].Size
	}
	rows, places := known.Rows(), known.Places(m.Copies, to)
	base := RowsIn(int(order), rows, places)
	items, err := m.items(base, rows, places, end)
	if err != nil {
		return err
	}
	if err := m.flush(); err != nil {
		return err
	}
	if m.Known.Kind.Front() {
		m.Known.Follow(items)
	}
	content, err := known.Predict(items, form, m.Out, m.Pos)
	m.src, m.Cursor, m.starts = bytes.NewReader(content), 0, nil
	return corruptTables(err)
}

// What the number with the order of rows says beside it and the form.
const (
	RowsSeeded = RowOrders * int64(table.Forms) // a seed follows
	RowsJoined = 2 * RowsSeeded                 // so often, tables of another archive follow
	MaxJoined  = 255
)

// joined reads more tables, whose rows are behind those known, and their seed.
func (m *Machine) joined(more int64, seeded bool) (k *Known, err error) {
	k = m.Known
	var list []*Known
	for size := k.Size; more > 0 && size <= table.MaxSize; more-- {
		t, err := m.tablesOf(k.Kind, nil)
		if err == nil {
			err = m.spend(8 * int64(len(m.Copies)))
		}
		if err != nil {
			return nil, err
		}
		list, size = append(list, t), size+t.Size
	}
	if len(list) > 0 {
		k, err = k.Join(list)
	}
	if seeded && err == nil {
		k, err = k.Seeded(m.dec.Number(InTable))
	}
	return k, corruptTables(err)
}

// items reads which rows the new tables have: runs of old ones, and behind each
// run what is new. The names of what is new follow, as one content.
func (m *Machine) items(base []int, rows []table.Row, places []int64, size int64) (items []table.Item, err error) {
	steps, err := m.number(InTable, int64(len(base)+MaxAdded))
	if err == nil {
		err = m.Old.Work.spend(itemCost * steps)
	}
	if err != nil {
		return nil, err
	}
	q := NewQueue(len(base))
	var names []int64
	end := int64(0)
	for range steps {
		n, err := m.number(InRun, int64(q.left))
		if err != nil {
			return nil, err
		}
		if n > 0 {
			i := q.at(unzigzag(m.dec.Number(InSkip)))
			if n > int64(len(base)-i) || int64(q.before(i+int(n))-q.before(i)) != n {
				return nil, fmt.Errorf("%w: %d rows from %d of %d", pkdelta.ErrCorrupt, n, i, len(base))
			}
			q.Take(i, int(n))
			for _, k := range base[i : i+int(n)] {
				items = append(items, table.Item{Old: k, Off: places[k]})
				end = places[k] + rows[k].Size
			}
		}
		added, err := m.number(InAdded, MaxAdded-int64(len(names)))
		if err != nil {
			return nil, err
		}
		for range added {
			length, err := m.number(InNameLen, delta.MaxContent)
			if err != nil {
				return nil, err
			}
			off := int64(-1)
			if !m.Known.Kind.Front() {
				if off, err = m.signed(InNewAt, end, size); err != nil {
					return nil, err
				}
			}
			names = append(names, length)
			items = append(items, table.Item{Old: -1, Off: off})
		}
	}
	return items, m.names(items, names)
}

// names reads those of new items.
func (m *Machine) names(items []table.Item, lengths []int64) error {
	total := int64(0)
	for _, n := range lengths {
		total += n
	}
	if total > delta.MaxContent {
		return fmt.Errorf("%w: names of %d bytes", pkdelta.ErrCorrupt, total)
	}
	if total == 0 {
		return nil
	}
	text, err := m.decode(total, InRawGuess)
	if err != nil {
		return err
	}
	k := 0
	for i := range items {
		if items[i].Old < 0 {
			items[i].New = string(text[:lengths[k]])
			text, k = text[lengths[k]:], k+1
		}
	}
	return nil
}

// note remembers what guided a content that is written as it is: bytes of an old
// file that are not compressed.
func note(copies []Copied, src delta.Old, guess, n, at int64, to int) []Copied {
	s, ok := src.(*source)
	if !ok || guess < 0 {
		return copies
	}
	i, _ := slices.BinarySearch(s.ends, guess+1)
	if i == len(s.ranges) || s.ranges[i].Method != pkdelta.Methods[0] || s.ranges[i].File == ListedFile {
		return copies
	}
	r := s.ranges[i]
	skip := guess - (s.ends[i] - r.Size)
	return append(copies, Copied{r.File, to, r.Off + skip, min(n, r.Size-skip), at, true})
}
