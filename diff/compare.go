package diff

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
)

// Options of a comparison. The zero value works.
type Options struct {
	// PerArchive compares the entries of each archive with those of its
	// counterpart, instead of what the game sees after mounting.
	PerArchive bool
	// Times makes another modification time a change of metadata. Alone it never
	// says that a content changed.
	Times bool
	// NoRenames leaves what is gone and what is new as it is.
	NoRenames bool
	// Similar is the least similarity, in percent, of contents that are taken for
	// one that was renamed and changed; 0 is 50, above 100 is never. Only
	// contents with sketches can be found so.
	Similar int
	// Files lists each file of an Unreal asset (.uasset, .uexp, .ubulk) by itself.
	// Otherwise those of one asset are one change, unless PerArchive is set.
	Files bool
	// Brief leaves File.Content empty, which saves looking the hashes up.
	Brief bool
}

// DefaultSimilar is the similarity that stands for 0 in [Options.Similar].
const DefaultSimilar = 50

// pair is an entry on both sides, or on one: an index into the rows of each
// build, -1 for none.
type pair struct {
	old, new   int32
	what       Kind
	by         uint8 // index in renameWays
	similarity uint8
	notes      uint8
}

// What differs in the metadata.
const (
	noteFlags uint8 = 1 << iota
	noteType
	noteOrder
	noteTime
	noteNames
	noteRecord // told in words of its own
)

var noteTexts = []string{"flags", "type", "order", "time", "names"}

// Result is what a comparison found. It is not safe for concurrent use.
type Result struct {
	OldBuild, NewBuild string
	// Unknown counts pairs of entries that could not be compared, because one of
	// them was not decoded, and whose sizes are the same.
	Unknown int64
	// Reordered names the archives whose entries lie in another order as a whole:
	// so many moved that it says nothing about any of them.
	Reordered []string

	db       *sql.DB
	brief    bool
	old, new *build
	pairs    []pair
	download []int64          // of pairs
	assets   map[int32]*group // by the pair that stands for one: Unreal assets of several files
	hidden   []bool           // pairs that are told of with another; nil: none
	hiding   int              // how many
	names    names
	words    map[int64]string
	apart    *apart                // nil: the directories of the builds say the same
	invented map[int64]string      // what keys that are no path ids stand for
	replaced map[int64]int64       // see replacements; nil: not read yet
	taken    map[int64]taken       // paths that are those of other records now
	public   map[int64][2][]string // public names on both sides, of paths where they differ
}

// Compare compares two complete builds of a catalog by their labels. The error is
// schema.ErrNoBuild if there is none of that label. db must allow several
// connections at once.
func Compare(ctx context.Context, db *sql.DB, old, new string, o Options) (*Result, error) {
	r := &Result{OldBuild: old, NewBuild: new, db: db, brief: o.Brief}
	var err error
	if r.old, err = openBuild(ctx, db, old); err != nil {
		return nil, err
	}
	if r.new, err = openBuild(ctx, db, new); err != nil {
		return nil, err
	}
	pairArchives(r.old, r.new)
	markShared(r.old, r.new)
	l := &loader{db: db, o: o}
	if err := l.load(ctx, r.old, r.new); err != nil {
		return nil, err
	}
	r.invented, r.apart = l.texts(), l.apart
	if err := r.compare(ctx, o); err != nil {
		return nil, err
	}
	return r, nil
}

// compare goes from rows to pairs that differ, in the order of their paths.
func (r *Result) compare(ctx context.Context, o Options) error {
	if err := r.merge(ctx); err != nil {
		return err
	}
	if err := r.splitTaken(ctx, o); err != nil {
		return err
	}
	if err := r.loadNames(ctx); err != nil {
		return err
	}
	r.matchMoved(o)
	if !o.NoRenames {
		if err := r.matchRenames(ctx, o); err != nil {
			return err
		}
	}
	r.noteTaken()
	for i := range r.pairs {
		if p := &r.pairs[i]; p.old >= 0 && p.new >= 0 {
			r.judge(p)
		}
	}
	if len(r.taken) > 0 { // what was split and joined again may be the same
		r.pairs = slices.DeleteFunc(r.pairs, func(p pair) bool { return p.what == 0 })
	}
	if err := r.estimate(ctx); err != nil {
		return err
	}
	if err := r.markCosmetic(ctx); err != nil {
		return err
	}
	r.sort()
	if !o.Files && !o.PerArchive {
		r.groupAssets()
	}
	return nil
}

// merge walks both sides in the order of their keys and keeps the pairs that
// differ, in content or in how they are stored.
func (r *Result) merge(ctx context.Context) error {
	a, b := r.old.rows, r.new.rows
	r.pairs = make([]pair, 0, r.countPairs())
	order := &orders{steps: make([]step, 0, min(len(a), len(b)))}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		c := 0
		switch {
		case i == len(a):
			c = 1
		case j == len(b):
			c = -1
		default:
			c = compareKeys(&a[i], &b[j])
		}
		switch {
		case c < 0:
			r.pairs = append(r.pairs, pair{old: int32(i), new: -1, what: Removed})
			i++
		case c > 0:
			r.pairs = append(r.pairs, pair{old: -1, new: int32(j), what: Added})
			j++
		default:
			p := pair{old: int32(i), new: int32(j)}
			r.judge(&p)
			order.add(r, p)
			if p.what != 0 {
				r.pairs = append(r.pairs, p)
			}
			if (a[i].content == 0 || b[j].content == 0) && p.what&Modified == 0 && !a[i].deleted() {
				r.Unknown++
			}
			i, j = i+1, j+1
		}
	}
	if err := r.addOrder(ctx, order); err != nil {
		return err
	}
	return r.addPublicNames(ctx)
}

// countPairs returns how many pairs merge is going to keep: growing to two million
// would take three times their memory.
func (r *Result) countPairs() (n int) {
	a, b := r.old.rows, r.new.rows
	for i, j := 0, 0; i < len(a) || j < len(b); {
		c := 1
		switch {
		case i == len(a):
		case j == len(b):
			c = -1
		default:
			c = compareKeys(&a[i], &b[j])
		}
		if c != 0 || a[i].content != b[j].content || a[i].stored != b[j].stored {
			n++
		}
		if c <= 0 {
			i++
		}
		if c >= 0 {
			j++
		}
	}
	return n
}

// judge sets what differs between the two sides of p, beside what is known of it.
func (r *Result) judge(p *pair) {
	a, b := &r.old.rows[p.old], &r.new.rows[p.new]
	known := p.what & (Renamed | Moved)
	p.what, p.notes = known, p.notes&(noteOrder|noteNames|noteRecord)
	if r.contentDiffers(a, b) {
		p.what |= Modified
	} else if a.stored != b.stored || a.method() != b.method() || a.flags()&1 != b.flags()&1 {
		p.what |= Restored
	}
	if r.old.archives[a.archive].group != r.new.archives[b.archive].group {
		p.what |= Moved
	}
	if a.copies != b.copies {
		p.what |= Copies
	}
	if a.flags()&^flagsApart != b.flags()&^flagsApart {
		p.notes |= noteFlags
	}
	if a.kind() != b.kind() {
		p.notes |= noteType
	}
	if r.old.times != nil && r.new.times != nil && r.old.times[a.seq] != r.new.times[b.seq] {
		p.notes |= noteTime
	}
	if p.notes&^noteRecord != 0 || p.notes != 0 && a.key == b.key { // of a rename the note is about the path
		p.what |= Metadata
	}
}

// contentDiffers counts on sizes where a content is not known.
func (r *Result) contentDiffers(a, b *row) bool {
	if a.content != 0 && b.content != 0 {
		return a.content != b.content
	}
	return a.size != b.size
}

// matchMoved joins, where archives are compared one by one, what one archive lost
// and another got.
func (r *Result) matchMoved(o Options) {
	if !o.PerArchive {
		return
	}
	m := newMatcher(r)
	match(m, moveWay, Moved, func(s side, i int32) (int64, bool) { return s.rows[i].key, !r.taken[s.rows[i].path].split })
	m.apply()
}

// loadNames reads the names of all that differ.
func (r *Result) loadNames(ctx context.Context) error {
	ids := make([]int64, 0, len(r.pairs)+len(r.pairs)/8)
	for _, p := range r.pairs {
		if p.old >= 0 {
			ids = append(ids, r.old.rows[p.old].path)
		}
		if p.new >= 0 {
			ids = append(ids, r.new.rows[p.new].path)
		}
	}
	return r.names.load(ctx, r.db, ids)
}

// position is what a pair is sorted by, and where it stood.
type position struct{ rank, seq, index int32 }

// sort orders the pairs by folder, then by name: the order is the same whichever
// ids a catalog gave.
func (r *Result) sort() {
	order := make([]position, len(r.pairs))
	for i := range r.pairs {
		e := r.place(&r.pairs[i])
		order[i] = position{r.names.rank(e.path), e.seq, int32(i)}
	}
	slices.SortFunc(order, func(a, b position) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(r.pairs[a.index].what.first(), r.pairs[b.index].what.first()),
			cmp.Compare(a.seq, b.seq), cmp.Compare(a.index, b.index))
	})
	for start := range order {
		r.rotate(order, int32(start))
	}
}

// rotate moves pairs to their places without another list of them: it fills the
// place start with the pair that belongs there, the place that this leaves with
// the next, until it comes back to where it began. It marks the places it filled.
func (r *Result) rotate(order []position, start int32) {
	const filled = -1
	pair, download := r.pairs[start], r.download[start]
	for to := start; order[to].index != filled; {
		from := order[to].index
		order[to].index = filled
		if from == start {
			r.pairs[to], r.download[to] = pair, download
			return
		}
		r.pairs[to], r.download[to] = r.pairs[from], r.download[from]
		to = from
	}
}

// place returns the row that a pair is listed by.
func (r *Result) place(p *pair) *row {
	if p.new >= 0 {
		return &r.new.rows[p.new]
	}
	return &r.old.rows[p.old]
}
