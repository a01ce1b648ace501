package diff

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"maps"
	"slices"

	"pakdb/schema"
)

// guid is what a record keeps under any name.
type guid struct{ space, guid int64 }

// taken is a path whose file is that of another record in the new build, with the
// records of both; the zero guid is none.
type taken struct {
	old, new guid
	split    bool // one of the records has another path in the other build
}

// records is what the directories of the two builds say differently: of Marvel
// Heroes' builds, which give each file a GUID that outlives its name. What they
// say alike needs no look: path and record agree.
type records struct {
	r      *Result
	of     [2]map[int64]guid // by path: of the old and the new build
	paths  [2]map[guid]int64
	rows   [2]map[int64][]int32 // by path: rows of these paths
	before map[int64][]int64    // GUIDs that another took the place of, in either build, by that one
	after  map[int64]int64      // the same the other way round
	taken  map[int64]taken      // by path
}

// directories lists the contents of a build's directories.
func directories(ctx context.Context, db *sql.DB, build int64) (ids []int64, err error) {
	err = schema.EachRow(ctx, db, recordDirectories, []driver.Value{build}, func(v []driver.Value) { ids = append(ids, integer(v[0])) })
	return ids, err
}

// notAmong returns the ids that others lack.
func notAmong(ids, others []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return slices.Contains(others, id) })
}

// apart is what the directories of the old and the new build say that those of the
// other do not.
type apart struct {
	of    [2]map[int64]guid // by path
	paths [2]map[guid]int64
}

// readApart returns nil where directories of both builds say the same.
func (l *loader) readApart(ctx context.Context, oldBuild, newBuild *build) (*apart, error) {
	old, err := directories(ctx, l.db, oldBuild.id)
	if err != nil {
		return nil, err
	}
	new, err := directories(ctx, l.db, newBuild.id)
	if err != nil || slices.Equal(old, new) {
		return nil, err
	}
	dirs := [2]string{jsonInts(notAmong(old, new)), jsonInts(notAmong(new, old))}
	found := &apart{}
	for i := range dirs {
		found.of[i], found.paths[i] = map[int64]guid{}, map[guid]int64{}
		err := schema.EachRow(ctx, l.db, recordsApart, []driver.Value{dirs[i], dirs[1-i]}, func(v []driver.Value) {
			path, g := integer(v[0]), guid{integer(v[1]), integer(v[2])}
			found.of[i][path] = g
			if _, twice := found.paths[i][g]; !twice {
				found.paths[i][g] = path
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// readRecords returns nil where directories of both builds say the same.
func (r *Result) readRecords(ctx context.Context) (*records, error) {
	if r.apart == nil {
		return nil, nil
	}
	rs := &records{r: r, taken: map[int64]taken{}, of: r.apart.of, paths: r.apart.paths}
	var err error
	for i, b := range []*build{r.old, r.new} {
		rs.rows[i] = map[int64][]int32{}
		for at := range b.rows {
			path := b.rows[at].path
			if rs.of[0][path].guid != 0 || rs.of[1][path].guid != 0 {
				rs.rows[i][path] = append(rs.rows[i][path], int32(at))
			}
		}
	}
	rs.after, err = r.replacements(ctx)
	rs.before = map[int64][]int64{}
	for before, after := range rs.after {
		rs.before[after] = append(rs.before[after], before)
	}
	return rs, err
}

// replacements says which GUIDs either build names in the place of others, so
// that both directions find the same.
func (r *Result) replacements(ctx context.Context) (map[int64]int64, error) {
	if r.replaced != nil {
		return r.replaced, nil
	}
	replaced := map[int64]int64{}
	for _, b := range []*build{r.old, r.new} {
		err := schema.EachRow(ctx, r.db, replacedGUIDs, []driver.Value{b.id}, func(v []driver.Value) { replaced[integer(v[0])] = integer(v[1]) })
		if err != nil {
			return nil, err
		}
	}
	r.replaced = replaced
	return replaced, nil
}

// elsewhere reports whether the record that a side has at a path, or one that took
// its place, has a file of another path on the other side.
func (rs *records) elsewhere(side int, path int64) bool {
	g := rs.of[side][path]
	if g.guid == 0 {
		return false
	}
	found := func(g guid) bool {
		to, ok := rs.paths[1-side][g]
		return ok && to != path && len(rs.rows[1-side][to]) > 0
	}
	return found(g) || found(guid{g.space, rs.after[g.guid]}) ||
		slices.ContainsFunc(rs.before[g.guid], func(before int64) bool { return found(guid{g.space, before}) })
}

// find fills taken: the paths that both builds have a file of, of different
// records. A record that is elsewhere now goes before the path that it left.
func (rs *records) find(renames bool) {
	for path, old := range rs.rows[0] {
		if len(old) == 0 || len(rs.rows[1][path]) == 0 {
			continue
		}
		t := taken{old: rs.of[0][path], new: rs.of[1][path]}
		t.split = renames && (rs.elsewhere(0, path) || rs.elsewhere(1, path))
		if t.split || t.old.guid != 0 && t.new.guid != 0 {
			rs.taken[path] = t
		}
	}
}

// counterpart returns the row of the new build that has the key of an old one.
func (r *Result) counterpart(old int32) (int32, bool) {
	i, ok := slices.BinarySearchFunc(r.new.rows, &r.old.rows[old], func(a row, key *row) int { return compareKeys(&a, key) })
	return int32(i), ok
}

// splitTaken takes pairs apart whose sides are different records of which one is
// found elsewhere: the identity of a file goes before its path. What is left of
// them without a counterpart is joined again by rejoin.
func (r *Result) splitTaken(ctx context.Context, o Options) error {
	rs, err := r.readRecords(ctx)
	if err != nil || rs == nil {
		return err
	}
	rs.find(!o.NoRenames)
	if len(rs.taken) == 0 {
		return nil
	}
	r.taken = rs.taken
	r.pairs = slices.DeleteFunc(r.pairs, func(p pair) bool {
		return p.old >= 0 && p.new >= 0 && rs.taken[r.old.rows[p.old].path].split
	})
	at := r.pairsByNew()
	for _, path := range slices.Sorted(maps.Keys(rs.taken)) {
		for _, i := range rs.rows[0][path] {
			if j, ok := r.counterpart(i); ok && rs.taken[path].split {
				r.pairs = append(r.pairs, pair{old: i, new: -1, what: Removed}, pair{old: -1, new: j, what: Added})
			} else if ok {
				r.note(at, i, j, noteRecord)
			}
		}
	}
	return nil
}

// pairsByNew finds pairs of two sides by their rows in the new build.
func (r *Result) pairsByNew() map[int32]int {
	at := map[int32]int{}
	for i, p := range r.pairs {
		if p.old >= 0 && p.new >= 0 {
			at[p.new] = i
		}
	}
	return at
}

// rejoin joins what splitTaken took apart and no GUID claimed.
func (m *matcher) rejoin() {
	if len(m.r.taken) == 0 {
		return
	}
	type place struct {
		group int32
		key   int64
	}
	match(m, noWay, 0, func(s side, i int32) (place, bool) {
		r := &s.rows[i]
		return place{r.group, r.key}, m.r.taken[r.path].split
	})
}

// noteTaken notes all changes of paths that have another record now.
func (r *Result) noteTaken() {
	for i := range r.pairs {
		if p := &r.pairs[i]; p.old >= 0 && r.isTaken(r.old, p.old) || p.new >= 0 && r.isTaken(r.new, p.new) {
			p.notes |= noteRecord
		}
	}
}

func (r *Result) isTaken(b *build, at int32) bool {
	_, is := r.taken[b.rows[at].path]
	return is
}

// recordText says which record a change's path was or is of.
func (r *Result) recordText(p *pair) (texts []string) {
	if p.old >= 0 && p.new >= 0 && r.old.rows[p.old].path == r.new.rows[p.new].path {
		t := r.taken[r.new.rows[p.new].path]
		return []string{fmt.Sprintf("record: %s -> %s", t.old, t.new)}
	}
	if p.new >= 0 && r.isTaken(r.new, p.new) {
		texts = append(texts, fmt.Sprintf("path was that of record %s", r.taken[r.new.rows[p.new].path].old))
	}
	if p.old >= 0 && r.isTaken(r.old, p.old) {
		texts = append(texts, fmt.Sprintf("path is now that of record %s", r.taken[r.old.rows[p.old].path].new))
	}
	return texts
}

// String returns the GUID in hex, as query shows it.
func (g guid) String() string {
	if g.guid == 0 {
		return "none"
	}
	return fmt.Sprintf("%016x", uint64(g.guid))
}

// recordOf returns the record that a build has of a path.
func recordOf(ctx context.Context, db *sql.DB, label string, path int64) (g guid, err error) {
	var id int64
	if err := db.QueryRowContext(ctx, "SELECT build_id FROM build WHERE label = ? AND complete = 1", label).Scan(&id); err != nil {
		return g, err
	}
	err = schema.EachRow(ctx, db, recordGUIDs, []driver.Value{id, jsonInts([]int64{path})}, func(v []driver.Value) {
		g = guid{integer(v[2]), integer(v[1])}
	})
	return g, err
}
