package retropak

import (
	"pakdb/codecs"
	"pakdb/codecs/compress"
)

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
	method compress.Method // of compressed entries; None when no entry tells
}

// variants lists the default first. The ones with two names are paks that hold
// no compressed entry: nothing in them tells the games apart, and what is added
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
// compressed entry that tells is compressed.
func variantOf(l layout, m compress.Method) variant {
	for _, v := range variants {
		if v.layout == l && (v.method == m || l == prototype) {
			return v
		}
	}
	return variant{layout: l, method: m}
}
