package table

import (
	"cmp"
	"slices"
)

// perfectSeeds bounds the seeds that are tried for a bucket, and perfectTries
// the hashes for an id on average: real containers need a few dozen.
const (
	perfectSeeds = 1 << 15
	perfectTries = 1 << 10
)

// perfectOrder finds the perfect hash of chunk ids as packers do: half as many
// buckets as ids, by hash 0; the largest bucket first, and of equal ones the
// first, each gets the first seed that leads its ids to free places of their own,
// of the primes and 1.. first, then of the others; buckets of one get the first
// free place. Ids that no seed serves take what is left, and are listed.
func perfectOrder(ids [][]byte) (order []int, seeds, left []int32, err error) {
	n := len(ids)
	seeds = make([]int32, max(1, (n+1)/2))
	buckets := make([][]int32, len(seeds))
	for i, id := range ids {
		k := idHash(0, id) % uint64(len(seeds))
		buckets[k] = append(buckets[k], int32(i))
	}
	var bySize []int
	for k := range buckets {
		if len(buckets[k]) > 0 {
			bySize = append(bySize, k)
		}
	}
	slices.SortStableFunc(bySize, func(a, b int) int { return cmp.Compare(len(buckets[b]), len(buckets[a])) })
	p := perfect{ids: ids, at: make([]int32, n), seeds: seedOrder(perfectSeeds), tries: perfectTries * (n + 1<<10)}
	for i := range p.at {
		p.at[i] = -1
	}
	var missed []int32
	for _, k := range bySize {
		if b := buckets[k]; len(b) == 1 {
			seeds[k] = -p.take(b[0]) - 1
		} else if seeds[k] = p.fit(b); seeds[k] == 0 {
			missed = append(missed, b...)
		}
	}
	if p.tries < 0 {
		return nil, nil, nil, fail("ids without a perfect hash")
	}
	for _, i := range missed {
		left = append(left, p.take(i))
	}
	order = make([]int, n)
	for slot, i := range p.at {
		order[slot] = int(i)
	}
	return order, seeds, left, nil
}

// idHash is FNV-1 over an id, which begins with the seed where there is one.
func idHash(seed uint64, id []byte) uint64 {
	h := seed
	if h == 0 {
		h = fnvBasis
	}
	for _, c := range id {
		h = h*fnvPrime ^ uint64(c)
	}
	return h
}

// perfect is a perfect hash in the making.
type perfect struct {
	ids   [][]byte
	at    []int32 // by place: the id there, or -1
	free  int32   // no place before it is free
	seeds []int32
	taken []uint64
	tries int // left
}

func (p *perfect) fit(b []int32) int32 {
	for _, seed := range p.seeds {
		p.taken = p.taken[:0]
		for _, i := range b {
			if p.tries -= 1 + len(p.taken)/4; p.tries < 0 {
				return 0
			}
			slot := idHash(uint64(seed), p.ids[i]) % uint64(len(p.ids))
			if p.at[slot] >= 0 || slices.Contains(p.taken, slot) {
				break
			}
			p.taken = append(p.taken, slot)
		}
		if len(p.taken) == len(b) {
			for k, slot := range p.taken {
				p.at[slot] = b[k]
			}
			return seed
		}
	}
	return 0
}

func (p *perfect) take(i int32) int32 {
	for p.at[p.free] >= 0 {
		p.free++
	}
	p.at[p.free] = i
	return p.free
}

// seedOrder is the numbers from 1 to below n: primes, then the others.
func seedOrder(n int) (list []int32) {
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
