package write

import (
	"bytes"
	"context"
	"database/sql/driver"

	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/record"
)

// edition is an archive on its way into the catalog. If it continues a lineage, the
// entries of both are compared in stored order: one that is the next of the edition
// before, or soon after it, keeps its row. What lies elsewhere gets a new one.
type edition struct {
	lineage Lineage
	archive int64
	*oldRows
	at      int   // in rows: what may come next
	last    int64 // the last row that was given
	taken   int   // in rows: the first row that is not below last
	pending []*Row
	far     int // where the last entry that lies far ahead was found
	run     int // how many such lay one after the other
	places  placer
	folders folderSums
	stated  bool // markStated has looked
}

// How far ahead an entry is looked for, and how many must lie one after the other
// further ahead to be believed: a folder was removed. Otherwise one entry that was
// moved to the front would end all rows before its old place.
const (
	nearRows = 256
	farRun   = 64
)

func (ed *edition) nextLive(i int) int {
	for i < len(ed.rows) && !ed.rows[i].live {
		i++
	}
	return i
}

// take finds the row of the next entry, or lets it wait for the one after it.
func (ed *edition) take(b *Batch, i int) {
	e := &b.Rows[i]
	if ed.lineage.Edition == 0 {
		e.Lineage, e.Number = ed.lineage.ID, record.RowOf(e.Ordinal)
		ed.places.note(b, e, e.Number)
		return
	}
	at := -1
	if isKnown(e) {
		at = ed.next(e.Print)
	}
	if at >= 0 && ed.rows[at].unread && (e.HasContent || e.Same.Row != 0) { // the content has been read only now
		at = -1
	}
	if at < 0 || at > ed.at && ed.comes(b.Rows[i+1:]) {
		ed.pending = append(ed.pending, e)
		return
	}
	if ed.place(b, at); ed.at > at { // its row had to make room
		ed.pending = append(ed.pending, e)
		return
	}
	ed.endTo(b, at)
	ed.at = ed.nextLive(at + 1)
	ed.last = ed.rows[at].row
	e.Kept = true
	ed.places.note(b, e, ed.last)
}

// comes reports whether the row that may come next is that of one of the next few
// entries: what lies before it now was put there, and nothing was removed.
func (ed *edition) comes(rows []Row) bool {
	for i := range min(len(rows), nearRows) {
		if e := &rows[i]; e.Archive == ed.archive && e.Print == ed.rows[ed.at].print {
			return true
		}
	}
	return false
}

// next returns the place of the live row that an entry keeps, -1 for none.
func (ed *edition) next(print int64) int {
	if ed.at < len(ed.rows) && ed.rows[ed.at].print == print {
		return ed.at
	}
	at := ed.find(print, ed.at)
	if at-ed.at <= nearRows {
		return at
	}
	if ed.run++; ed.far < 0 || at != ed.nextLive(ed.far+1) {
		ed.run = 1
	}
	if ed.far = at; ed.run < farRun {
		return -1
	}
	return at
}

// place gives the entries that wait rows before the one at a place. Each takes the
// room of a row that is passed by, which keeps its ordinal, as long as there are any.
func (ed *edition) place(b *Batch, to int) {
	rest := ed.pending
	for len(rest) > 0 && ed.at < to {
		ed.last = max(ed.last, ed.rows[ed.at].row)
		ed.drop(b)
		ed.give(b, rest[0])
		rest = rest[1:]
	}
	first, step := ed.spread(int64(len(rest)))
	for _, e := range rest {
		ed.last = max(ed.last, first-1)
		ed.give(b, e)
		first = ed.last + step
	}
	ed.pending = ed.pending[:0]
}

// spread returns where n rows begin between the last one and the next live one, and
// how far they lie apart. Where there is much room, as before the first row, they lie
// before the next one, with as much room again between: others may be put before them.
func (ed *edition) spread(n int64) (first, step int64) {
	const full = 1 << record.RowBits
	if ed.at == len(ed.rows) {
		return ed.last + full, full
	}
	next := ed.rows[ed.at].row
	if gap := next - ed.last; gap <= 3*n*full {
		step = max(1, gap/(n+1))
		return ed.last + step, step
	}
	return next - 2*n*full, full
}

// give gives an entry a new row after the last one.
func (ed *edition) give(b *Batch, e *Row) {
	e.Lineage, e.Since, e.Number = ed.lineage.ID, ed.lineage.Edition, ed.room(b)
	if e.Same.Row != 0 { // nobody has read it: it has what the row has that it was found in
		e.ContentID = e.Same.Content
		b.Moved = append(b.Moved, Moved{Lineage: e.Lineage, From: e.Same.Row, To: e.Number})
	}
	ed.places.note(b, e, e.Number)
}

// room returns a row after the last one that no edition has, and makes it the last.
// Where there is none before the next live row, that one ends, and its entry
// gets another.
func (ed *edition) room(b *Batch) int64 {
	for row := ed.last + 1; ; row++ {
		for ed.taken < len(ed.rows) && ed.rows[ed.taken].row < row {
			ed.taken++
		}
		if ed.taken == len(ed.rows) || ed.rows[ed.taken].row != row {
			ed.last = row
			return row
		}
		if ed.taken == ed.at {
			ed.drop(b)
		}
	}
}

// drop ends the live row that may come next.
func (ed *edition) drop(b *Batch) {
	b.Ended = append(b.Ended, Ended{Lineage: ed.lineage.ID, Row: ed.rows[ed.at].row, Edition: ed.lineage.Edition})
	ed.at = ed.nextLive(ed.at + 1)
}

// endTo ends the live rows before a place.
func (ed *edition) endTo(b *Batch, to int) {
	for ed.at < to {
		ed.drop(b)
	}
}

// placer makes the rows of archive_place of an archive, from its entries in the order of
// their rows. The zero value has an archive to be set, and no entries.
type placer struct {
	now     Located // whose offsets are being packed
	offsets record.OffsetPacker
}

// note says where the next entry lies, whose row is given.
func (p *placer) note(b *Batch, e *Row, row int64) {
	if p.offsets.Len() == 1 && e.Ordinal == p.now.Ordinal+1 {
		p.now.Step = row - p.now.Row
	}
	if p.offsets.Len() > 0 && (p.offsets.Len() == record.MaxOffsets || p.now.Ordinal+(row-p.now.Row)/p.now.Step != e.Ordinal) {
		p.end(b)
	}
	if p.offsets.Len() == 0 {
		p.now.Row, p.now.Ordinal, p.now.Step = row, e.Ordinal, 1<<record.RowBits
	}
	p.offsets.Add(e.Offset, e.Stored)
}

// end adds the row that is being made to the batch.
func (p *placer) end(b *Batch) {
	if p.offsets.Len() > 0 {
		p.now.Offsets = p.offsets.Pack()
		b.Located = append(b.Located, p.now)
	}
}

// start begins an archive, unless an earlier batch has.
func (in *interner) start(ctx context.Context, a *Archive) (err error) {
	if in.editions[a.ID] != nil {
		return nil
	}
	ed := &edition{lineage: a.Lineage, archive: a.ID, oldRows: a.Lineage.old, places: placer{now: Located{Archive: a.ID}}, far: -1,
		folders: folderSums{at: map[int64]uint32{}}}
	switch {
	case ed.oldRows != nil:
	case a.Lineage.Edition == 0:
		ed.oldRows = &oldRows{}
	default:
		if ed.oldRows, err = loadOldRows(ctx, in.finder.DB, a.Lineage.ID); err != nil {
			return err
		}
	}
	ed.at = ed.nextLive(0)
	in.editions[a.ID] = ed
	return nil
}

// keepRows gives the entries of the batch their rows, and leaves those in the batch
// that have new ones. It fills in its Editions.
func (in *interner) keepRows(ctx context.Context, b *Batch) error {
	if err := in.markStated(ctx, b); err != nil {
		return err
	}
	for i := range b.Rows {
		in.editions[b.Rows[i].Archive].take(b, i)
	}
	for i := range b.Archives {
		a := &b.Archives[i]
		ed := in.editions[a.ID]
		ed.place(b, ed.at)
		if a.Ended {
			ed.endTo(b, len(ed.rows)) // what did not come is gone
			ed.places.end(b)
		}
	}
	b.Rows = changed(b.Rows)
	return nil
}

// changed moves the rows that are not kept to the front and returns them. The others stay as they
// are: recycle clears all.
func changed(rows []Row) []Row {
	n := 0
	for i := range rows {
		if !rows[i].Kept {
			if n < i {
				rows[n] = rows[i]
			}
			n++
		}
	}
	return rows[:n]
}

// markStated finds, in editions whose archives state the hashes of contents, the rows
// of which no more is known than that, when the first entry was read.
func (in *interner) markStated(ctx context.Context, b *Batch) error {
	for i := range b.Rows {
		e := &b.Rows[i]
		ed := in.editions[e.Archive]
		if ed.stated || !e.HasContent || len(e.Sum) < record.StatedSize || !bytes.HasPrefix(e.Content[:], e.Sum) {
			continue
		}
		ed.stated = true
		at := 0
		err := conn.EachRow(ctx, in.finder.DB, `SELECT r.row FROM x_entry_row r CROSS JOIN x_content c ON c.content_id = r.content_id
			WHERE r.lineage_id = ? AND length(c.hash) < 32 ORDER BY r.row`, []driver.Value{ed.lineage.ID}, func(v []driver.Value) {
			for at < len(ed.rows) && ed.rows[at].row < v[0].(int64) {
				at++
			}
			if at < len(ed.rows) {
				ed.rows[at].unread = true
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}
