package delta

import (
	"bytes"
	"errors"
	"fmt"

	"pakdb/codecs/compress"
)

// Recipe says how stored bytes come from decoded ones. The zero value stores
// them as they are. Recipes are comparable; equal ones give equal bytes for
// ever: an encoder whose output changes must get another recipe.
type Recipe struct {
	Method compress.Method // of the block, as [compress.Decode] takes it
	// Params are what the method's encoder needs to give the same bytes again.
	// Of zlib: level, memory level, window bits, and strategy, with 0x80 for a
	// stream without zlib's wrapper. Of LZ4: dialect; 0 for a block, 1 for a
	// stream's first block, 2 for high compression; and acceleration, or the level
	// of high compression, in 16 bits, little-endian. Of LZO1X: the level of
	// LZO1X-999.
	Params [4]uint8
}

// String describes a recipe in the words of its encoder: "zlib 6/8/15".
func (r Recipe) String() string {
	switch r.Method {
	case compress.Zlib:
		return r.Zlib().String()
	case compress.LZ4:
		return r.lz4().String()
	case compress.LZO1X:
		return fmt.Sprintf("lzo1x-999 %d", r.lzo())
	}
	return r.Method.String()
}

// rawDeflate in Params[3] is a deflate stream without zlib's wrapper.
const rawDeflate = 0x80

// Zlib returns the parameters of zlib that the recipe holds.
func (r Recipe) Zlib() compress.ZlibParams {
	return compress.ZlibParams{
		Level: r.Params[0], MemLevel: r.Params[1], WindowBits: r.Params[2],
		Strategy: compress.ZlibStrategy(r.Params[3] &^ rawDeflate), Raw: r.Params[3]&rawDeflate != 0,
	}
}

func fromZlib(p compress.ZlibParams) Recipe {
	r := Recipe{Method: compress.Zlib, Params: [4]uint8{p.Level, p.MemLevel, p.WindowBits, uint8(p.Strategy)}}
	if p.Raw {
		r.Params[3] |= rawDeflate
	}
	return r
}

// What Params[1] of LZ4 says.
const (
	lz4Block = iota
	lz4Stream
	lz4High
)

func (r Recipe) lz4() compress.LZ4Params {
	p := compress.LZ4Params{Dialect: compress.LZ4Dialect(r.Params[0]), Stream: r.Params[1] == lz4Stream}
	if r.Params[1] == lz4High {
		p.Level = r.Params[2]
	} else {
		p.Acceleration = uint16(r.Params[2]) | uint16(r.Params[3])<<8
	}
	return p
}

func fromLZ4(p compress.LZ4Params) Recipe {
	r := Recipe{Method: compress.LZ4, Params: [4]uint8{uint8(p.Dialect), lz4Block, uint8(p.Acceleration), uint8(p.Acceleration >> 8)}}
	switch {
	case p.Level > 0:
		r.Params[1], r.Params[2] = lz4High, p.Level
	case p.Stream:
		r.Params[1] = lz4Stream
	}
	return r
}

func (r Recipe) lzo() int { return int(r.Params[0]) }

func fromLZO(level int) Recipe { return Recipe{Method: compress.LZO1X, Params: [4]uint8{uint8(level)}} }

// Coder encodes by recipes and finds them. The zero value is ready. It keeps its
// encoders' memory and is not safe for concurrent use.
type Coder struct {
	Zlib compress.ZlibEncoder
	lz4  compress.LZ4Encoder
	lzo  compress.LZOEncoder
}

// Encode appends the stored form of src to dst. A recipe that this package does
// not know is errors.ErrUnsupported.
func (c *Coder) Encode(dst, src []byte, r Recipe) ([]byte, error) {
	switch r.Method {
	case compress.None:
		return append(dst, src...), nil
	case compress.Zlib:
		return c.Zlib.Encode(dst, src, r.Zlib())
	case compress.LZ4:
		return c.lz4.Encode(dst, src, r.lz4())
	case compress.LZO1X:
		return c.lzo.Encode(dst, src, r.lzo())
	}
	return dst, fmt.Errorf("%w: recipe %q", errors.ErrUnsupported, r)
}

// Recognize returns the recipe by which decoded became stored, a block of that
// method. Those in likely are tried first. A recipe is returned only when it has
// given these very bytes.
func (c *Coder) Recognize(m compress.Method, stored, decoded []byte, likely []Recipe) (Recipe, bool) {
	switch m {
	case compress.None:
		return Recipe{}, bytes.Equal(stored, decoded)
	case compress.Zlib:
		p, ok := c.Zlib.Recognize(stored, decoded, paramsOf(likely, m, Recipe.Zlib)...)
		return fromZlib(p), ok
	case compress.LZ4:
		p, ok := c.lz4.Recognize(stored, decoded, paramsOf(likely, m, Recipe.lz4)...)
		return fromLZ4(p), ok
	case compress.LZO1X:
		level, ok := c.lzo.Recognize(stored, decoded, paramsOf(likely, m, Recipe.lzo)...)
		return fromLZO(level), ok
	}
	return Recipe{}, false
}

// paramsOf takes the parameters out of the recipes of a method.
func paramsOf[P any](likely []Recipe, m compress.Method, params func(Recipe) P) (list []P) {
	for _, r := range likely {
		if r.Method == m {
			list = append(list, params(r))
		}
	}
	return list
}

// Methods are the block methods of ranges, in the order of their numbers in
// patch files.
var Methods = [...]compress.Method{compress.None, compress.Zlib, compress.Gzip, compress.LZ4, compress.Zstd, compress.LZO1X, compress.Oodle}
