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
)

// known are the tables of an old archive that both sides have read.
type known struct {
	table.Tables
	kind   table.Kind
	at     Range
	file   int // of the old ones: that has the entries
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

func hasHead(p stretch) bool { return p.head > 0 }

// maxHead is how many bytes of an entry may say where it is.
const maxHead = 1 << 20

// readTables reads tables of old files. Entries are in a file of size bytes.
func readTables(o *oldFiles, kind table.Kind, at Range, file int, size int64) (*known, error) {
	if at.Size > table.MaxSize {
		return nil, fmt.Errorf("%w: tables of %d bytes", table.ErrTable, at.Size)
	}
	content := make([]byte, at.Size)
	if err := readAt(o.files[at.File], content, at.Off); err != nil {
		return nil, err
	}
	t, err := table.Parse(kind, content, at.Off)
	if err != nil {
		return nil, err
	}
	k := &known{Tables: t, kind: kind, at: at, file: file}
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

// rowsIn returns rows of old tables in one of the orders.
func rowsIn(order int, rows []table.Row, m *moves) []int {
	list := make([]int, 0, len(rows))
	to := make([]int64, len(rows))
	for i, r := range rows {
		if to[i] = -1; r.Off >= 0 {
			to[i] = m.place(r.Off)
		}
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
	file, err := m.number(inCopyFile, int64(len(m.h.Old))-1)
	if err != nil {
		return err
	}
	at, err := m.nextRange()
	if err != nil {
		return err
	}
	if at.Method != methods[0] {
		return fmt.Errorf("%w: tables that are compressed", ErrCorrupt)
	}
	if k := m.read; k == nil || k.kind != table.Kind(kind) || k.at != at || k.file != int(file) {
		if err := m.spend(at.Size); err != nil {
			return err
		}
		m.read, err = readTables(m.old, table.Kind(kind), at, int(file), m.h.Old[file].Size)
		if errors.Is(err, table.ErrTable) {
			err = fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
		if err != nil {
			return err
		}
	}
	m.known = m.read
	m.known.renew()
	return m.spend(8 * int64(len(m.known.pieces)))
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
		if err := readAt(m.old.files[file], head, p.off); err != nil {
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
	form, err := m.number(inTable, int64(table.Forms)*rowOrders-1)
	if err != nil {
		return err
	}
	if err := m.spend(m.known.at.Size + 8*int64(len(m.copies))); err != nil {
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
	rows := m.known.Rows()
	moved := newMoves(m.copies, m.known.file, to)
	base := rowsIn(int(form)%rowOrders, rows, moved)
	items, err := m.items(base, rows, moved, end)
	if err != nil {
		return err
	}
	if err := m.flush(); err != nil {
		return err
	}
	if m.known.kind.Front() {
		m.known.follow(items)
	}
	content, err := m.known.Predict(items, table.Form(form/rowOrders), m.out, m.pos)
	if errors.Is(err, table.ErrTable) {
		err = fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	m.src, m.cursor, m.starts = bytes.NewReader(content), 0, nil
	return err
}

// items reads which rows the new tables have: runs of old ones, and behind each
// run what is new. The names of what is new follow, as one content.
func (m *machine) items(base []int, rows []table.Row, moved *moves, size int64) (items []table.Item, err error) {
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
				it := oldItem(k, rows, moved)
				items = append(items, it)
				end = it.Off + rows[k].Size
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

// oldItem is an item of a row that stays.
func oldItem(k int, rows []table.Row, moved *moves) table.Item {
	it := table.Item{Old: k, Off: -1}
	if rows[k].Off >= 0 {
		it.Off = moved.place(rows[k].Off)
	}
	return it
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
