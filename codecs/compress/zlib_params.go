package compress

import (
	"errors"
	"fmt"
)

// ZlibStrategy is zlib's parameter of that name.
type ZlibStrategy uint8

// The strategies, with zlib's numbers.
const (
	ZlibDefaultStrategy ZlibStrategy = iota // any data
	ZlibFiltered                            // no matches of 5 bytes or less (level 4 and above)
	ZlibHuffmanOnly                         // no matches
	ZlibRLE                                 // matches of distance 1 only
	ZlibFixed                               // no dynamic codes
)

// ZlibParams are what decides zlib's output, besides the input. The zero value
// stores; [ZlibDefault] is what compress() of zlib does.
type ZlibParams struct {
	Level      uint8        // 0 (stored) to 9
	MemLevel   uint8        // 1 to 9; 0 means 8, zlib's default
	WindowBits uint8        // 8 to 15; 0 means 15. 8 is 9, as zlib has it, and needs a wrapper
	Strategy   ZlibStrategy // how to search
	Raw        bool         // no zlib header, no Adler-32: the bare RFC 1951 stream
}

// ZlibDefault is level 6, memory level 8 and a window of 32 KiB: what compress() of
// zlib uses, and nearly every archive with it.
var ZlibDefault = ZlibParams{Level: 6, MemLevel: 8, WindowBits: 15}

// ErrZlibParams means parameters that zlib would refuse too.
var ErrZlibParams = errors.New("parameters out of range")

// ErrZlibTooLarge means an input of 4 GiB or more.
var ErrZlibTooLarge = errors.New("input of 4 GiB or more")

// String is short enough for a list: "zlib 6/8/15".
func (p ZlibParams) String() string {
	p = p.filled()
	s := fmt.Sprintf("zlib %d/%d/%d", p.Level, p.MemLevel, p.WindowBits)
	if p.Strategy != ZlibDefaultStrategy {
		s += fmt.Sprintf(" strategy %d", p.Strategy)
	}
	if p.Raw {
		s += " raw"
	}
	return s
}

// filled returns p with its defaults written out.
func (p ZlibParams) filled() ZlibParams {
	if p.MemLevel == 0 {
		p.MemLevel = 8
	}
	if p.WindowBits == 0 {
		p.WindowBits = 15
	}
	return p
}

func (p ZlibParams) check() error {
	if p.Level > 9 || p.MemLevel > 9 || p.WindowBits < 8 || p.WindowBits > 15 || p.Strategy > ZlibFixed ||
		p.Raw && p.WindowBits == 8 {
		return fmt.Errorf("%v: %w", p, ErrZlibParams)
	}
	return nil
}

// search is a row of zlib's configuration_table.
type search struct {
	good  int  // a match in hand of this length quarters the chain
	lazy  int  // a match in hand of this length is not improved upon; greedy: up to which inner positions are indexed
	nice  int  // a match of this length ends the search
	chain int  // candidates looked at
	slow  bool // lazy evaluation
}

var searches = [10]search{
	1: {4, 4, 8, 4, false},
	2: {4, 5, 16, 8, false},
	3: {4, 6, 32, 32, false},
	4: {4, 4, 16, 16, true},
	5: {8, 16, 32, 32, true},
	6: {8, 16, 128, 128, true},
	7: {8, 32, 128, 256, true},
	8: {32, 128, 258, 1024, true},
	9: {32, 258, 258, 4096, true},
}

// header returns the two bytes of RFC 1950. FLEVEL is a hint that zlib derives
// from level and strategy.
func (p ZlibParams) header() [2]byte {
	bits := max(p.WindowBits, 9)
	var hint uint
	switch {
	case p.Strategy >= ZlibHuffmanOnly || p.Level < 2:
		hint = 0
	case p.Level < 6:
		hint = 1
	case p.Level == 6:
		hint = 2
	default:
		hint = 3
	}
	h := (8+uint(bits-8)<<4)<<8 | hint<<6
	h += 31 - h%31
	return [2]byte{byte(h >> 8), byte(h)}
}
