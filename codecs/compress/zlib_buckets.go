package compress

const (
	spanSize  = 1 << 16 // positions sorted at a time: they have 16 bits
	trialSpan = 1 << 12 // the first ones of a trial, which is likely to end soon
	group     = 4       // positions looked at in one step
)

// buckets are the hash chains of a span of the source, with the positions of one
// hash side by side: a search need not wait for one link to load the next, and
// how many steps zlib would have made is a difference of indices. That takes a
// parse that enters every position.
type buckets struct {
	from, to int // the span; positions below are less from

	order  [group + spanSize]uint16    // positions by hash, then ascending; after a group of zeroes
	places [spanSize]uint32            // by position: how many precede it in its bucket << 16 | index in order, less group
	text   [spanSize + 2*maxMatch]byte // a copy of the span and what follows it
	counts [1 << 16]uint16             // by hash; zeroes between calls
	hashes [1 << 16]uint16             // those that occur
}

// sort fills the buckets with the positions from from on.
//
//go:norace
func (e *ZlibEncoder) sort(from int) {
	b := e.buckets
	n := spanSize
	if e.want != nil {
		n = min(n, max(trialSpan, 4*b.to))
	}
	n = min(n, len(e.src)-from-(zlibMinMatch-1))
	b.from, b.to = from, from+n
	copy(b.text[:n+2*maxMatch], e.src[from:])

	used := 0
	shift, mask := e.hashShift&31, e.hashMask
	h := uint32(b.text[0])<<shift ^ uint32(b.text[1])
	for i, c := range b.text[2 : n+2] {
		h = (h<<shift ^ uint32(c)) & mask
		count := b.counts[uint16(h)]
		b.counts[uint16(h)] = count + 1
		b.places[uint16(i)] = uint32(count)<<16 | h
		b.hashes[uint16(used)] = uint16(h)
		used += int((uint32(count) - 1) >> 31) // without a branch: one more when count is 0
	}
	sum := uint16(0)
	for _, h := range b.hashes[:used] {
		b.counts[h], sum = sum, sum+b.counts[h]
	}
	for i, v := range b.places[:n] {
		at := b.counts[uint16(v)] + uint16(v>>16)
		b.order[group+int(at)] = uint16(i)
		b.places[i] = v&^0xffff | uint32(at)
	}
	for _, h := range b.hashes[:used] {
		b.counts[h] = 0
	}
}

// longer is longest_match: among the positions before pos of the same hash, whose
// place is given, it finds the longest match that is longer than best bytes, and
// returns it and where it is. Without one it returns best and start. Nothing
// beyond the source counts.
//
//go:norace
func (e *ZlibEncoder) longer(pos int, place uint32, best, start int) (int, int) {
	b := e.buckets
	here := uint16(pos - b.from)
	chain := uint32(e.search.chain)
	if best >= e.search.good {
		chain >>= 2
	}
	rank := int(place & 0xffff)
	last := rank - int(min(chain, place>>16))
	for {
		// A longer match has the bytes up to the one at best in common: 8 of them
		// are compared, or all.
		skip, mask := uint8(0), ^uint64(0)
		if best < 7 {
			mask >>= 56 - 8*best
		} else {
			skip = uint8(best - 7)
		}
		want := load64(b.text[:], int(here)+int(skip))
		if rank = scan((*tail)(b.text[skip:]), &b.order, rank, last, want, mask); rank < last {
			return best, start
		}
		at := int(b.order[group+rank])
		limit := pos - e.maxDist
		if b.from+int(b.order[group+place&0xffff-1]) == limit {
			limit-- // the nearest one may be as far away as that, others may not
		}
		if b.from+at <= max(limit, e.base) {
			return best, start
		}
		most := min(maxMatch, len(e.src)-pos)
		if n := common(b.text[:], at, int(here), most); n > best {
			best, start = n, b.from+at
			if n >= min(e.search.nice, most) {
				return best, start
			}
		}
	}
}

// tail is the text of a span after the first bytes of it.
type tail [spanSize + 8]byte

func (t *tail) at(pos uint16) uint64 { return load64(t[uint(pos):uint(pos)+8], 0) }

// scan looks for the wanted bytes at the positions before rank, down to last, and
// returns the rank of the first that has them; below last where none has. It
// looks at whole groups, even beyond last, since a processor cannot foresee where
// a short bucket ends.
//
//go:noinline
//go:norace
func scan(t *tail, order *[group + spanSize]uint16, rank, last int, want, mask uint64) int {
	for {
		g := (*[group]uint16)(order[rank : rank+group])
		if (t.at(g[3])^want)&mask == 0 {
			return rank - 1
		}
		if (t.at(g[2])^want)&mask == 0 {
			return rank - 2
		}
		if (t.at(g[1])^want)&mask == 0 {
			return rank - 3
		}
		if (t.at(g[0])^want)&mask == 0 {
			return rank - 4
		}
		if rank -= group; rank <= last {
			return -1
		}
	}
}
