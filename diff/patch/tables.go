package patch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"pakdb/diff/delta"
	"pakdb/diff/patch/table"
	"pakdb/internal/stored"
)

// known are the tables of an old archive that both sides have read.
type known struct {
	table.Tables
	kind   table.Kind
	at     Range
	size   int64 // bytes, of all that were joined
	file   int   // of the old ones: that has the entries
	files  []int // of tables that were joined, for each row the one that has its entry; else nil
	pieces []stretch
	starts map[int64]int // of pieces
	order  *queue        // of pieces that were not copied yet
}

// stretch is an entry's bytes, by the tables, in a file, and how many at its
// front say where it is.
type stretch struct {
	off, n int64
	head   int
}

// hasHead reports whether bytes before an entry say where it is.
func hasHead(p stretch) bool { return p.head > 0 }

// maxHead is how many bytes of an entry may say where it is.
const maxHead = 1 << 20

// readTables reads tables of old files. Entries are in a file of size bytes.
func readTables(o *oldFiles, kind table.Kind, at Range, file int, size int64) (*known, error) {
	if at.Size > table.MaxSize {
		return nil, fmt.Errorf("%w: tables of %d bytes", table.ErrTable, at.Size)
	}
	content := make([]byte, at.Size)
	if err := stored.ReadAt(o.files[at.File], content, at.Off); err != nil {
		return nil, err
	}
	t, err := table.Parse(kind, content, at.Off)
	if err != nil {
		return nil, err
	}
	k := &known{Tables: t, kind: kind, at: at, size: at.Size, file: file}
	k.arrange(stretches(t.Rows(), size))
	return k, nil
}

// arrange makes an order that of pieces, none of which is taken.
func (k *known) arrange(pieces []stretch) {
	k.pieces, k.starts, k.order = pieces, make(map[int64]int, len(pieces)), newQueue(len(pieces))
	for i, p := range pieces {
		k.starts[p.off] = i
	}
}

// renew puts pieces in the order of their places, none of them taken.
func (k *known) renew() {
	slices.SortFunc(k.pieces, func(a, b stretch) int { return cmp.Compare(a.off, b.off) })
	k.arrange(k.pieces)
}

// follow puts pieces in the order of items; those of none are last.
func (k *known) follow(items []table.Item) {
	list := make([]stretch, 0, len(k.pieces))
	used := make([]bool, len(k.pieces))
	rows := k.Rows()
	for _, it := range items {
		if it.Old < 0 {
			continue
		}
		if i, ok := k.starts[rows[it.Old].Off]; ok && !used[i] {
			used[i] = true
			list = append(list, k.pieces[i])
		}
	}
	for i, p := range k.pieces {
		if !used[i] {
			list = append(list, p)
		}
	}
	k.arrange(list)
}

// stretches makes pieces of rows, in the order of their places. Of two that overlap
// the first one counts.
func stretches(rows []table.Row, size int64) (pieces []stretch) {
	for _, r := range rows {
		if r.Off >= 0 && r.Size > 0 && r.Off <= size && r.Size <= size-r.Off && r.Head <= maxHead {
			pieces = append(pieces, stretch{r.Off, r.Size, r.Head})
		}
	}
	slices.SortStableFunc(pieces, func(a, b stretch) int { return cmp.Compare(a.off, b.off) })
	end := int64(0)
	return slices.DeleteFunc(pieces, func(p stretch) bool {
		if p.off < end {
			return true
		}
		end = p.off + p.n
		return false
	})
}

// span returns the pieces that begin and end where so many bytes do.
func (k *known) span(off, n int64) (first, count int, ok bool) {
	first, ok = k.starts[off]
	if !ok || !k.order.has(first) {
		return 0, 0, false
	}
	at := off
	for i := first; i < len(k.pieces) && k.pieces[i].off >= at; i++ {
		if at = k.pieces[i].off + k.pieces[i].n; at >= off+n {
			return first, i - first + 1, at == off+n
		}
	}
	return 0, 0, false
}

// Orders of the old rows that a prediction begins with.
const (
	allRows   = iota // as they are in the tables
	movedRows        // those whose entries the new file has
	dataRows         // these, in the order of its data
	rowOrders
)

// join returns tables with the rows of more, of other archives.
func (k *known) join(more []*known) (*known, error) {
	joined, list := *k, []table.Tables{k.Tables}
	joined.files = make([]int, len(k.Rows()))
	for i := range joined.files {
		joined.files[i] = k.file
	}
	for _, t := range more {
		list = append(list, t.Tables)
		for range t.Rows() {
			joined.files = append(joined.files, t.file)
		}
		if joined.size += t.size; joined.size > table.MaxSize {
			return nil, fmt.Errorf("%w: tables of %d bytes", table.ErrTable, joined.size)
		}
	}
	var err error
	joined.Tables, err = table.Join(list)
	return &joined, err
}

// seeded returns tables whose path hashes begin with another seed.
func (k *known) seeded(seed uint64) (*known, error) {
	t, err := table.WithSeed(k.Tables, seed)
	with := *k
	with.Tables = t
	return &with, err
}

// places tells for each row where its entry went in a new file; -1 is nowhere.
func (k *known) places(copies []copied, to int) []int64 {
	rows, moved := k.Rows(), map[int]*moves{}
	list := make([]int64, len(rows))
	for i, r := range rows {
		if list[i] = -1; r.Off < 0 {
			continue
		}
		file := k.file
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

// rowsIn returns rows of old tables, whose entries went to these places, in one of
// the orders.
func rowsIn(order int, rows []table.Row, to []int64) []int {
	list := make([]int, 0, len(rows))
	for i, r := range rows {
		if order == allRows || to[i] >= 0 || r.Off < 0 {
			list = append(list, i)
		}
	}
	if order == dataRows {
		// Rows without a place are last, as delete records are.
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(uint64(to[a]), uint64(to[b])) })
	}
	return list
}

// maxAdded is how many rows a prediction may add.
const maxAdded = 1 << 16

// tables reads which tables of an old file are meant.
func (m *machine) tables() error {
	kind, err := m.number(inTable, int64(table.Kinds)-1)
	if err != nil {
		return err
	}
	if m.read, err = m.tablesOf(table.Kind(kind), m.read); err != nil {
		return err
	}
	m.known = m.read
	m.known.renew()
	return m.spend(8 * int64(len(m.known.pieces)))
}

// tablesOf reads where tables of a kind are, and those unless they are the ones
// that were read last.
func (m *machine) tablesOf(kind table.Kind, last *known) (*known, error) {
	file, err := m.number(inCopyFile, int64(len(m.h.Old))-1)
	if err != nil {
		return nil, err
	}
	of, err := m.signed(inRangeFile, int64(m.last.File), int64(len(m.h.Old))-1)
	if err != nil {
		return nil, err
	}
	size := m.h.Old[of].Size
	if kind != table.IoStore {
		if size, err = m.signed(inRangeLen, m.last.Stored, size); err != nil {
			return nil, err
		}
	}
	at := Range{File: int(of), Stored: size, Size: size}
	if kind == table.Unreal {
		at.Off = m.h.Old[of].Size - size
	}
	m.last = at
	if last != nil && last.kind == kind && last.at == at && last.file == int(file) {
		return last, nil
	}
	if err := m.spend(at.Size); err != nil {
		return nil, err
	}
	k, err := readTables(m.old, kind, at, int(file), m.h.Old[file].Size)
	return k, corruptTables(err)
}

// corruptTables is what err means for a patch.
func corruptTables(err error) error {
	if errors.Is(err, table.ErrTable) {
		err = fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return err
}

// spend bounds the bytes of tables that are read and predicted, 8 for each piece
// that is put in order, and for each copy that is looked at: more than some times
// the new files would be meant to keep processors busy.
func (m *machine) spend(n int64) error {
	limit := int64(2 * table.MaxSize)
	for _, f := range m.h.New {
		limit += 4 * f.Size
	}
	if m.spent += n + 1<<10; m.spent > limit {
		return fmt.Errorf("%w: tables of %d bytes", ErrCorrupt, m.spent)
	}
	return nil
}

// copyPieces copies pieces that the tables tell.
func (m *machine) copyPieces(ctx context.Context) error {
	k := m.known
	if k == nil || k.order.left == 0 {
		return fmt.Errorf("%w: no pieces", ErrCorrupt)
	}
	i := k.order.at(unzigzag(m.dec.Number(inSkip)))
	n, err := m.number(inRun, int64(len(k.pieces)-i-1))
	if err == nil {
		err = m.old.work.spend(itemCost * n)
	}
	if err != nil {
		return err
	}
	last := k.pieces[i+int(n)]
	k.order.take(i, int(n)+1)
	if k.kind == table.IoStore {
		if err := m.pad(k.kind.Pad(m.pos, k.pieces[i].n)); err != nil {
			return err
		}
	}
	size := last.off + last.n - k.pieces[i].off
	if size <= 0 {
		return fmt.Errorf("%w: pieces that do not follow each other", ErrCorrupt)
	}
	pieces := k.pieces[i : i+int(n)+1]
	if m.pos != pieces[0].off && slices.ContainsFunc(pieces, hasHead) {
		return m.moveBytes(ctx, pieces, pieces[0].off, size)
	}
	return m.copyBytes(ctx, k.file, pieces[0].off, size)
}

// moveBytes copies pieces whose heads say where they are.
func (m *machine) moveBytes(ctx context.Context, pieces []stretch, off, n int64) error {
	if n > m.size-m.pos {
		return fmt.Errorf("%w: more than %d bytes of output", ErrCorrupt, m.size)
	}
	file, by, end := m.known.file, m.pos-off, off+n
	m.copiedTo(file, off, n)
	m.copies = append(m.copies, copied{file, m.to, off, n, m.pos, false})
	for _, p := range pieces {
		if p.head == 0 {
			continue
		}
		if p.off < off {
			return fmt.Errorf("%w: pieces that do not follow each other", ErrCorrupt)
		}
		if err := m.transfer(ctx, file, off, p.off-off); err != nil {
			return err
		}
		head := m.scratch(p.head)
		if err := stored.ReadAt(m.old.files[file], head, p.off); err != nil {
			return fmt.Errorf("%s at 0x%x: %w", m.h.Old[file].Name, p.off, err)
		}
		m.known.Move(head, by)
		if err := m.write(head); err != nil {
			return err
		}
		off = p.off + int64(p.head)
	}
	return m.transfer(ctx, file, off, end-off)
}

// pad writes about so many zeros.
func (m *machine) pad(about int64) error {
	n, err := m.signed(inPad, about, m.size-m.pos)
	if err != nil {
		return err
	}
	zeros := m.scratch(flushSize)
	clear(zeros)
	for n > 0 && err == nil {
		err = m.write(zeros[:min(n, flushSize)])
		n -= min(n, flushSize)
	}
	return err
}

// predict makes what the tables known will probably be the source of what
// follows.
func (m *machine) predict() error {
	if m.known == nil {
		return fmt.Errorf("%w: no tables", ErrCorrupt)
	}
	how, err := m.number(inTable, 2*int64(table.Forms)*rowOrders*(maxJoined+1)-1)
	if err != nil {
		return err
	}
	order, form, seeded, more := how%rowOrders, table.Form(how/rowOrders%int64(table.Forms)), how/rowsSeeded%2 == 1, how/rowsJoined
	if err := m.spend(m.known.at.Size + 8*int64(len(m.copies))); err != nil {
		return err
	}
	known, err := m.joined(more, seeded)
	if err != nil {
		return err
	}
	to, end := m.to, m.pos
	if m.known.kind == table.IoStore {
		back, err := m.number(inTable, int64(m.to))
		if err != nil {
			return err
		}
		to -= int(back)
		end = m.h.New[to].Size
	}
	rows, places := known.Rows(), known.places(m.copies, to)
	base := rowsIn(int(order), rows, places)
	items, err := m.items(base, rows, places, end)
	if err != nil {
		return err
	}
	if err := m.flush(); err != nil {
		return err
	}
	if m.known.kind.Front() {
		m.known.follow(items)
	}
	content, err := known.Predict(items, form, m.out, m.pos)
	m.src, m.cursor, m.starts = bytes.NewReader(content), 0, nil
	return corruptTables(err)
}

// What the number with the order of rows says beside it and the form.
const (
	rowsSeeded = rowOrders * int64(table.Forms) // a seed follows
	rowsJoined = 2 * rowsSeeded                 // so often, tables of another archive follow
	maxJoined  = 255
)

// joined reads more tables, whose rows are behind those known, and their seed.
func (m *machine) joined(more int64, seeded bool) (k *known, err error) {
	k = m.known
	var list []*known
	for size := k.size; more > 0 && size <= table.MaxSize; more-- {
		t, err := m.tablesOf(k.kind, nil)
		if err == nil {
			err = m.spend(8 * int64(len(m.copies)))
		}
		if err != nil {
			return nil, err
		}
		list, size = append(list, t), size+t.size
	}
	if len(list) > 0 {
		k, err = k.join(list)
	}
	if seeded && err == nil {
		k, err = k.seeded(m.dec.Number(inTable))
	}
	return k, corruptTables(err)
}

// items reads which rows the new tables have: runs of old ones, and behind each
// run what is new. The names of what is new follow, as one content.
func (m *machine) items(base []int, rows []table.Row, places []int64, size int64) (items []table.Item, err error) {
	steps, err := m.number(inTable, int64(len(base)+maxAdded))
	if err == nil {
		err = m.old.work.spend(itemCost * steps)
	}
	if err != nil {
		return nil, err
	}
	q := newQueue(len(base))
	var names []int64
	end := int64(0)
	for range steps {
		n, err := m.number(inRun, int64(q.left))
		if err != nil {
			return nil, err
		}
		if n > 0 {
			i := q.at(unzigzag(m.dec.Number(inSkip)))
			if n > int64(len(base)-i) || int64(q.before(i+int(n))-q.before(i)) != n {
				return nil, fmt.Errorf("%w: %d rows from %d of %d", ErrCorrupt, n, i, len(base))
			}
			q.take(i, int(n))
			for _, k := range base[i : i+int(n)] {
				items = append(items, table.Item{Old: k, Off: places[k]})
				end = places[k] + rows[k].Size
			}
		}
		added, err := m.number(inAdded, maxAdded-int64(len(names)))
		if err != nil {
			return nil, err
		}
		for range added {
			length, err := m.number(inNameLen, delta.MaxContent)
			if err != nil {
				return nil, err
			}
			off := int64(-1)
			if !m.known.kind.Front() {
				if off, err = m.signed(inNewAt, end, size); err != nil {
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
func (m *machine) names(items []table.Item, lengths []int64) error {
	total := int64(0)
	for _, n := range lengths {
		total += n
	}
	if total > delta.MaxContent {
		return fmt.Errorf("%w: names of %d bytes", ErrCorrupt, total)
	}
	if total == 0 {
		return nil
	}
	text, err := m.decode(total, inRawGuess)
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
func note(copies []copied, src delta.Old, guess, n, at int64, to int) []copied {
	s, ok := src.(*source)
	if !ok || guess < 0 {
		return copies
	}
	i, _ := slices.BinarySearch(s.ends, guess+1)
	if i == len(s.ranges) || s.ranges[i].Method != methods[0] || s.ranges[i].File == listedFile {
		return copies
	}
	r := s.ranges[i]
	skip := guess - (s.ends[i] - r.Size)
	return append(copies, copied{r.File, to, r.Off + skip, min(n, r.Size-skip), at, true})
}
