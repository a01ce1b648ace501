package diff

import (
	"cmp"
	"context"
	"database/sql/driver"
	"slices"

	"pakdb/schema"
)

// The ways to recognise a rename, the surest first.
const (
	noWay uint8 = iota
	moveWay
	guidWay
	replacementWay
	idWay
	hashWay
	caseWay
	contentWay
	similarWay
	fileWay
	assetWay
)

var renameWays = []string{"", "", "guid", "replacement", "id", "hash", "case", "content", "similar", "file", "asset"}

// side is what is left over on one side: rows that no other was found for.
type side struct {
	*build
	rows []row
	open []int32 // rows, in the order of their names
}

// matcher joins what is gone and what is new.
type matcher struct {
	r        *Result
	old, new side
	found    []pair
}

func newMatcher(r *Result) *matcher {
	m := &matcher{r: r, old: side{build: r.old, rows: r.old.rows}, new: side{build: r.new, rows: r.new.rows}}
	for _, p := range r.pairs {
		switch {
		case p.new < 0:
			m.old.open = append(m.old.open, p.old)
		case p.old < 0:
			m.new.open = append(m.new.open, p.new)
		}
	}
	if !m.done() {
		m.found = make([]pair, 0, min(len(m.old.open), len(m.new.open)))
		m.old.sort(&r.names)
		m.new.sort(&r.names)
	}
	return m
}

func (s *side) sort(n *names) {
	type item struct{ rank, seq, row int32 }
	items := make([]item, len(s.open))
	for i, row := range s.open {
		items[i] = item{n.rank(s.rows[row].path), s.rows[row].seq, row}
	}
	slices.SortFunc(items, func(a, b item) int { return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.seq, b.seq)) })
	for i, it := range items {
		s.open[i] = it.row
	}
}

func (m *matcher) done() bool { return len(m.old.open) == 0 || len(m.new.open) == 0 }

// match joins rows of equal keys, first with first. A row whose key is not ok
// matches nothing.
func match[K comparable](m *matcher, way uint8, what Kind, key func(s side, row int32) (k K, ok bool)) {
	if m.done() {
		return
	}
	first, next := waiting(m, key)
	if len(first) == 0 {
		return
	}
	taken := make([]bool, len(m.old.open))
	m.new.open = slices.DeleteFunc(m.new.open, func(j int32) bool {
		k, ok := key(m.new, j)
		at := first[k]
		if !ok || at == 0 {
			return false
		}
		first[k] = next[at-1]
		taken[at-1] = true
		m.found = append(m.found, pair{old: m.old.open[at-1], new: j, what: what, by: way})
		return true
	})
	m.old.open = untaken(m.old.open, taken)
}

// waiting lists the open rows of the old side by their keys: the first of each,
// counted from 1, and for each row the next of its key, 0 for none.
func waiting[K comparable](m *matcher, key func(side, int32) (K, bool)) (first map[K]int32, next []int32) {
	wanted := wantedKeys(m, key)
	next = make([]int32, len(m.old.open))
	first = map[K]int32{}
	for i := len(m.old.open) - 1; i >= 0; i-- {
		k, ok := key(m.old, m.old.open[i])
		if !ok || wanted != nil && !wanted[k] {
			continue
		}
		next[i] = first[k]
		first[k] = int32(i) + 1
	}
	return first, next
}

func untaken(open []int32, taken []bool) []int32 {
	rest := open[:0]
	for i, row := range open {
		if !taken[i] {
			rest = append(rest, row)
		}
	}
	return rest
}

// wantedKeys are those of the new side, nil when it is not much smaller: a side
// may have a million rows where the other has ten.
func wantedKeys[K comparable](m *matcher, key func(side, int32) (K, bool)) map[K]bool {
	if len(m.new.open) > len(m.old.open)/4 {
		return nil
	}
	wanted := make(map[K]bool, len(m.new.open))
	for _, j := range m.new.open {
		if k, ok := key(m.new, j); ok {
			wanted[k] = true
		}
	}
	return wanted
}

// apply replaces, in the result, what was found out to belong together.
func (m *matcher) apply() {
	goneOld, goneNew := make([]bool, len(m.old.rows)), make([]bool, len(m.new.rows))
	for _, p := range m.found {
		goneOld[p.old], goneNew[p.new] = true, true
	}
	m.r.pairs = slices.DeleteFunc(m.r.pairs, func(p pair) bool {
		return p.new < 0 && goneOld[p.old] || p.old < 0 && goneNew[p.new]
	})
	m.r.pairs = append(m.r.pairs, m.found...)
}

// matchRenames finds renames: by identity, by content, by similarity.
func (r *Result) matchRenames(ctx context.Context, o Options) error {
	m := newMatcher(r)
	if m.done() {
		return nil
	}
	similar := func(ctx context.Context) error { return m.bySimilarity(ctx, cmp.Or(o.Similar, DefaultSimilar)) }
	for _, find := range []func(context.Context) error{m.byGUID, m.byID, m.byCase, m.byContent, m.byAsset, similar, m.byAsset} {
		if err := find(ctx); err != nil {
			return err
		}
	}
	m.byFile()
	m.apply()
	return nil
}

// byFile joins two loose files that are all there is to compare.
func (m *matcher) byFile() {
	if m.old.lonely(&m.r.names) && m.new.lonely(&m.r.names) {
		match(m, fileWay, Renamed, func(side, int32) (int, bool) { return 0, true })
	}
}

// lonely reports whether the build is one file that is its own entry.
func (s *side) lonely(n *names) bool {
	return len(s.archives) == 1 && len(s.rows) == 1 && s.archives[0].entries == 1 && n.path(s.rows[0].path) == s.archives[0].name
}

// paths lists the paths of what is left over, sorted.
func (s *side) paths() []int64 {
	ids := make([]int64, len(s.open))
	for i, row := range s.open {
		ids[i] = s.rows[row].path
	}
	return sortedSet(ids)
}

// byGUID asks the directories of Marvel Heroes, which give every file a GUID that
// outlives its name, and then what they say took the place of what.
func (m *matcher) byGUID(ctx context.Context) error {
	var has bool
	if err := m.r.db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM calligraphy_record)").Scan(&has); err != nil || !has {
		return err
	}
	guids := map[*build]map[int64]guid{}
	for _, s := range []*side{&m.old, &m.new} {
		of := map[int64]guid{}
		guids[s.build] = of
		err := batches(s.paths(), func(ids []int64) error {
			return schema.EachRow(ctx, m.r.db, recordGUIDs, []driver.Value{s.id, jsonInts(ids)}, func(v []driver.Value) {
				of[integer(v[0])] = guid{integer(v[2]), integer(v[1])}
			})
		})
		if err != nil {
			return err
		}
	}
	key := func(s side, i int32) (guid, bool) {
		g := guids[s.build][s.rows[i].path]
		return g, g.guid != 0
	}
	match(m, guidWay, Renamed, key)
	if err := m.byReplacement(ctx, key); err != nil {
		return err
	}
	m.rejoin()
	return nil
}

func (m *matcher) byReplacement(ctx context.Context, key func(side, int32) (guid, bool)) error {
	if m.done() {
		return nil
	}
	replaced, err := m.r.replacements(ctx)
	if err != nil || len(replaced) == 0 {
		return err
	}
	match(m, replacementWay, Renamed, func(s side, i int32) (guid, bool) {
		g, ok := key(s, i)
		if by := replaced[g.guid]; by != 0 {
			g.guid = by
		}
		return g, ok
	})
	return nil
}
