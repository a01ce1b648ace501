package schema

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/zeebo/blake3"
)

// RowBits and rowBase: rows of a new lineage lie 1<<RowBits apart, so that what later editions put between
// two of them has room, and behind rowBase, so that much has room before them.
const (
	RowBits = 8
	rowBase = 1 << 20
)

// rowOf is the row of an entry in the first edition of a lineage.
func rowOf(ordinal int64) int64 { return (ordinal + rowBase) << RowBits }

// lineage is what an archive continues.
type lineage struct {
	id      int64 // archive_id of the first edition
	edition int64
}

const previousSQL = `SELECT a.lineage_id, (SELECT max(x.edition) FROM archive x WHERE x.lineage_id = a.lineage_id) + 1
FROM build b
CROSS JOIN build_archive ba ON ba.build_id = b.build_id
CROSS JOIN archive a ON a.archive_id = ba.archive_id
WHERE b.complete = 1 AND ba.name = ?1 AND a.format = ?2 AND a.mount_point = ?3 AND a.row_bits = ?7 AND a.row_base = ?8 AND a.complete = 1
  AND a.scan IN (?4, ?5) AND a.archive_id <= ?6
ORDER BY b.build_id DESC
LIMIT 1`

// lineageOf returns what archive id continues: the archives that had its name in
// earlier builds, if they were scanned alike.
func lineageOf(b *Build, id int64, a *Archive) (lineage, error) {
	fresh := lineage{id: id}
	if a.Name == "" {
		return fresh, nil
	}
	var l lineage
	err := b.c.reader.QueryRow(previousSQL, a.Name, a.Format, a.MountPoint, a.Scan, cmp.Or(a.FullScan, a.Scan), b.before,
		RowBits, rowBase).Scan(&l.id, &l.edition)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return fresh, nil
	case err != nil:
		return fresh, fmt.Errorf("look for earlier editions of %s: %w", a.Name, classify(err))
	case b.continued[l.id]: // two files of this build were one before
		return fresh, nil
	}
	b.continued[l.id] = true
	return l, nil
}

// flagDeleted marks a delete record, which has no content.
const flagDeleted = 2

// makePrint returns the start of a hash over what the archive says about an entry but its
// place. The bytes are known by a digest that the archive states, or else by that of
// the content.
func (e *Entry) makePrint() int64 {
	b := make([]byte, 0, 256)
	b = append(append(b, e.path[:]...), e.file[:]...)
	b = append(append(b, e.Method...), 0)
	b = append(append(b, e.Type...), 0)
	for _, n := range [...]int64{e.Stored, e.Size, e.Flags, e.ModTime, int64(e.ID[0]), int64(e.ID[1]), e.IDBits, int64(e.PathHash),
		flag(e.HasTime) | flag(e.HasPathHash)<<1 | flag(e.HasPadded)<<2 | flag(e.hasFile)<<3 | flag(e.Offset >= 0)<<4} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	b = append(b, e.Padded[:]...)
	b = append(append(b, byte(len(e.Sum))), e.Sum...)
	if len(e.Sum) < len(halfHash{}) && (e.HasContent || e.Stated) {
		b = append(b, e.Content[:len(halfHash{})]...)
		b = binary.LittleEndian.AppendUint64(b, uint64(e.ContentSize))
	}
	d := blake3.Sum256(b)
	return int64(binary.LittleEndian.Uint64(d[:]))
}

// oldRow is a row of the lineage from before.
type oldRow struct {
	row, print, offset int64
	live               bool // it holds in the edition before
	unread             bool // its content is not known
}

// edition is an archive on its way into the catalog that continues a lineage. The
// entries of both are compared in stored order: one that is the next of the edition
// before, or soon after it, keeps its row. What lies elsewhere gets a new one.
type edition struct {
	lineage
	archive int64
	old     []oldRow
	at      int   // in old: what may come next
	byPrint []int // of old, live rows by their prints; nil until it is needed
	last    int64 // the last row that was given
	taken   int   // in old: the first row that is not below last
	pending []*Entry
	far     int // where the last entry that lies far ahead was found
	run     int // how many such lay one after the other
	shift   shiftRow
	stated  bool // markStated has looked
}

type endedRow struct{ lineage, row, edition int64 }

// shiftRow is a row of archive_shift.
type shiftRow struct{ archive, row, ordinals, offsets int64 }

// How far ahead an entry is looked for, and how many must lie one after the other
// further ahead to be believed: a folder was removed. Otherwise one entry that was
// moved to the front would end all rows before its old place.
const (
	nearRows = 256
	farRun   = 64
)

// editionOf returns the state of an archive that continues a lineage, nil for one
// that begins it.
func (in *interner) editionOf(ctx context.Context, a *archiveRow) (*edition, error) {
	if a.edition == 0 {
		return nil, nil
	}
	if ed := in.editions[a.id]; ed != nil {
		return ed, nil
	}
	ed := &edition{lineage: a.lineage, archive: a.id, shift: shiftRow{archive: a.id}, far: -1}
	err := EachRow(ctx, in.db, "SELECT row, coalesce(print, 0), offset, until, content_id IS NULL FROM entry_row WHERE lineage_id = ? ORDER BY row",
		[]driver.Value{a.lineage.id}, func(v []driver.Value) {
			ed.old = append(ed.old, oldRow{v[0].(int64), v[1].(int64), v[2].(int64), v[3].(int64) == 0, v[4].(int64) != 0})
		})
	if err != nil {
		return nil, err
	}
	ed.at = ed.nextLive(0)
	in.editions[a.id] = ed
	return ed, nil
}

// keepRows gives the entries of the batch their rows, and leaves those in the batch
// that have new ones.
func (in *interner) keepRows(ctx context.Context, b *batch) error {
	started := make(map[int64]*edition, len(b.archives)) // nil: of the first of a lineage
	for i := range b.archives {
		ed, err := in.editionOf(ctx, &b.archives[i])
		if err != nil {
			return err
		}
		started[b.archives[i].id] = ed
	}
	if err := in.markStated(ctx, b, started); err != nil {
		return err
	}
	for i := range b.entries {
		if e := &b.entries[i]; started[e.archive] != nil {
			started[e.archive].take(b, i)
		} else {
			e.lineage, e.row = e.archive, rowOf(e.Ordinal)
		}
	}
	for i := range b.archives {
		a := &b.archives[i]
		ed := started[a.id]
		if ed == nil {
			continue
		}
		if ed.place(b, ed.at); a.ended {
			ed.endTo(b, len(ed.old)) // what did not come is gone
			delete(in.editions, a.id)
		}
	}
	b.entries = slices.DeleteFunc(b.entries, func(e Entry) bool { return e.kept })
	return nil
}

// markStated finds, in editions whose archives state the hashes of contents, the rows
// of which no more is known than that, when the first entry was read.
func (in *interner) markStated(ctx context.Context, b *batch, started map[int64]*edition) error {
	for i := range b.entries {
		e := &b.entries[i]
		ed := started[e.archive]
		if ed == nil || ed.stated || !e.HasContent || len(e.Sum) < StatedSize || !bytes.HasPrefix(e.Content[:], e.Sum) {
			continue
		}
		ed.stated = true
		at := 0
		err := EachRow(ctx, in.db, `SELECT r.row FROM entry_row r CROSS JOIN content c ON c.content_id = r.content_id
			WHERE r.lineage_id = ? AND length(c.hash) < 32 ORDER BY r.row`, []driver.Value{ed.id}, func(v []driver.Value) {
			for at < len(ed.old) && ed.old[at].row < v[0].(int64) {
				at++
			}
			if at < len(ed.old) {
				ed.old[at].unread = true
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (ed *edition) nextLive(i int) int {
	for i < len(ed.old) && !ed.old[i].live {
		i++
	}
	return i
}

// take finds the row of the next entry, or lets it wait for the one after it.
func (ed *edition) take(b *batch, i int) {
	e := &b.entries[i]
	at := -1
	if e.isKnown() {
		at = ed.find(e.print)
	}
	if at >= 0 && e.HasContent && ed.old[at].unread { // the content has been read only now
		at = -1
	}
	if at < 0 || at > ed.at && ed.comes(b.entries[i+1:]) {
		ed.pending = append(ed.pending, e)
		return
	}
	if ed.place(b, at); ed.at > at { // its row had to make room
		ed.pending = append(ed.pending, e)
		return
	}
	ed.endTo(b, at)
	ed.at = ed.nextLive(at + 1)
	ed.last = ed.old[at].row
	e.kept = true
	ed.note(b, e.Ordinal, e.Offset, ed.last, ed.old[at].offset)
}

// comes reports whether the row that may come next is that of one of the next few
// entries: what lies before it now was put there, and nothing was removed.
func (ed *edition) comes(entries []Entry) bool {
	for i := range min(len(entries), nearRows) {
		if e := &entries[i]; e.archive == ed.archive && e.print == ed.old[ed.at].print {
			return true
		}
	}
	return false
}

// isKnown reports whether the print stands for the bytes of the entry.
func (e *Entry) isKnown() bool {
	return e.HasContent || e.Stated || len(e.Sum) >= len(halfHash{}) || e.Flags&flagDeleted != 0
}

// find returns the place of the live row that an entry keeps, -1 for none.
func (ed *edition) find(print int64) int {
	if ed.at < len(ed.old) && ed.old[ed.at].print == print {
		return ed.at
	}
	if ed.byPrint == nil {
		ed.byPrint = make([]int, 0, len(ed.old))
		for i := ed.at; i < len(ed.old); i = ed.nextLive(i + 1) {
			ed.byPrint = append(ed.byPrint, i)
		}
		slices.SortFunc(ed.byPrint, func(i, j int) int { return cmp.Or(cmp.Compare(ed.old[i].print, ed.old[j].print), cmp.Compare(i, j)) })
	}
	k, _ := slices.BinarySearchFunc(ed.byPrint, print, func(i int, print int64) int {
		if c := cmp.Compare(ed.old[i].print, print); c != 0 {
			return c
		}
		return cmp.Compare(i, ed.at) // the first that was not passed by
	})
	if k == len(ed.byPrint) || ed.old[ed.byPrint[k]].print != print {
		return -1
	}
	at := ed.byPrint[k]
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
func (ed *edition) place(b *batch, to int) {
	rest := ed.pending
	for len(rest) > 0 && ed.at < to {
		ed.last = max(ed.last, ed.old[ed.at].row)
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
	const full = 1 << RowBits
	if ed.at == len(ed.old) {
		return ed.last + full, full
	}
	next := ed.old[ed.at].row
	if gap := next - ed.last; gap <= 3*n*full {
		step = max(1, gap/(n+1))
		return ed.last + step, step
	}
	return next - 2*n*full, full
}

// give gives an entry a new row after the last one.
func (ed *edition) give(b *batch, e *Entry) {
	e.lineage, e.since, e.row = ed.id, ed.edition, ed.room(b)
	if e.placed = e.Offset; e.Offset >= 0 {
		if e.placed -= ed.shift.offsets; e.placed < 0 {
			e.placed = e.Offset
		}
	}
	ed.note(b, e.Ordinal, e.Offset, e.row, e.placed)
}

// room returns a row after the last one that no edition has, and makes it the last.
// Where there is none before the next live row, that one ends, and what it stands for
// gets another.
func (ed *edition) room(b *batch) int64 {
	for row := ed.last + 1; ; row++ {
		for ed.taken < len(ed.old) && ed.old[ed.taken].row < row {
			ed.taken++
		}
		if ed.taken == len(ed.old) || ed.old[ed.taken].row != row {
			ed.last = row
			return row
		}
		if ed.taken == ed.at {
			ed.drop(b)
		}
	}
}

// drop ends the live row that may come next.
func (ed *edition) drop(b *batch) {
	b.ended = append(b.ended, endedRow{ed.id, ed.old[ed.at].row, ed.edition})
	ed.at = ed.nextLive(ed.at + 1)
}

// endTo ends the live rows before a place.
func (ed *edition) endTo(b *batch, to int) {
	for ed.at < to {
		ed.drop(b)
	}
}

// note keeps by how much an entry's ordinal and offset differ from those of its row.
func (ed *edition) note(b *batch, ordinal, offset, row, placed int64) {
	s := ed.shift
	s.row, s.ordinals = row, ordinal-(row>>RowBits-rowBase)
	if offset >= 0 {
		s.offsets = offset - placed
	}
	if s.ordinals != ed.shift.ordinals || s.offsets != ed.shift.offsets {
		b.shifts = append(b.shifts, s)
	}
	ed.shift = s
}

// The conditions of the indexes entry_since and entry_until. SQLite uses a partial index
// for a statement that repeats its condition, and not for one that implies it. Of two
// lower bounds it takes the first, so the condition comes last.
const (
	rowBegan = "since > 0"
	rowEnded = "until > 0"
)

// removeEdition deletes an archive, and the rows that hold for no other edition: those
// that began after the edition before it, and ended up to the one after it. If it was
// the last, rows that it ended go on.
func removeEdition(ctx context.Context, tx *sql.Tx, archive int64, l lineage) error {
	var before, after sql.NullInt64
	err := tx.QueryRowContext(ctx, `SELECT max(edition) FILTER (WHERE edition < ?1), min(edition) FILTER (WHERE edition > ?1)
		FROM archive WHERE lineage_id = ?2`, l.edition, l.id).Scan(&before, &after)
	if err != nil {
		return err
	}
	rows := fmt.Sprintf("lineage_id = %d", l.id)
	reopen := fmt.Sprintf("UPDATE entry_row SET until = 0 WHERE %s AND until > %d AND %s", rows, before.Int64, rowEnded)
	if before.Valid {
		rows += fmt.Sprintf(" AND since > %d AND %s", before.Int64, rowBegan)
	}
	if after.Valid {
		rows += fmt.Sprintf(" AND until <= %d AND %s", after.Int64, rowEnded)
	}
	statements := []string{
		"DELETE FROM entry_symbol WHERE (lineage_id, row) IN (SELECT lineage_id, row FROM entry_row WHERE " + rows + ")",
		"DELETE FROM entry_row WHERE " + rows,
	}
	if before.Valid && !after.Valid {
		statements = append(statements, reopen)
	}
	for _, table := range []string{"problem", "named_resource", "archive_shift", "archive"} {
		statements = append(statements, fmt.Sprintf("DELETE FROM %s WHERE archive_id = %d", table, archive))
	}
	return execAll(ctx, tx, statements...)
}

// removeArchives deletes the archives a for which a condition holds: lineages as a
// whole, of others the last editions first.
func removeArchives(ctx context.Context, tx *sql.Tx, where string) error {
	whole := "(SELECT lineage_id FROM archive a GROUP BY lineage_id HAVING min(" + where + ") = 1)"
	archives := "(SELECT archive_id FROM archive WHERE lineage_id IN " + whole + ")"
	err := execAll(ctx, tx,
		"DELETE FROM entry_symbol WHERE lineage_id IN "+whole,
		"DELETE FROM entry_row WHERE lineage_id IN "+whole,
		"DELETE FROM problem WHERE archive_id IN "+archives,
		"DELETE FROM named_resource WHERE archive_id IN "+archives,
		"DELETE FROM archive_shift WHERE archive_id IN "+archives,
		"DELETE FROM archive WHERE archive_id IN "+archives)
	if err != nil {
		return err
	}
	type row struct {
		archive int64
		lineage
	}
	var all []row
	rows, err := tx.QueryContext(ctx, "SELECT archive_id, lineage_id, edition FROM archive a WHERE "+where+" ORDER BY lineage_id, edition DESC")
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var r row
		if err := rows.Scan(&r.archive, &r.lineage.id, &r.edition); err != nil {
			return err
		}
		all = append(all, r)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	for _, r := range all {
		if err := removeEdition(ctx, tx, r.archive, r.lineage); err != nil {
			return err
		}
	}
	return nil
}
