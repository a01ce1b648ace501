package lifetime

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"slices"

	"pakdb/schema"
)

// located is a row of entries, with its path.
type located struct {
	validity
	path, row int64
}

// edition is an archive of a build.
type edition struct{ archive, edition int64 }

// side is one of two builds that are compared.
type side struct {
	lineages map[int64][]edition
	alone    []located // rows that the other side does not have, by path
}

// has reports whether a row holds for an archive of the side.
func (s *side) has(row *located) bool {
	return slices.ContainsFunc(s.lineages[row.lineage], func(e edition) bool { return row.covers(e.edition) })
}

// differences are the rows of two builds that may differ.
type differences struct {
	db       *sql.DB
	nameless bool // rows without a path are read as well
	sides    [2]side
	counts   pathSets // how many rows the first build has of each path: 0, 1, or 2 for more
}

// entryPairs yields the pairs of different rows of entries that two builds have of one
// path: archive and row in the first one, archive and row in the second one. A row that
// both have is the same entry, and no pair with itself. Only rows that one build has
// alone are read as a whole, and those of paths that the first build has several times.
func entryPairs(ctx context.Context, db *sql.DB, labels [2]string, yield func([]driver.Value, error) bool) error {
	d := differences{db: db}
	if err := d.read(ctx, labels); err != nil {
		return err
	}
	if err := d.countPaths(ctx); err != nil {
		return err
	}
	return d.pair(ctx, yield)
}

// rowsAlone yields the rows of entries that the first of two builds has and the second
// one has not.
func rowsAlone(ctx context.Context, db *sql.DB, labels [2]string, yield func([]driver.Value, error) bool) error {
	d := differences{db: db, nameless: true}
	if err := d.read(ctx, labels); err != nil {
		return err
	}
	for _, r := range d.sides[0].alone {
		if !yield([]driver.Value{r.row}, nil) {
			return nil
		}
	}
	return nil
}

func (d *differences) read(ctx context.Context, labels [2]string) error {
	for i, label := range labels {
		if err := d.readSide(ctx, &d.sides[i], label); err != nil {
			return err
		}
	}
	return d.readAlone(ctx)
}

func (d *differences) readSide(ctx context.Context, s *side, label string) error {
	s.lineages = map[int64][]edition{}
	return schema.EachRow(ctx, d.db, `SELECT DISTINCT a.archive_id, a.lineage_id, a.edition
		FROM x_build b
		CROSS JOIN x_build_archive ba ON ba.build_id = b.build_id
		CROSS JOIN x_archive a ON a.archive_id = ba.archive_id
		WHERE b.label = ? AND b.complete = 1
		ORDER BY 1`, []driver.Value{label}, func(v []driver.Value) {
		lineage := integer(v[1])
		s.lineages[lineage] = append(s.lineages[lineage], edition{integer(v[0]), integer(v[2])})
	})
}

// rowsBetween lists the rows of lineage ?1 that began or ended after edition ?2, up to
// edition ?3. The conditions of the partial indexes come last: of two lower bounds SQLite
// takes the first.
const rowsBetween = `SELECT e.path_id, e.row, e.since, e.until
	FROM (
		SELECT row FROM x_entry_row INDEXED BY entry_until WHERE lineage_id = ?1 AND until > ?2 AND until <= ?3 AND until > 0
		UNION
		SELECT row FROM x_entry_row INDEXED BY entry_since WHERE lineage_id = ?1 AND since > ?2 AND since <= ?3 AND since > 0) k
	CROSS JOIN x_entry_row e ON e.lineage_id = ?1 AND e.row = k.row`

const rowsOfLineage = `SELECT path_id, row, since, until FROM x_entry_row WHERE lineage_id = ?1`

// readAlone reads the rows that one side has alone.
func (d *differences) readAlone(ctx context.Context) error {
	for i := range d.sides {
		for lineage, here := range d.sides[i].lineages {
			query, args := rowsOfLineage, []driver.Value{lineage}
			there := d.sides[1-i].lineages[lineage]
			switch {
			case len(there) > 0 && i == 1:
				continue // read for the first side
			case len(here) == 1 && len(there) == 1 && here[0].edition == there[0].edition:
				continue
			case len(here) == 1 && len(there) == 1:
				query = rowsBetween
				args = append(args, min(here[0].edition, there[0].edition), max(here[0].edition, there[0].edition))
			}
			err := schema.EachRow(ctx, d.db, query, args, func(v []driver.Value) {
				if v[0] == nil && !d.nameless {
					return
				}
				r := located{validity{lineage, integer(v[2]), integer(v[3])}, integer(v[0]), integer(v[1])}
				switch first, second := d.sides[0].has(&r), d.sides[1].has(&r); {
				case first && !second:
					d.sides[0].alone = append(d.sides[0].alone, r)
				case second && !first:
					d.sides[1].alone = append(d.sides[1].alone, r)
				}
			})
			if err != nil {
				return err
			}
		}
	}
	for i := range d.sides {
		slices.SortFunc(d.sides[i].alone, compareLocated)
	}
	return nil
}

func compareLocated(a, b located) int {
	return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.lineage, b.lineage), cmp.Compare(a.row, b.row))
}

// countPaths counts the rows that the first side has of each path.
func (d *differences) countPaths(ctx context.Context) error {
	count := func(v []driver.Value) {
		if n := d.counts.of(integer(v[0])); *n < 2 {
			*n++
		}
	}
	for lineage, editions := range d.sides[0].lineages {
		query, args := rowsOfLineage+" AND path_id IS NOT NULL", []driver.Value{lineage}
		take := func(v []driver.Value) {
			if r := (located{validity: validity{lineage, integer(v[2]), integer(v[3])}}); d.sides[0].has(&r) {
				count(v)
			}
		}
		if len(editions) == 1 {
			query = "SELECT path_id FROM x_entry_row WHERE lineage_id = ?1 AND since <= ?2 AND (until = 0 OR until > ?2) AND path_id IS NOT NULL"
			args, take = append(args, editions[0].edition), count
		}
		if err := schema.EachRow(ctx, d.db, query, args, take); err != nil {
			return err
		}
	}
	return nil
}

// pair yields the pairs. A path that the first side has once, in a row that it has
// alone, pairs that row with those that the second side has alone: a row of both sides
// would be a second one. Rows of other paths are looked up.
func (d *differences) pair(ctx context.Context, yield func([]driver.Value, error) bool) error {
	var unsure []int64 // paths
	first, second := d.sides[0].alone, d.sides[1].alone
	for len(second) > 0 {
		path := second[0].path
		n := 1
		for n < len(second) && second[n].path == path {
			n++
		}
		for len(first) > 0 && first[0].path < path {
			first = first[1:]
		}
		switch count := *d.counts.of(path); {
		case count > 1: // all of these are looked up
		case count == 1 && len(first) > 0 && first[0].path == path:
			if !d.yieldPairs(first[:1], second[:n], yield) {
				return nil
			}
		case count == 1:
			unsure = append(unsure, path)
		}
		second = second[n:]
	}
	for n, p := range d.counts.pages {
		for i, count := range p {
			if count > 1 {
				unsure = append(unsure, n<<pageBits|int64(i))
			}
		}
	}
	slices.Sort(unsure)
	for paths := range slices.Chunk(unsure, 10000) {
		if more, err := d.lookUp(ctx, paths, yield); err != nil || !more {
			return err
		}
	}
	return nil
}

// lookUp yields the pairs of some paths; more is false when no others are wanted.
func (d *differences) lookUp(ctx context.Context, paths []int64, yield func([]driver.Value, error) bool) (more bool, err error) {
	list, err := json.Marshal(paths)
	if err != nil {
		return false, err
	}
	var sides [2][]located
	err = schema.EachRow(ctx, d.db, `SELECT e.path_id, e.row, e.since, e.until, e.lineage_id
		FROM json_each(?1) j
		CROSS JOIN x_entry_row e INDEXED BY entry_path ON e.path_id = j.value`, []driver.Value{string(list)}, func(v []driver.Value) {
		r := located{validity{integer(v[4]), integer(v[2]), integer(v[3])}, integer(v[0]), integer(v[1])}
		for i := range sides {
			if d.sides[i].has(&r) {
				sides[i] = append(sides[i], r)
			}
		}
	})
	if err != nil {
		return false, err
	}
	for len(sides[0]) > 0 {
		path := sides[0][0].path
		var of [2][]located
		for i := range sides {
			for len(sides[i]) > 0 && sides[i][0].path < path {
				sides[i] = sides[i][1:]
			}
			n := 0
			for n < len(sides[i]) && sides[i][n].path == path {
				n++
			}
			of[i], sides[i] = sides[i][:n], sides[i][n:]
		}
		if !d.yieldPairs(of[0], of[1], yield) {
			return false, nil
		}
	}
	return true, nil
}

// yieldPairs yields all pairs of rows of two sides, in each archive that has them.
func (d *differences) yieldPairs(first, second []located, yield func([]driver.Value, error) bool) bool {
	for i := range first {
		for j := range second {
			a, b := &first[i], &second[j]
			if a.lineage == b.lineage && a.row == b.row {
				continue
			}
			for _, at := range d.sides[0].lineages[a.lineage] {
				for _, bt := range d.sides[1].lineages[b.lineage] {
					if a.covers(at.edition) && b.covers(bt.edition) && !yield([]driver.Value{at.archive, a.row, bt.archive, b.row}, nil) {
						return false
					}
				}
			}
		}
	}
	return true
}
