package write

import (
	"bytes"
	"context"
	"database/sql/driver"

	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/record"
)

// matcher compares archives on their way into the catalog with the editions before
// them.
type matcher struct {
	finder   *conn.Finder
	editions map[int64]*edition // by archive: those that continue a lineage
	places   map[int64]*placer  // by archive
}

// newMatcher returns a matcher that looks earlier editions up by a finder.
func newMatcher(finder *conn.Finder) *matcher {
	return &matcher{finder: finder, editions: map[int64]*edition{}, places: map[int64]*placer{}}
}

// editionOf returns the state of an archive that continues a lineage, nil for one
// that begins it.
func (m *matcher) editionOf(ctx context.Context, a *Archive) (*edition, error) {
	if a.Lineage.Edition == 0 {
		return nil, nil
	}
	if ed := m.editions[a.ID]; ed != nil {
		return ed, nil
	}
	ed := &edition{lineage: a.Lineage, archive: a.ID, places: m.places[a.ID], far: -1}
	if ed.old = a.Lineage.Rows; ed.old == nil {
		var err error
		if ed.old, err = oldRows(ctx, m.finder.DB, a.Lineage.ID); err != nil {
			return nil, err
		}
	}
	ed.at = ed.nextLive(0)
	m.editions[a.ID] = ed
	return ed, nil
}

// keepRows gives the entries of the batch their rows, and leaves those in the batch
// that have new ones. It fills in its Editions.
func (m *matcher) keepRows(ctx context.Context, b *Batch) error {
	started := make(map[int64]*edition, len(b.Archives)) // nil: of the first of a lineage
	for i := range b.Archives {
		if id := b.Archives[i].ID; m.places[id] == nil {
			m.places[id] = &placer{now: Located{Archive: id}}
		}
		ed, err := m.editionOf(ctx, &b.Archives[i])
		if err != nil {
			return err
		}
		started[b.Archives[i].ID] = ed
	}
	if err := m.markStated(ctx, b, started); err != nil {
		return err
	}
	for i := range b.Rows {
		if e := &b.Rows[i]; started[e.Archive] != nil {
			started[e.Archive].take(b, i)
		} else {
			e.Lineage, e.Number = e.Archive, record.RowOf(e.Ordinal)
			m.places[e.Archive].note(b, e, e.Number)
		}
	}
	for i := range b.Archives {
		a := &b.Archives[i]
		ed := started[a.ID]
		if ed != nil {
			ed.place(b, ed.at)
		}
		if !a.Ended {
			continue
		}
		if ed != nil {
			ed.endTo(b, len(ed.old)) // what did not come is gone
		}
		m.places[a.ID].end(b)
		delete(m.editions, a.ID)
		delete(m.places, a.ID)
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
func (m *matcher) markStated(ctx context.Context, b *Batch, started map[int64]*edition) error {
	for i := range b.Rows {
		e := &b.Rows[i]
		ed := started[e.Archive]
		if ed == nil || ed.stated || !e.HasContent || len(e.Sum) < record.StatedSize || !bytes.HasPrefix(e.Content[:], e.Sum) {
			continue
		}
		ed.stated = true
		at := 0
		err := conn.EachRow(ctx, m.finder.DB, `SELECT r.row FROM x_entry_row r CROSS JOIN x_content c ON c.content_id = r.content_id
			WHERE r.lineage_id = ? AND length(c.hash) < 32 ORDER BY r.row`, []driver.Value{ed.lineage.ID}, func(v []driver.Value) {
			for at < len(ed.old) && ed.old[at].Row < v[0].(int64) {
				at++
			}
			if at < len(ed.old) {
				ed.old[at].Unread = true
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}
