package iostore

import (
	"pakdb/codecs"
	"pakdb/internal/perfect"
)

// hashID is the hash of a chunk id under a seed.
func hashID(seed uint64, id chunkID) uint64 { return perfect.Hash(seed, perfect.ID(id)) }

// find looks an id up as the engine does: by the perfect hash, then in the list
// of those that it leaves out. Containers before version 4 have no hash; they
// are searched.
func (t *toc) find(id chunkID) (i int, ok bool) {
	n := t.len()
	if n == 0 {
		return 0, false
	}
	if t.seeds.n == 0 {
		return t.scan(id)
	}
	seed := t.seeds.i32(int(hashID(0, id) % uint64(t.seeds.n)))
	switch {
	case seed < 0:
		i = int(-(int64(seed) + 1))
	case seed > 0:
		i = int(hashID(uint64(seed), id) % uint64(n))
	default:
		return t.findLeft(id)
	}
	return i, i < n && t.id(i) == id
}

func (t *toc) findLeft(id chunkID) (int, bool) {
	for k := range t.left.n {
		if i := t.left.i32(k); i >= 0 && int(i) < t.len() && t.id(int(i)) == id {
			return int(i), true
		}
	}
	return 0, false
}

func (t *toc) scan(id chunkID) (int, bool) {
	for i := range t.len() {
		if t.id(i) == id {
			return i, true
		}
	}
	return 0, false
}

// Finder is what every opened container is: an archive whose chunks can be
// looked up by id, through the container's own perfect hash.
type Finder interface {
	// Find returns the ordinal of the chunk with that id.
	Find(id codecs.ID) (ordinal int, ok bool)
}
