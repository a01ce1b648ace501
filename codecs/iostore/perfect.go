package iostore

import (
	"cmp"
	"slices"
)

// maxSeed bounds the seeds that are tried for a bucket: primes first, as the
// engine's packer has it, then the others. Odd seeds all lead an id to slots of
// one parity when there is an even number of them; an even one may still fit.
// With two chunks a bucket on average the largest seeds needed for a million
// chunks are of four digits.
const maxSeed = 1 << 15

// perfect finds a perfect hash of ids: seeds, of which the hash of an id picks
// one, and the order of the ids under which each is at the slot that its seed
// leads to. Ids of buckets that no seed serves are left out: they take what
// slots remain, and are listed.
func perfect(ids []chunkID) (order []int, seeds, left []int32) {
	n := len(ids)
	seeds = make([]int32, max(1, (n+1)/2))
	buckets := make([][]int32, len(seeds))
	for i, id := range ids {
		k := hashID(0, id) % uint64(len(seeds))
		buckets[k] = append(buckets[k], int32(i))
	}
	bySize := make([]int, 0, len(seeds))
	for k := range buckets {
		if len(buckets[k]) > 0 {
			bySize = append(bySize, k)
		}
	}
	slices.SortStableFunc(bySize, func(a, b int) int { return cmp.Compare(len(buckets[b]), len(buckets[a])) })
	s := slots{ids: ids, at: newIndex(n), seeds: candidates(maxSeed)}
	var missed []int32
	for _, k := range bySize {
		switch b := buckets[k]; {
		case len(b) == 1:
			seeds[k] = -s.take(b[0]) - 1
		default:
			if seeds[k] = s.fit(b); seeds[k] == 0 {
				missed = append(missed, b...)
			}
		}
	}
	for _, i := range missed {
		left = append(left, s.take(i))
	}
	order = make([]int, n)
	for slot, i := range s.at {
		order[slot] = int(i)
	}
	return order, seeds, left
}

// slots are the places of the table.
type slots struct {
	ids   []chunkID
	at    []int32 // by slot: the id in it, -1 for none
	free  int32   // no slot below it is free
	seeds []int32 // to try
	taken []uint64
}

// fit finds the first seed that leads every id of b to a free slot of its own,
// and puts them there; 0 when there is none.
func (s *slots) fit(b []int32) int32 {
	for _, seed := range s.seeds {
		s.taken = s.taken[:0]
		for _, i := range b {
			slot := hashID(uint64(seed), s.ids[i]) % uint64(len(s.ids))
			if s.at[slot] >= 0 || slices.Contains(s.taken, slot) {
				break
			}
			s.taken = append(s.taken, slot)
		}
		if len(s.taken) == len(b) {
			for k, slot := range s.taken {
				s.at[slot] = b[k]
			}
			return seed
		}
	}
	return 0
}

// take puts an id into the first free slot. Buckets of one come last, so that
// the engine's ids that are left alone never take what others need.
func (s *slots) take(i int32) int32 {
	for s.at[s.free] >= 0 {
		s.free++
	}
	s.at[s.free] = i
	return s.free
}

// candidates are the numbers from 1 to below n: primes, then the others.
func candidates(n int) (list []int32) {
	composite := make([]bool, n)
	var others []int32
	for i := 1; i < n; i++ {
		if i == 1 || composite[i] {
			others = append(others, int32(i))
			continue
		}
		list = append(list, int32(i))
		for k := i * i; k < n; k += i {
			composite[k] = true
		}
	}
	return append(list, others...)
}
