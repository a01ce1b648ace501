package table

import "slices"

// Join returns tables of several Unreal paks of one version: the rows of the first,
// then those of the others, as the first one's archive would have them. All else
// is the first one's.
func Join(list []Tables) (Tables, error) {
	first, ok := list[0].(*pak)
	if !ok {
		return nil, fail("tables that cannot be joined")
	}
	joined := first.clone()
	for _, t := range list[1:] {
		p, ok := t.(*pak)
		if !ok || p.version != joined.version {
			return nil, fail("tables of several versions")
		}
		joined.rows, joined.raw = append(joined.rows, p.rows...), append(joined.raw, p.raw...)
		h := joined.hashed
		if h == nil {
			continue
		}
		h.folder, h.pruned = append(h.folder, p.hashed.folder...), append(h.pruned, p.hashed.pruned...)
		if h.seed != p.hashed.seed {
			joined.hashAgain(len(joined.rows) - len(p.rows))
		}
	}
	return joined, nil
}

// Seed is what path hashes begin with, if tables have some.
func Seed(t Tables) (seed uint64, ok bool) {
	p, ok := t.(*pak)
	if !ok || p.hashed == nil {
		return 0, false
	}
	return p.hashed.seed, true
}

// WithSeed returns tables whose path hashes begin with another seed.
func WithSeed(t Tables, seed uint64) (Tables, error) {
	if _, ok := Seed(t); !ok {
		return nil, fail("tables without a seed")
	}
	p := t.(*pak).clone()
	p.hashed.seed = seed
	p.hashAgain(0)
	return p, nil
}

// clone is a copy whose rows and folders may be others.
func (p *pak) clone() *pak {
	c := *p
	c.rows, c.raw = slices.Clone(p.rows), slices.Clone(p.raw)
	if p.hashed != nil {
		h := *p.hashed
		h.folder, h.pruned = slices.Clone(h.folder), slices.Clone(h.pruned)
		c.hashed = &h
	}
	return &c
}

// hashAgain hashes the paths of rows, from one on.
func (p *pak) hashAgain(from int) {
	for i := from; i < len(p.rows); i++ {
		p.raw[i].hash = p.hashOf(p.rows[i].Key)
	}
}
