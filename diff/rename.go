package diff

import (
	"cmp"
	"context"
	"database/sql/driver"
	"slices"
	"strings"
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

// match joins rows of equal keys, first with first; a nil key matches nothing.
func (m *matcher) match(way uint8, key func(s side, row int32) any, what Kind) {
	if m.done() {
		return
	}
	// A side may have a million rows where the other has ten.
	var wanted map[any]bool
	if len(m.new.open) < len(m.old.open) {
		wanted = make(map[any]bool, len(m.new.open))
		for _, j := range m.new.open {
			wanted[key(m.new, j)] = true
		}
	}
	waiting := map[any][]int32{}
	for _, i := range m.old.open {
		if k := key(m.old, i); k != nil && (wanted == nil || wanted[k]) {
			waiting[k] = append(waiting[k], i)
		}
	}
	if len(waiting) == 0 {
		return
	}
	taken := map[int32]bool{}
	m.new.open = slices.DeleteFunc(m.new.open, func(j int32) bool {
		k := key(m.new, j)
		if k == nil || len(waiting[k]) == 0 {
			return false
		}
		i := waiting[k][0]
		waiting[k] = waiting[k][1:]
		taken[i] = true
		m.found = append(m.found, pair{old: i, new: j, what: what, by: way})
		return true
	})
	m.old.open = slices.DeleteFunc(m.old.open, func(i int32) bool { return taken[i] })
}

// apply replaces, in the result, what was found out to belong together.
func (m *matcher) apply() {
	goneOld, goneNew := map[int32]bool{}, map[int32]bool{}
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
	if a, b := m.old.archives, m.new.archives; len(a) == 1 && len(b) == 1 && a[0].format == "loose" && b[0].format == "loose" {
		m.match(fileWay, func(side, int32) any { return 0 }, Renamed)
	}
}

// paths lists the paths of what is left over, sorted.
func (s *side) paths() []int64 {
	ids := make([]int64, len(s.open))
	for i, row := range s.open {
		ids[i] = s.rows[row].path
	}
	return sortedSet(ids)
}

type guid struct{ space, guid int64 }

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
			return each(ctx, m.r.db, recordGUIDs, []driver.Value{s.id, jsonInts(ids)}, func(v []driver.Value) {
				of[integer(v[0])] = guid{integer(v[2]), integer(v[1])}
			})
		})
		if err != nil {
			return err
		}
	}
	key := func(s side, i int32) any {
		if g, ok := guids[s.build][s.rows[i].path]; ok && g.guid != 0 {
			return g
		}
		return nil
	}
	m.match(guidWay, key, Renamed)
	return m.byReplacement(ctx, key)
}

func (m *matcher) byReplacement(ctx context.Context, key func(side, int32) any) error {
	if m.done() {
		return nil
	}
	replaced := map[int64]int64{}
	err := each(ctx, m.r.db, replacedGUIDs, []driver.Value{m.new.id}, func(v []driver.Value) { replaced[integer(v[0])] = integer(v[1]) })
	if err != nil || len(replaced) == 0 {
		return err
	}
	m.match(replacementWay, func(s side, i int32) any {
		k := key(s, i)
		if g, ok := k.(guid); ok && s.build == m.old.build {
			last, ok := replaced[g.guid]
			if !ok {
				return nil
			}
			return guid{g.space, last}
		}
		return k
	}, Renamed)
	return nil
}

type ident struct{ bits, hi, lo int64 }

// byID goes by asset ids, which are the same under any name, and by the hashes
// that archives store of paths: two spellings of one path share theirs.
func (m *matcher) byID(ctx context.Context) error {
	if m.done() {
		return nil
	}
	ids, hashes := map[*build]map[int64]ident{}, map[*build]map[int64]int64{}
	for _, s := range []*side{&m.old, &m.new} {
		id, hash := map[int64]ident{}, map[int64]int64{}
		ids[s.build], hashes[s.build] = id, hash
		err := batches(s.paths(), func(paths []int64) error {
			return each(ctx, m.r.db, entryIDs, []driver.Value{s.id, jsonInts(paths)}, func(v []driver.Value) {
				if v[3] != nil {
					id[integer(v[0])] = ident{integer(v[1]), integer(v[2]), integer(v[3])}
				}
				if v[4] != nil {
					hash[integer(v[0])] = integer(v[4])
				}
			})
		})
		if err != nil {
			return err
		}
	}
	m.match(idWay, func(s side, i int32) any {
		if id, ok := ids[s.build][s.rows[i].path]; ok {
			return id
		}
		return nil
	}, Renamed)
	m.match(hashWay, func(s side, i int32) any {
		if h, ok := hashes[s.build][s.rows[i].path]; ok && h != 0 {
			return h
		}
		return nil
	}, Renamed)
	return nil
}

func (m *matcher) byCase(context.Context) error {
	m.match(caseWay, func(s side, i int32) any {
		path := m.r.names.path(s.rows[i].path)
		if path == "" {
			return nil
		}
		return strings.ToLower(path)
	}, Renamed)
	return nil
}

type named struct {
	content int64
	name    string
}

// byContent prefers, among equal contents, the same name, then the same folder,
// then the order of paths. Empty files are all alike: they need the same name.
func (m *matcher) byContent(context.Context) error {
	by := func(name func(prefix, base string) string) func(side, int32) any {
		return func(s side, i int32) any {
			r := &s.rows[i]
			if r.content == 0 {
				return nil
			}
			prefix, base := m.r.names.split(r.path)
			n := name(prefix, base)
			if r.size == 0 && n != base {
				return nil
			}
			return named{r.content, n}
		}
	}
	m.match(contentWay, by(func(_, base string) string { return base }), Renamed)
	m.match(contentWay, by(func(prefix, _ string) string { return prefix }), Renamed)
	m.match(contentWay, by(func(string, string) string { return "" }), Renamed)
	return nil
}
