package lifetime

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"maps"
	"slices"

	"pakdb/schema"
)

// contentUse is in how many entries and builds a content is.
type contentUse struct {
	entries int64
	builds  uint32 // a set
}

// contentBuilds yields the contents of entries of complete builds, in the order of their
// ids: in how many entries, those of all builds together, and in how many builds.
func contentBuilds(ctx context.Context, db *sql.DB, yield func([]driver.Value, error) bool) error {
	m, err := readMounts(ctx, db)
	if err != nil {
		return err
	}
	all, contents := newSets(m), paged[contentUse]{}
	entries := map[validity]int64{}
	var last validity
	lastEntries := int64(0)
	err = schema.EachRow(ctx, db, "SELECT content_id, lineage_id, since, until FROM x_entry_row WHERE content_id IS NOT NULL", nil, func(v []driver.Value) {
		holds := validity{integer(v[1]), integer(v[2]), integer(v[3])}
		if holds != last {
			n, ok := entries[holds]
			if !ok {
				n = m.entries(holds)
				entries[holds] = n
			}
			last, lastEntries = holds, n
		}
		of := contents.of(integer(v[0]))
		of.entries += lastEntries
		of.builds = all.join(of.builds, all.of(holds))
	})
	if err != nil {
		return err
	}
	counts := make([]int64, len(all.all))
	for i, builds := range all.all {
		counts[i] = int64(builds.count())
	}
	for _, n := range slices.Sorted(maps.Keys(contents.pages)) {
		for i, of := range contents.pages[n] {
			if of.builds != 0 && !yield([]driver.Value{n<<pageBits | int64(i), of.entries, counts[of.builds]}, nil) {
				return nil
			}
		}
	}
	return nil
}

// entries returns how many entries of complete builds a row stands for.
func (m *mounts) entries(v validity) (n int64) {
	for _, at := range m.lineages[v.lineage] {
		if v.covers(at.edition) {
			n++
		}
	}
	return n
}

// Rows of contents that several rows have, content by content; and of all contents, for
// catalogs in which one row is several entries of a build.
const (
	rowsOfCopies = `SELECT r.content_id, r.lineage_id, r.since, r.until, r.stored
	FROM (SELECT content_id FROM x_entry_row WHERE content_id IS NOT NULL GROUP BY content_id HAVING count(*) > 1) twice
	CROSS JOIN x_entry_row r ON r.content_id = twice.content_id`
	rowsOfContents = `SELECT content_id, lineage_id, since, until, stored FROM x_entry_row WHERE content_id IS NOT NULL ORDER BY content_id`
)

// contentCopies yields the contents that a build has several times, with their stored
// bytes but those of the largest copy. filters are the label and the id of a build; other
// builds than these are left out, nil is any.
func contentCopies(ctx context.Context, db *sql.DB, filters []driver.Value, yield func([]driver.Value, error) bool) error {
	m, err := readMounts(ctx, db)
	if err != nil {
		return err
	}
	query := rowsOfCopies
	for lineage, all := range m.lineages {
		if slices.ContainsFunc(all, func(at mounted) bool { return at.copy > 0 }) {
			query = rowsOfContents
		}
		m.lineages[lineage] = slices.DeleteFunc(all, func(at mounted) bool {
			b := &m.builds[at.build]
			label, isText := filters[0].(string)
			id, isNumber := filters[1].(int64)
			return isText && label != b.label || isNumber && id != b.id
		})
	}
	c := copies{mounts: m, of: make([]copiesOf, len(m.builds))}
	ended := false
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	emit := func() {
		for i := range c.of {
			of := &c.of[i]
			if of.copies > 1 && !ended {
				b := &m.builds[i]
				if !yield([]driver.Value{b.label, b.id, c.content, of.copies, of.stored - of.largest}, nil) {
					ended = true
					cancel()
				}
			}
			*of = copiesOf{}
		}
	}
	err = schema.EachRow(ctx, db, query, nil, func(v []driver.Value) {
		if content := integer(v[0]); content != c.content {
			emit()
			c.content = content
		}
		c.add(validity{integer(v[1]), integer(v[2]), integer(v[3])}, integer(v[4]))
	})
	if err != nil && !ended {
		return err
	}
	emit()
	return nil
}

// copies counts those of one content after the other.
type copies struct {
	mounts  *mounts
	content int64
	of      []copiesOf // by build
}

// copiesOf are the entries of a build that have a content.
type copiesOf struct{ copies, stored, largest int64 }

func (c *copies) add(v validity, stored int64) {
	for _, at := range c.mounts.lineages[v.lineage] {
		if v.covers(at.edition) {
			of := &c.of[at.build]
			of.largest = max(of.largest, stored) // stored sizes are not negative
			of.copies++
			of.stored += stored
		}
	}
}
