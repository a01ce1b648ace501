package lifetime

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"math/bits"

	"pakdb/schema"
)

// build is a complete build.
type build struct {
	id    int64
	label string
}

// mounted is an edition in a build.
type mounted struct {
	edition int64
	build   int // its position among the builds
	place   int64
	ordinal int64
	copy    int // how many mounts of the lineage are before it in the build
}

// validity is for which editions of a lineage a row holds.
type validity struct{ lineage, since, until int64 }

func (v validity) covers(edition int64) bool {
	return v.since <= edition && (v.until == 0 || edition < v.until)
}

// mounts are the complete builds of a catalog, in order, and the editions that they mount.
type mounts struct {
	builds   []build
	lineages map[int64][]mounted
}

func readMounts(ctx context.Context, db *sql.DB) (*mounts, error) {
	m := &mounts{lineages: map[int64][]mounted{}}
	err := schema.EachRow(ctx, db, "SELECT build_id, label FROM x_build WHERE complete = 1 ORDER BY build_id", nil, func(v []driver.Value) {
		b := build{id: integer(v[0])}
		b.label, _ = v[1].(string)
		m.builds = append(m.builds, b)
	})
	if err != nil {
		return nil, err
	}
	at := 0
	err = schema.EachRow(ctx, db, `SELECT b.build_id, a.lineage_id, a.edition, ba.place, ba.ordinal
		FROM x_build b
		CROSS JOIN x_build_archive ba ON ba.build_id = b.build_id
		CROSS JOIN x_archive a ON a.archive_id = ba.archive_id
		WHERE b.complete = 1
		ORDER BY b.build_id, ba.ordinal`, nil, func(v []driver.Value) {
		for m.builds[at].id != integer(v[0]) {
			at++
		}
		lineage := integer(v[1])
		of := m.lineages[lineage]
		next := mounted{edition: integer(v[2]), build: at, place: integer(v[3]), ordinal: integer(v[4])}
		if n := len(of); n > 0 && of[n-1].build == at {
			next.copy = of[n-1].copy + 1
		}
		m.lineages[lineage] = append(of, next)
	})
	return m, err
}

func integer(v driver.Value) int64 {
	n, _ := v.(int64)
	return n
}

// set is a set of builds, by their positions.
type set []uint64

func (s set) has(n int) bool { return s[n/64]>>(n%64)&1 != 0 }

func (s set) first() int {
	for i, w := range s {
		if w != 0 {
			return i*64 + bits.TrailingZeros64(w)
		}
	}
	return -1
}

func (s set) last() int {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] != 0 {
			return i*64 + 63 - bits.LeadingZeros64(s[i])
		}
	}
	return -1
}

func (s set) count() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// sets has each set of builds once, by a number; 0 is the empty one.
type sets struct {
	mounts  *mounts
	all     []set
	numbers map[string]uint32
	valid   map[validity]uint32  // the set of each
	joined  map[[2]uint32]uint32 // two sets in one

	lastValid  validity // and its set: rows of one are often side by side
	lastNumber uint32
}

func newSets(m *mounts) *sets {
	s := &sets{mounts: m, numbers: map[string]uint32{}, valid: map[validity]uint32{}, joined: map[[2]uint32]uint32{}}
	s.number(make(set, (len(m.builds)+63)/64))
	return s
}

// number returns the number of a set.
func (s *sets) number(of set) uint32 {
	key := make([]byte, 0, 8*len(of))
	for _, w := range of {
		for i := range 8 {
			key = append(key, byte(w>>(8*i)))
		}
	}
	n, ok := s.numbers[string(key)]
	if !ok {
		n = uint32(len(s.all))
		s.numbers[string(key)] = n
		s.all = append(s.all, of)
	}
	return n
}

// of returns the builds that mount an edition for which rows hold.
func (s *sets) of(v validity) uint32 {
	if v == s.lastValid {
		return s.lastNumber
	}
	n, ok := s.valid[v]
	if !ok {
		for _, m := range s.mounts.lineages[v.lineage] {
			if v.covers(m.edition) {
				n = s.join(n, s.only(m.build))
			}
		}
		s.valid[v] = n
	}
	s.lastValid, s.lastNumber = v, n
	return n
}

// only returns the set of one build.
func (s *sets) only(build int) uint32 {
	one := make(set, len(s.all[0]))
	one[build/64] |= 1 << (build % 64)
	return s.number(one)
}

// join returns the set of all builds in two sets.
func (s *sets) join(a, b uint32) uint32 {
	switch {
	case a == b || b == 0:
		return a
	case a == 0:
		return b
	}
	pair := [2]uint32{a, b}
	n, ok := s.joined[pair]
	if !ok {
		both := make(set, len(s.all[a]))
		for i := range both {
			both[i] = s.all[a][i] | s.all[b][i]
		}
		n = s.number(both)
		s.joined[pair] = n
	}
	return n
}
