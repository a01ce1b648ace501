package compress

import (
	"errors"
	"fmt"
)

// LZ4Dialect is a version of the reference.
type LZ4Dialect uint8

// The dialects. A later one is not better: they differ.
const (
	LZ4Modern    LZ4Dialect = iota // 1.8.2 to 1.10, 64 bits: hash of 4 bytes for small inputs, of 5 for large ones
	LZ4Modern32                    // the same for 32 bits: hash of 4 bytes
	LZ4Release18                   // 1.7.3 to 1.8.1, 64 bits: as LZ4Modern, but the last search ends a byte earlier
	LZ4Release17                   // r128 to 1.7.2, 64 bits: hash of 5 bytes for all inputs
	LZ4Release15                   // r91 to 1.5, and 32 bits up to 1.8.1: hash of 4 bytes
	LZ4Early                       // before: as LZ4Release15, but skips 4 misses sooner
	dialects
)

// LZ4Dialects returns all of them, the likeliest first.
func LZ4Dialects() []LZ4Dialect {
	return []LZ4Dialect{LZ4Modern, LZ4Release15, LZ4Release17, LZ4Release18, LZ4Modern32, LZ4Early}
}

// String returns a short name.
func (d LZ4Dialect) String() string {
	names := [dialects]string{"modern", "modern32", "r18", "r17", "r15", "early"}
	if d < dialects {
		return names[d]
	}
	return fmt.Sprintf("dialect %d", uint8(d))
}

// facts are what a dialect consists of.
type facts struct {
	five16, five32 bool // hash of five bytes for small and large inputs
	further        int  // 1: matches are looked for one byte closer to the end
	sooner         int  // misses that count before the first
}

func (d LZ4Dialect) facts() facts {
	return [dialects]facts{
		LZ4Modern:    {five32: true, further: 1},
		LZ4Modern32:  {further: 1},
		LZ4Release18: {five32: true},
		LZ4Release17: {five16: true, five32: true},
		LZ4Release15: {},
		LZ4Early:     {sooner: 4},
	}[d]
}

// LZ4Params are what decides the reference's output, besides the input. The zero
// value is LZ4_compress_default of a modern liblz4.
type LZ4Params struct {
	Dialect      LZ4Dialect
	Acceleration uint16 // of LZ4_compress_fast; 0 means 1, the default
	Stream       bool   // LZ4_compress_fast_continue of a new stream, as in python-lz4: small inputs as large ones

	// Level is that of LZ4_compress_HC: 3 to 12 of [LZ4Modern], 1 to 16 of
	// [LZ4Release15]; other dialects have none. 0 is the fast parse. Acceleration and
	// Stream mean nothing to it and must be zero.
	Level uint8
}

// LZ4HighLevels returns all parameters of high compression, the likeliest first: the
// default of the library, that of the Unreal engine, then downward.
func LZ4HighLevels() (list []LZ4Params) {
	for _, level := range []uint8{9, 12, 11, 10, 8, 7, 6, 5, 4, 3} {
		list = append(list, LZ4Params{Level: level})
	}
	for _, level := range []uint8{9, 8, 16, 15, 14, 13, 12, 11, 10, 7, 6, 5, 4, 3, 2, 1} {
		list = append(list, LZ4Params{Dialect: LZ4Release15, Level: level})
	}
	return list
}

func (p LZ4Params) valid() bool {
	if p.Level == 0 {
		return p.Dialect < dialects
	}
	_, ok := p.limits()
	return ok && p.Acceleration == 0 && !p.Stream
}

// String is short enough for a list: "lz4 modern".
func (p LZ4Params) String() string {
	s := "lz4 " + p.Dialect.String()
	if p.Level > 0 {
		s += fmt.Sprintf(" hc %d", p.Level)
	}
	if p.Acceleration > 1 {
		s += fmt.Sprintf(" acceleration %d", p.Acceleration)
	}
	if p.Stream {
		s += " stream"
	}
	return s
}

// ErrLZ4Params means a dialect that is none, or a level that it does not have.
var ErrLZ4Params = errors.New("parameters out of range")

// ErrLZ4TooLarge means an input of more than 2,113,929,216 bytes, the reference's
// own limit.
var ErrLZ4TooLarge = errors.New("input too large for LZ4")

// ErrWork means an input that the reference itself takes very long for, at a high
// level: more than 256 steps a byte, as rows of random bits at level 12.
var ErrWork = errors.New("takes too long to encode")
