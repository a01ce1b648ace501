package lzo

import "errors"

// The levels of lzo1x_999_compress_level.
const (
	MinLevel     = 1
	DefaultLevel = 8 // that of lzo1x_999_compress
	MaxLevel     = 9
)

// effort is what a level consists of.
type effort struct {
	chain int  // candidates that a search looks at
	ahead int  // positions behind a match at which a better one is looked for
	good  int  // from this length of the match on, these are searched a quarter as deep
	lazy  int  // from this length on, they are not searched
	trade bool // a shorter match is taken where its distance takes less to say
}

func effortOf(level int) effort {
	return [MaxLevel + 1]effort{
		1: {chain: 4},
		2: {chain: 8},
		3: {chain: 16},
		4: {chain: 16, ahead: 1, good: 4, lazy: 4},
		5: {chain: 32, ahead: 1, good: 8, lazy: 16},
		6: {chain: 128, ahead: 1, good: 8, lazy: 16},
		7: {chain: 256, ahead: 2, good: 8, lazy: 32},
		8: {chain: 2048, ahead: 2, good: 32, lazy: 128, trade: true},
		9: {chain: 4096, ahead: 2, good: lookAhead, lazy: lookAhead, trade: true},
	}[level]
}

// Levels returns all levels, the likeliest first.
func Levels() []int { return []int{DefaultLevel, 9, 7, 6, 5, 4, 3, 2, 1} }

// ErrLevel means a level that is none.
var ErrLevel = errors.New("level out of range")

// ErrTooLarge means an input of 2 GiB or more.
var ErrTooLarge = errors.New("input too large for LZO")

// ErrWork means an input that the reference itself takes very long for, at a high
// level: more than 512 steps a byte, as rows of random bits at level 9.
var ErrWork = errors.New("takes too long to encode")
