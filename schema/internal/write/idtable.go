package write

import "hash/maphash"

// idTable gives each key a number, from 0, in half of the memory of a map, and so that
// no key is copied as it grows. Its hash has a seed: nobody can make keys that collide.
type idTable[K comparable] struct {
	seed   maphash.Seed
	slots  []uint32 // 1 more than a number, at the hash of its key or after it; 0: free
	blocks [][]K    // the keys in the order of their numbers
	n      int
}

// blockKeys is how many keys a block has.
const blockKeys = 1 << 12

// at returns the key of a number.
func (t *idTable[K]) at(n int) K { return t.blocks[n/blockKeys][n%blockKeys] }

// find returns the number of a key, or -1 and the slot that it would have.
func (t *idTable[K]) find(k K) (n, slot int) {
	if t.slots == nil {
		return -1, -1
	}
	last := len(t.slots) - 1
	for slot = int(maphash.Comparable(t.seed, k)) & last; t.slots[slot] != 0; slot = (slot + 1) & last {
		if n := int(t.slots[slot]) - 1; t.at(n) == k {
			return n, slot
		}
	}
	return -1, slot
}

// number returns the number of a key; fresh reports that it is the next one.
func (t *idTable[K]) number(k K) (n int, fresh bool) {
	if 3*t.n >= 2*len(t.slots) {
		t.grow()
	}
	n, slot := t.find(k)
	if n >= 0 {
		return n, false
	}
	if t.n%blockKeys == 0 {
		t.blocks = append(t.blocks, make([]K, blockKeys))
	}
	n = t.n
	t.n++
	t.blocks[n/blockKeys][n%blockKeys] = k
	t.slots[slot] = uint32(t.n)
	return n, true
}

// grow doubles the slots.
func (t *idTable[K]) grow() {
	if t.slots == nil {
		t.seed = maphash.MakeSeed()
	}
	t.slots = make([]uint32, max(1024, 2*len(t.slots)))
	for n := range t.n {
		slot := int(maphash.Comparable(t.seed, t.at(n))) & (len(t.slots) - 1)
		for ; t.slots[slot] != 0; slot = (slot + 1) & (len(t.slots) - 1) {
		}
		t.slots[slot] = uint32(n + 1)
	}
}
