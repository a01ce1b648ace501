package retropak

import (
	"encoding/binary"
	"errors"
	"math"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/codecs/internal/lzo"
)

// cooks reports whether the game's own cooker compresses content of that type
// and size, in bytes. The lists were derived from the original paks by Prime
// World Editor; the prototype is taken to follow Metroid Prime 3.
func (v variant) cooks(fourCC string, size int64) bool {
	if v.method == compress.None {
		return false
	}
	late, least := v.idBytes == 8, int64(0x400)
	if late {
		least = 0x80
	}
	switch fourCC {
	case "TXTR", "CMDL", "CSKR", "ANCS", "ANIM", "FONT":
		return true
	case "CHAR", "SAND", "SCAN", "CSMP", "STRG", "CAAD", "DCLN":
		return late
	case "PART", "ELSC", "SWHC", "WPSC", "DPSC", "CRSC", "SPSC", "SRSC", "BFRC":
		return size >= least
	}
	return false
}

// pack returns the compressed form of content, header included, or nil when it
// would not take less room in the pak. The real paks give a texture's header a
// block of its own; one block is what editors write, and the games accept it.
func (v variant) pack(content []byte, lzo *lzo.Encoder) ([]byte, error) {
	if v.method == compress.None || int64(len(content)) > math.MaxUint32 {
		return nil, nil
	}
	b := make([]byte, v.headSize(), len(content)/2+64)
	var err error
	if v.method == compress.Zlib {
		b, err = compress.Encode(compress.Zlib, b, content)
	} else {
		b, err = appendSegments(b, content, lzo)
	}
	if err != nil {
		return nil, err
	}
	packed := len(b) - v.headSize()
	if v.alignUp(int64(len(b))) >= v.alignUp(int64(len(content))) || v.cmpd && packed > 0xffffff {
		return nil, nil
	}
	v.putHead(b, packed, len(content))
	return b, nil
}

// appendSegments appends content in segments of LZO1X, each after its length, at
// the level that the games' own cooker used. A segment that would not become smaller
// is stored, which a negative length says; so is one that takes too long to encode,
// although no 16 KiB are known that do.
func appendSegments(dst, content []byte, encoder *lzo.Encoder) ([]byte, error) {
	var packed []byte
	for len(content) > 0 {
		n := min(len(content), lzo.SegmentSize)
		var err error
		packed, err = encoder.Encode(packed[:0], content[:n], lzo.DefaultLevel)
		if err != nil && !errors.Is(err, lzo.ErrWork) {
			return nil, err
		}
		data, length := packed, len(packed)
		if length == 0 || length >= n {
			data, length = content[:n], -n
		}
		dst = binary.BigEndian.AppendUint16(dst, uint16(int16(length)))
		dst = append(dst, data...)
		content = content[n:]
	}
	return dst, nil
}

// headSize is what is before the compressed bytes: the decoded size, or a
// CMPD table of one block.
func (v variant) headSize() int {
	if v.cmpd {
		return 16
	}
	return 4
}

// oneBlock is the flag of a block that is the only one.
const oneBlock = 0xa0

func (v variant) putHead(b []byte, packed, size int) {
	if !v.cmpd {
		binary.BigEndian.PutUint32(b, uint32(size))
		return
	}
	copy(b, "CMPD")
	binary.BigEndian.PutUint32(b[4:], 1)
	binary.BigEndian.PutUint32(b[8:], oneBlock<<24|uint32(packed))
	binary.BigEndian.PutUint32(b[12:], uint32(size))
}

// layout is how the tables of a pak are laid out.
type layout struct {
	idBytes int   // 4 or 8
	align   int64 // of every entry's offset and size, in bytes
	cmpd    bool  // header with sections, and compressed entries with a block table
}

// The layouts that exist. The second differs from the first in nothing but the
// width of ids, which no field declares.
var (
	prime      = layout{idBytes: 4, align: 32}
	prototype  = layout{idBytes: 8, align: 32}
	corruption = layout{idBytes: 8, align: 64, cmpd: true}
)

func (l layout) recordSize() int { return 16 + l.idBytes }

func (l layout) id(v uint64) codecs.ID {
	if l.idBytes == 4 {
		return codecs.ID32(uint32(v))
	}
	return codecs.ID64(v)
}

func (l layout) alignUp(n int64) int64 { return (n + l.align - 1) &^ (l.align - 1) }

// variant is a game's use of a layout: the values of CreateOptions.Version and
// Info.Version.
type variant struct {
	name string
	layout
	method compress.Method // of compressed entries; None when no entry shows it
}

// variants lists the default first. The ones with two names are paks that hold
// no compressed entry: nothing in them distinguishes the games, and what is added
// to them is stored.
var variants = [...]variant{
	{"MP1", prime, compress.Zlib},
	{"MP2", prime, compress.LZO1X},
	{"MP1/MP2", prime, compress.None},
	{"MP3-E3", prototype, compress.LZO1X},
	{"MP3", corruption, compress.LZO1X},
	{"DKCR", corruption, compress.Zlib},
	{"MP3/DKCR", corruption, compress.None},
}

func versions() []string {
	names := make([]string, len(variants))
	for i, v := range variants {
		names[i] = v.name
	}
	return names
}

func variantNamed(name string) (variant, bool) {
	if name == "" {
		return variants[0], true
	}
	for _, v := range variants {
		if v.name == name {
			return v, true
		}
	}
	return variant{}, false
}

// variantOf returns the game of a pak from its layout and from how its first
// compressed entry is compressed.
func variantOf(l layout, m compress.Method) variant {
	for _, v := range variants {
		if v.layout == l && (v.method == m || l == prototype) {
			return v
		}
	}
	return variant{layout: l, method: m}
}
