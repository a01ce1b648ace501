package pkg_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"pakdb/codecs"
)

// Codecs that nobody here decodes are named, the summary is kept, and no table
// is made up.
func TestCodecNames(t *testing.T) {
	for flags, want := range map[uint32]string{4: "lzx", 8: "vendor", 0x202: "0x202", 0x14: "lzx"} {
		t.Run(fmt.Sprintf("0x%x", flags), func(t *testing.T) {
			p := mustRead(t, withCodec(t, flags))
			equal(t, "compression", p.Compression, want)
			equal(t, "names", len(p.Names), 0)
			equal(t, "exports declared", p.ExportCount, 2)
			if len(p.Problems) != 1 || !errors.Is(p.Problems[0], errors.ErrUnsupported) {
				t.Errorf("problems %v", p.Problems)
			}
		})
	}
}

// Asking for speed or memory says nothing about the data.
func TestCodecBias(t *testing.T) {
	b := tiny(868)
	for _, flags := range []uint32{0x11, 0x21} {
		sameContent(t, mustRead(t, withCodec(t, flags)), b)
	}
}

// A wrapper whose blocks start like LZMA's, or like nothing known.
func TestWrapperCodecs(t *testing.T) {
	for head, want := range map[string]string{"\x5D\x00\x00": "lzma", "\x00\x01": "lzo1x or lzx"} {
		raw := binary.LittleEndian.AppendUint32(nil, 0x9E2A83C1)
		for _, v := range []uint32{0x20000, 16, 100, 16, 100} {
			raw = binary.LittleEndian.AppendUint32(raw, v)
		}
		raw = append(raw, head...)
		raw = append(raw, make([]byte, 16-len(head))...)
		p := mustRead(t, raw)
		equal(t, "compression", p.Compression, want)
		if len(p.Problems) != 1 || !errors.Is(p.Problems[0], errors.ErrUnsupported) {
			t.Errorf("problems %v", p.Problems)
		}
	}
}

// A chunk of equal sizes may be stored without any header, and a block of
// equal sizes is stored.
func TestStoredChunks(t *testing.T) {
	b := tiny(868)
	b.compression, b.chunk = 1, 1<<20
	raw := b.bytes(t)
	at := chunkTableOf(t, raw)
	data := decompressed(t, raw)

	start := int(binary.LittleEndian.Uint32(raw[at+8:]))
	stored := append(put(raw, at+12, uint32(len(data)))[:start], data...)
	sameContent(t, mustRead(t, stored), b)

	block := binary.LittleEndian.AppendUint32(nil, 0x9E2A83C1)
	for _, v := range []int{0x20000, len(data), len(data), len(data), len(data)} {
		block = binary.LittleEndian.AppendUint32(block, uint32(v))
	}
	block = append(block, data...)
	sameContent(t, mustRead(t, append(put(raw, at+12, uint32(len(block)))[:start], block...)), b)
}

// chunkTableOf finds the only chunk of a package that is decompressed as one.
func chunkTableOf(t testing.TB, raw []byte) int {
	c := mustRead(t, raw).Summary.Chunks[0]
	var entry []byte
	for _, v := range []int64{c.Offset, c.Size, c.StoredOffset, c.Stored} {
		entry = binary.LittleEndian.AppendUint32(entry, uint32(v))
	}
	return bytes.Index(raw, entry)
}

// decompressed returns what the only block of the only chunk holds.
func decompressed(t testing.TB, raw []byte) []byte {
	c := mustRead(t, raw).Summary.Chunks[0]
	return inflate(raw[c.StoredOffset+24:])
}

// Each vendor's tag is named.
func TestVendorTags(t *testing.T) {
	for tag, game := range map[uint32]string{
		0x7E4A8BCA: "iStorm", 0xA94E6C81: "Nurien", 0xA1B2C93F: "Battle Territory", 0xD58C3147: "LOCO", 0xF2BAC156: "Berkanix",
		0xEA31928C: "Hawken", 0x12345678: "Tao Yuan", 0xEC201133: "StormWar", 0x879A4B41: "GunLegend",
		0x4D4D4837: "Might & Magic Heroes VII", 0x7BC342F0: "Devil's Third", 0xF84CEAB0: "Blade & Soul", 0x37454341: "Ace Combat 7",
	} {
		raw := append(binary.LittleEndian.AppendUint32(nil, tag), make([]byte, 60)...)
		p := mustRead(t, raw)
		equal(t, "layout", p.Layout, game)
		if len(p.Problems) != 1 || !errors.Is(p.Problems[0], errors.ErrUnsupported) || errors.Is(p.Problems[0], codecs.ErrCorrupt) {
			t.Errorf("%s: problems %v", game, p.Problems)
		}
	}
}
