package media

import (
	"errors"
	"image"
	"image/draw"
	"math/bits"
	"sort"

	"pakdb/codecs"
	"pakdb/codecs/internal/texture"
)

// virtual is where the tiles of a texture lie.
type virtual struct {
	layers        []string // pixel formats
	tile, border  int      // pixels
	width, height int      // pixels
	starts        []uint32 // where each layer of a tile ends
	chunkOf, base []uint32 // by mip
	grids         []grid   // by mip

	// UE 4.23 to 4.27: tiles one after another.
	tileOfChunk, tileOfMip, offsets []uint32

	chunks []chunk
}

// grid is where the tiles of a mip lie: runs of them, by their address.
type grid struct {
	width, height      int // tiles
	addresses, offsets []uint32
}

// chunk is tiles that are stored together.
type chunk struct {
	codecs []uint8 // by layer
	Bulk
}

// How the tiles of a layer are stored.
const (
	tilesBlack  = 0
	tilesOpaque = 1
	tilesRaw    = 4
)

// maxLayers bounds what a virtual texture has beside its colour.
const maxLayers = 16

// virtual reads a virtual texture.
func (r *reader) virtual(t *Texture) {
	if cooked := r.flag(); r.ok() && !cooked {
		r.Fail(codecs.Errorf(errors.ErrUnsupported, "virtual texture that is not cooked"))
		return
	}
	v := &virtual{}
	layers := r.side()
	r.Skip(8) // sides in blocks of UDIM
	v.tile, v.border = r.side(), r.side()
	r.want(layers > 0 && layers <= maxLayers && v.tile >= 16 && v.tile <= 4096 && v.border <= v.tile)
	if r.engine >= 500 {
		v.starts = r.numbers()
	}
	mips := r.side()
	v.width, v.height = r.side(), r.side()
	r.want(mips <= maxMips)
	if r.engine >= 500 {
		v.chunkOf, v.base = r.numbers(), r.numbers()
		for range r.Count(20) {
			g := grid{width: r.side(), height: r.side()}
			r.Skip(4)
			g.addresses, g.offsets = r.numbers(), r.numbers()
			r.want(len(g.addresses) == len(g.offsets))
			v.grids = append(v.grids, g)
		}
	}
	v.tileOfChunk, v.tileOfMip, v.offsets = r.numbers(), r.numbers(), r.numbers()
	if !r.ok() {
		return
	}
	for range layers {
		v.layers = append(v.layers, r.text())
	}
	if r.engine >= 500 {
		r.Skip(layers * 16)
	}
	for range r.Count(8) {
		v.chunks = append(v.chunks, r.chunk(layers))
		if !r.ok() {
			return
		}
	}
	r.want(r.engine < 500 || len(v.starts) == layers && len(v.chunkOf) >= mips && len(v.base) >= mips && len(v.grids) >= mips)
	t.virtual = v
	for k := range mips {
		t.Mips = append(t.Mips, Mip{Width: max(v.width>>k, 1), Height: max(v.height>>k, 1), Slices: 1})
	}
}

func (r *reader) chunk(layers int) (c chunk) {
	if r.engine >= 500 {
		r.Skip(20) // SHA-1
	}
	r.Skip(8)
	for range layers {
		c.codecs = append(c.codecs, r.U8())
		if r.engine >= 427 {
			r.Skip(4)
		} else {
			r.Skip(2)
		}
	}
	c.Bulk = r.bulk()
	return c
}

// Layers returns the pixel formats of the layers of a virtual texture, nil of any other: its
// colour, and what lies beside it.
func (t *Texture) Layers() []string {
	if t.virtual == nil {
		return nil
	}
	return t.virtual.layers
}

// tiles decodes a layer of a mip of a virtual texture.
func tiles(p *Package, t *Texture, mip, layer int) (image.Image, error) {
	v := t.virtual
	switch {
	case mip >= len(t.Mips):
		return nil, codecs.Errorf(codecs.ErrNotFound, "mip %d: the texture has %d", mip, len(t.Mips))
	case layer >= len(v.layers):
		return nil, codecs.Errorf(codecs.ErrNotFound, "layer %d: the texture has %d", layer, len(v.layers))
	}
	m := &t.Mips[mip]
	f, err := texture.Named(v.layers[layer])
	if err != nil {
		return nil, err
	}
	if m.Width*m.Height > maxPixels {
		return nil, codecs.Errorf(codecs.ErrLimit, "%d x %d pixels", m.Width, m.Height)
	}
	reads := &tileReader{p: p, t: t, bytes: map[int][]byte{}}
	var out draw.Image
	across, down := (m.Width+v.tile-1)/v.tile, (m.Height+v.tile-1)/v.tile
	side := v.tile + 2*v.border
	size, _ := f.Size(side, side)
	for y := range down {
		for x := range across {
			src, err := reads.tile(mip, layer, x, y, size)
			if err != nil {
				return nil, err
			}
			if src == nil {
				continue
			}
			part, err := f.Decode(src, side, side)
			if err != nil {
				return nil, err
			}
			if out == nil {
				out = blank(part, m.Width, m.Height)
			}
			to := image.Rect(x*v.tile, y*v.tile, (x+1)*v.tile, (y+1)*v.tile).Intersect(out.Bounds())
			draw.Draw(out, to, part, image.Pt(v.border, v.border), draw.Src)
		}
	}
	if out == nil {
		return nil, codecs.Errorf(codecs.ErrNotFound, "no tile of the mip is stored")
	}
	return out, nil
}

// blank returns an empty picture of the kind of another.
func blank(like image.Image, width, height int) draw.Image {
	r := image.Rect(0, 0, width, height)
	switch like.(type) {
	case *image.Gray:
		return image.NewGray(r)
	case *image.Gray16:
		return image.NewGray16(r)
	}
	return image.NewNRGBA(r)
}

// tileReader finds tiles, and keeps the bytes of chunks.
type tileReader struct {
	p     *Package
	t     *Texture
	bytes map[int][]byte
}

// tile returns the bytes of a tile in a layer, nil where none are stored.
func (r *tileReader) tile(mip, layer, x, y int, size int64) ([]byte, error) {
	v := r.t.virtual
	address := morton(x) | morton(y)<<1
	var index int
	var at int64
	if len(v.grids) > 0 {
		g := &v.grids[mip]
		run := sort.Search(len(g.addresses), func(i int) bool { return g.addresses[i] > address }) - 1
		if run < 0 || g.offsets[run] == 1<<32-1 {
			return nil, nil
		}
		index = int(v.chunkOf[mip])
		at = int64(v.base[mip]) + (int64(g.offsets[run])+int64(address-g.addresses[run]))*int64(v.starts[len(v.starts)-1])
		if layer > 0 {
			at += int64(v.starts[layer-1])
		}
	} else {
		if mip >= len(v.tileOfMip) {
			return nil, codecs.Errorf(codecs.ErrCorrupt, "mip %d of %d has no tiles", mip, len(v.tileOfMip))
		}
		k := int64(v.tileOfMip[mip]) + int64(address)*int64(len(v.layers)) + int64(layer)
		if k >= int64(len(v.offsets)) {
			return nil, nil
		}
		at = int64(v.offsets[k])
		for index = 0; index+1 < len(v.tileOfChunk) && int64(v.tileOfChunk[index+1]) <= k; {
			index++
		}
	}
	if index >= len(v.chunks) {
		return nil, codecs.Errorf(codecs.ErrCorrupt, "chunk %d of %d", index, len(v.chunks))
	}
	c := &v.chunks[index]
	switch how := c.codecs[layer]; how {
	case tilesRaw:
	case tilesBlack, tilesOpaque: // left out
		return nil, nil
	default:
		return nil, codecs.Errorf(errors.ErrUnsupported, "tiles of codec %d", how)
	}
	if r.bytes[index] == nil {
		b, err := bytesAt(r.p, &c.Bulk, r.t.inside)
		if err != nil {
			return nil, err
		}
		r.bytes[index] = b
	}
	b := r.bytes[index]
	if at < 0 || at > int64(len(b)) || size > int64(len(b))-at {
		return nil, codecs.Errorf(codecs.ErrTruncated, "tile of %d bytes at 0x%x of %d", size, at, len(b))
	}
	return b[at : at+size], nil
}

// morton spreads the bits of a coordinate to the even ones.
func morton(v int) (out uint32) {
	for u := uint32(v); u != 0; u &= u - 1 {
		out |= 1 << (2 * bits.TrailingZeros32(u))
	}
	return out
}
