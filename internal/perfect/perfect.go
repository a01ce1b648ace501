// Package perfect finds the perfect hash by which Unreal Engine looks chunks up
// in an IoStore container, and finds the one that the engine's own packer finds:
// the seeds of real containers of version 8 come out as they are.
//
// What it finds is part of the definition of transport patches
// (docs/pkdelta.md): it must never change while these keep their version.
package perfect

import (
	"math"
	"slices"
)

// ID is that of a chunk.
type ID = [12]byte

const (
	maxSeed  = 1 << 15 // of seeds that are tried
	maxTries = 1 << 10 // hashes for an id, on average: real ids need a few dozen
)

// The two numbers of FNV with 64 bits.
const (
	basis = 0xcbf29ce484222325
	prime = 0x100000001b3
)

// Hash is the hash of an id under a seed, of which 0 is the usual basis: FNV-1.
func Hash(seed uint64, id ID) uint64 {
	h := seed
	if h == 0 {
		h = basis
	}
	for _, c := range id {
		h = h*prime ^ uint64(c)
	}
	return h
}

// Order finds a perfect hash of ids. The first hash of an id picks one of half as
// many seeds. A seed above 0 leads to a place: Hash(seed, id) modulo their number;
// one below 0 is the place -seed-1 of the only id that picks it. order has for
// each place the index of its id. Ids whose seed is 0 although something picks it
// have the places that remain, which are in left: no seed separates their ids,
// as of equal ones, or finding one took too long. The time is linear but for
// that, whatever the ids.
func Order(ids []ID) (order []int, seeds, left []int32) {
	n := len(ids)
	seeds = make([]int32, max(1, (n+1)/2))
	buckets := make([][]int32, len(seeds))
	for i, id := range ids {
		k := Hash(0, id) % uint64(len(seeds))
		buckets[k] = append(buckets[k], int32(i))
	}
	s := slots{ids: ids, at: make([]int32, n), seeds: candidates(maxSeed), tries: maxTries * (n + 1<<10)}
	for i := range s.at {
		s.at[i] = -1
	}
	var missed []int32
	for _, k := range bySize(buckets) {
		switch b := buckets[k]; {
		case len(b) == 1:
			seeds[k] = -s.take(b[0]) - 1
		case len(b) > 1:
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
	ids   []ID
	at    []int32 // by place: the id in it, -1 for none
	free  int32   // no place below it is free
	seeds []int32 // to try
	taken []uint64
	tries int // that are left
}

// fit finds the first seed that leads every id of b to a free place of its own,
// and puts them there; 0 when there is none.
func (s *slots) fit(b []int32) int32 {
	for _, seed := range s.seeds {
		s.taken = s.taken[:0]
		for _, i := range b {
			if s.tries -= 1 + len(s.taken)/4; s.tries < 0 {
				return 0
			}
			slot := Hash(uint64(seed), s.ids[i]) % uint64(len(s.ids))
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

// take puts an id into the first free place.
func (s *slots) take(i int32) int32 {
	for s.at[s.free] >= 0 {
		s.free++
	}
	s.at[s.free] = i
	return s.free
}

// candidates are the numbers from 1 to below n: primes first, as the engine has
// it, then the others. Odd seeds all lead an id to places of one parity when there
// is an even number of them; an even one may still fit.
func candidates(n int) (list []int32) {
	composite := make([]bool, n)
	others := []int32{1}
	for i := 2; i < n; i++ {
		if composite[i] {
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

// bySize returns the numbers of buckets, the largest first. Equal ones are in the
// order in which the engine's sort leaves them, for its packer serves them so: a
// quicksort around the middle, which picks the last of up to 8, and sorts by a heap
// once it is too deep.
func bySize(buckets [][]int32) []int32 {
	s := sorter{make([]int32, len(buckets)), buckets}
	for i := range s.list {
		s.list[i] = int32(i)
	}
	if n := len(s.list); n > 1 {
		s.quick(part{0, n - 1, int(float32(math.Log(float64(n))) * 2)})
	}
	return s.list
}

// sorter sorts numbers of buckets.
type sorter struct {
	list    []int32
	buckets [][]int32
}

// part is what is between two places, both included, and how often it may be cut.
type part struct{ min, max, depth int }

func (s *sorter) before(i, k int) bool {
	return len(s.buckets[s.list[i]]) > len(s.buckets[s.list[k]])
}

func (s *sorter) swap(i, k int) { s.list[i], s.list[k] = s.list[k], s.list[i] }

func (s *sorter) quick(p part) {
	for stack := []part{p}; len(stack) > 0; {
		p, stack = stack[len(stack)-1], stack[:len(stack)-1]
		for p.max > p.min {
			if p.depth == 0 {
				s.heap(p.min, p.max-p.min+1)
				break
			}
			if p.max-p.min < 8 {
				s.pick(p)
				break
			}
			lo, hi := s.cut(p)
			// The smaller half is next.
			low, high := part{p.min, hi - 1, p.depth - 1}, part{lo, p.max, p.depth - 1}
			if low.max-low.min >= high.max-high.min {
				low, high = high, low
			}
			stack = append(stack, high)
			p = low
		}
	}
}

// pick puts the last of all at the end, and so on.
func (s *sorter) pick(p part) {
	for ; p.max > p.min; p.max-- {
		last := p.min
		for i := p.min + 1; i <= p.max; i++ {
			if s.before(last, i) {
				last = i
			}
		}
		s.swap(last, p.max)
	}
}

// cut divides p around the bucket in its middle, which then is at hi.
func (s *sorter) cut(p part) (lo, hi int) {
	s.swap(p.min+(p.max-p.min+1)/2, p.min)
	lo, hi = p.min, p.max+1
	for {
		for lo++; lo <= p.max && !s.before(p.min, lo); lo++ {
		}
		for hi--; hi > p.min && !s.before(hi, p.min); hi-- {
		}
		if lo > hi {
			break
		}
		s.swap(lo, hi)
	}
	s.swap(p.min, hi)
	return lo, hi
}

// heap sorts n of them from first on.
func (s *sorter) heap(first, n int) {
	for i := (n - 2) / 2; i >= 0; i-- {
		s.sift(first, i, n)
	}
	for i := n - 1; i > 0; i-- {
		s.swap(first, first+i)
		s.sift(first, 0, i)
	}
}

func (s *sorter) sift(first, i, n int) {
	for 2*i+1 < n {
		child := 2*i + 1
		if child+1 < n && !s.before(first+child+1, first+child) {
			child++
		}
		if !s.before(first+i, first+child) {
			return
		}
		s.swap(first+i, first+child)
		i = child
	}
}
