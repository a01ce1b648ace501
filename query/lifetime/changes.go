package lifetime

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strconv"

	"pakdb/schema"
)

// line is a row of entries of a path.
type line struct {
	validity
	row     int64
	content int64 // 0: not known
	stored  int64
}

// rowsOfPaths lists the rows of all paths that have several, path by path.
const rowsOfPaths = `SELECT r.path_id, r.lineage_id, r.since, r.until, r.row, r.content_id, r.stored
	FROM (SELECT path_id FROM x_entry_row WHERE path_id IS NOT NULL GROUP BY path_id HAVING count(*) > 1) twice
	CROSS JOIN x_entry_row r ON r.path_id = twice.path_id
	WHERE r.flags & 2 = 0`

// rowOf is a row of entries, by the mount of its lineage in a build.
type rowOf struct {
	lineage, row int64
	copy         int
}

// hidden has the builds in which a game does not see a row.
type hidden struct {
	sets *sets
	rows map[rowOf]uint32
}

func readHidden(ctx context.Context, db *sql.DB, m *mounts) (*hidden, error) {
	type mountOf struct{ build, ordinal int64 }
	type lineageOf struct {
		lineage     int64
		build, copy int
	}
	lineages := map[mountOf]lineageOf{}
	for lineage, all := range m.lineages {
		for _, at := range all {
			lineages[mountOf{m.builds[at.build].id, at.ordinal}] = lineageOf{lineage, at.build, at.copy}
		}
	}
	h := &hidden{newSets(m), map[rowOf]uint32{}}
	err := schema.EachRow(ctx, db, "SELECT build_id, mount, row FROM x_build_shadow", nil, func(v []driver.Value) {
		at, ok := lineages[mountOf{integer(v[0]), integer(v[1])}]
		if !ok {
			return // of a build that is not complete
		}
		row := rowOf{at.lineage, integer(v[2]), at.copy}
		h.rows[row] = h.sets.join(h.rows[row], h.sets.only(at.build))
	})
	return h, err
}

func (h *hidden) has(row rowOf, build int) bool {
	return len(h.rows) > 0 && h.sets.all[h.rows[row]].has(build)
}

// pathChanges yields the paths whose content changed from one build that has them to the
// next one: how often, in how many builds they are, the stored bytes of what they changed
// to, and the ids of the builds in which they did, as JSON. Of several entries of a path the one counts that a game sees.
func pathChanges(ctx context.Context, db *sql.DB, yield func([]driver.Value, error) bool) error {
	m, err := readMounts(ctx, db)
	if err != nil {
		return err
	}
	hidden, err := readHidden(ctx, db, m)
	if err != nil {
		return err
	}
	c := changes{mounts: m, hidden: hidden, seen: make([]seen, len(m.builds))}
	ended := false
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	emit := func() {
		if row := c.count(); row != nil && !ended && !yield(row, nil) {
			ended = true
			cancel()
		}
		c.lines = c.lines[:0]
	}
	err = schema.EachRow(ctx, db, rowsOfPaths, nil, func(v []driver.Value) {
		if path := integer(v[0]); path != c.path {
			emit()
			c.path = path
		}
		c.lines = append(c.lines, line{validity{integer(v[1]), integer(v[2]), integer(v[3])}, integer(v[4]), integer(v[5]), integer(v[6])})
	})
	if err != nil && !ended {
		return err
	}
	emit()
	return nil
}

// changes counts those of one path after the other.
type changes struct {
	mounts *mounts
	hidden *hidden
	path   int64
	lines  []line
	seen   []seen // by build
}

// seen is what a build has of a path.
type seen struct {
	line  *line // nil: none
	place int64
}

// count returns what is known of the path, nil if its content never changed.
func (c *changes) count() []driver.Value {
	if !c.differ() {
		return nil
	}
	clear(c.seen)
	for i := range c.lines {
		l := &c.lines[i]
		for _, m := range c.mounts.lineages[l.lineage] {
			at := &c.seen[m.build]
			if !l.covers(m.edition) || at.line != nil && at.place <= m.place {
				continue
			}
			if !c.hidden.has(rowOf{l.lineage, l.row, m.copy}, m.build) {
				*at = seen{l, m.place}
			}
		}
	}
	var times, builds, stored int64
	in := []byte{'['}
	var before *line
	for i := range c.seen {
		l := c.seen[i].line
		if l == nil {
			continue
		}
		if before == nil || l.content != 0 {
			builds++
		}
		if before != nil && before.content != 0 && l.content != 0 && before.content != l.content {
			if times++; times > 1 {
				in = append(in, ',')
			}
			in = strconv.AppendInt(in, c.mounts.builds[i].id, 10)
			stored += l.stored
		}
		before = l
	}
	if times == 0 {
		return nil
	}
	return []driver.Value{c.path, times, builds, stored, string(append(in, ']'))}
}

// differ reports whether the lines have several contents.
func (c *changes) differ() bool {
	first := int64(0)
	for i := range c.lines {
		if content := c.lines[i].content; content != 0 {
			if first != 0 && content != first {
				return true
			}
			first = content
		}
	}
	return false
}
