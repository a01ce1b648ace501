package perfect

import "math"

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

// cut divides p around the bucket in its middle, which then stands at hi.
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
