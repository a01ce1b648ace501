package program

// Queue is a row of things that are mostly taken one after the other, each once.
// A place in it is told by how many of those that are left lie between it and
// the one that follows what was taken last: 0 while the order stays, and of n
// things that were shuffled log2(n!) bits in all.
type Queue struct {
	tree []int32 // sums of what is left, as Fenwick has them
	left int
	Next int // behind what was taken last
	n    int
}

// NewQueue returns the row of n things, none of them taken.
func NewQueue(n int) *Queue {
	q := &Queue{tree: make([]int32, n+1), left: n, n: n}
	for i := 1; i <= n; i++ {
		q.tree[i] = int32(i & -i)
	}
	return q
}

// before is how many of those before i are left.
func (q *Queue) before(i int) (k int) {
	for ; i > 0; i &= i - 1 {
		k += int(q.tree[i])
	}
	return k
}

// has reports that i is left.
func (q *Queue) has(i int) bool { return q.before(i+1) > q.before(i) }

// Skip is the number by which i, which must be left, is told.
func (q *Queue) Skip(i int) int64 {
	d := q.before(i) - q.before(q.Next)
	switch {
	case d > q.left/2:
		d -= q.left
	case d < -q.left/2:
		d += q.left
	}
	return int64(d)
}

// at is the inverse of skip. Any number leads somewhere while something is left.
func (q *Queue) at(skip int64) int {
	k := (int64(q.before(q.Next)) + skip%int64(q.left)) % int64(q.left)
	if k < 0 {
		k += int64(q.left)
	}
	// The place of the k-th: the largest i with before(i) <= k.
	i, step := 0, 1
	for step*2 <= q.n {
		step *= 2
	}
	for ; step > 0; step /= 2 {
		if i+step <= q.n && int64(q.tree[i+step]) <= k {
			i += step
			k -= int64(q.tree[i])
		}
	}
	return i
}

// Take takes n things from i on, whether they are left or not.
func (q *Queue) Take(i, n int) {
	q.Next = i + n
	for k := i; k < i+n; k++ {
		if !q.has(k) {
			continue
		}
		q.left--
		for j := k + 1; j <= q.n; j += j & -j {
			q.tree[j]--
		}
	}
}
