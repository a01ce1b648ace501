package delta

// Where numbers are shifted, pointers of a program or places in a table, the bytes
// that differ from those of the last reference differ by the same as they did
// last. The first three bytes behind a match have a bit before them that says so.
//
// Prices leave it out: differences change within a block of steps, and by those at
// its front a parse takes bytes for cheap that are not (the tables of a shuffled
// Retro pak took three times the bytes).

// shifted predicts bytes behind a match by those that the reference has.
type shifted struct {
	by   [3]byte // difference of the first, second, third byte; 0: none is known
	hits [3]uint8
	hit  [3][4]prob // by whether it held the last two times
}

func (s *shifted) reset() {
	*s = shifted{}
	for i := range s.hit {
		fill(s.hit[i][:])
	}
}

// behindMatch returns which byte behind a match comes next, 0 to 2, and 3 where
// it is a later one.
func behindMatch(state uint8) int {
	switch {
	case state >= literalState:
		return 0
	case state >= 4:
		return 1
	case state >= 1:
		return 2
	}
	return 3
}

// held is noted for the byte that the difference was, or was not, right for.
func (s *shifted) held(k int, is uint32) { s.hits[k] = s.hits[k]<<1&3 | uint8(is) }

// differs learns the difference between a byte and the expected one.
func (s *shifted) differs(k int, c, expected byte) {
	if c != expected {
		s.by[k] = c - expected
	}
}
