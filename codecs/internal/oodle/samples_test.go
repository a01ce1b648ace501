package oodle_test

import (
	"bytes"
	"crypto/aes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/zeebo/blake3"

	"pakdb/codecs/internal/oodle"
)

// The samples are containers that Unreal Engine 5.8.1 wrote, each with an uncompressed twin. The extractor here knows
// just enough of .utoc/.ucas version 8 and of .pak version 12 to find their blocks, and trusts the files.

// sampleDir returns a folder of the samples, or skips.
func sampleDir(tb testing.TB, name string) string {
	tb.Helper()
	root := os.Getenv("PAKDB_SAMPLES")
	if root == "" {
		root = filepath.Join("..", "..", "..", "..", "shared", "samples")
	}
	dir := filepath.Join(root, filepath.FromSlash(name))
	if _, err := os.Stat(dir); err != nil {
		tb.Skipf("no samples (set PAKDB_SAMPLES): %v", err)
	}
	return dir
}

func readFile(tb testing.TB, path string) []byte {
	tb.Helper()
	p, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// block is one compression block: src as stored, oodle or plain, and its decoded size.
type block struct {
	src   []byte
	size  int
	oodle bool
}

// entry is one chunk or file of a container.
type entry struct {
	id     string
	blocks []block
	sum    []byte // first 20 bytes of the content's BLAKE3, nil if the container has none
	place  int    // offset among the uncompressed contents, to sort by
}

// content decodes the entry and counts its Oodle blocks.
func (e entry) content(d *oodle.Decoder, count *int) ([]byte, error) {
	var all []byte
	for i, b := range e.blocks {
		if !b.oodle {
			all = append(all, b.src[:b.size]...)
			continue
		}
		dst := make([]byte, b.size)
		if n, err := d.Decode(dst, b.src); err != nil || n != b.size {
			return nil, fmt.Errorf("%s block %d: %d of %d: %w", e.id, i, n, b.size, err)
		}
		all = append(all, dst...)
		*count++
	}
	return all, nil
}

// cursor reads little-endian fields.
type cursor struct {
	p   []byte
	off int
}

func (c *cursor) bytes(n int) []byte { c.off += n; return c.p[c.off-n : c.off] }
func (c *cursor) u32() int           { return int(binary.LittleEndian.Uint32(c.bytes(4))) }
func (c *cursor) u64() int           { return int(binary.LittleEndian.Uint64(c.bytes(8))) }

// ioStore lists the chunks of base.utoc and base.ucas.
func ioStore(tb testing.TB, base string) []entry {
	toc, cas := readFile(tb, base+".utoc"), readFile(tb, base+".ucas")
	c := &cursor{p: toc, off: 16}
	if version := c.bytes(4)[0]; string(toc[:16]) != "-==--==--==--==-" || version != 8 {
		tb.Fatalf("%s: not a version 8 TOC", base)
	}
	headerSize, entries, blocks := c.u32(), c.u32(), c.u32()
	c.off += 4
	methods, methodLen, blockSize, dirSize := c.u32(), c.u32(), c.u32(), c.u32()
	c.off += 4 + 8 + 16 + 4
	seeds := c.u32()
	c.off += 8
	overflow := c.u32()
	c.off = headerSize
	ids := c.bytes(12 * entries)
	spans := &cursor{p: c.bytes(10 * entries)}
	c.off += 4 * (seeds + overflow)
	table := c.bytes(12 * blocks)
	names := c.bytes(methods * methodLen)
	c.off += dirSize
	metas := c.bytes(24 * entries)
	if c.off != len(toc) {
		tb.Fatalf("%s: TOC ends at %d, not %d", base, c.off, len(toc))
	}
	var all []entry
	for i := range entries {
		e := entry{id: fmt.Sprintf("%x", ids[12*i:12*i+12]), sum: metas[24*i : 24*i+20]}
		offset, length := be40(spans.bytes(5)), be40(spans.bytes(5))
		e.place = offset
		for j := offset / blockSize; length > 0; j++ {
			v := table[12*j : 12*j+12]
			at := int(binary.LittleEndian.Uint64(v) & (1<<40 - 1))
			stored := int(v[5]) | int(v[6])<<8 | int(v[7])<<16
			size := int(v[8]) | int(v[9])<<8 | int(v[10])<<16
			b := block{src: cas[at : at+stored], size: size}
			if m := int(v[11]); m > 0 {
				name := names[(m-1)*methodLen : m*methodLen]
				b.oodle = bytes.HasPrefix(name, []byte("Oodle\x00"))
				if !b.oodle {
					tb.Fatalf("%s: method %q", base, name)
				}
			}
			e.blocks = append(e.blocks, b)
			length -= size
		}
		all = append(all, e)
	}
	return all
}

func be40(p []byte) int { return int(uint64(p[0])<<32 | uint64(binary.BigEndian.Uint32(p[1:]))) }

// pakKey is the AES key of the encrypted samples.
const pakKey = "CUE4ParseFixtureAESKey0123456789"

func decrypt(tb testing.TB, p []byte) []byte {
	c, err := aes.NewCipher([]byte(pakKey))
	if err != nil {
		tb.Fatal(err)
	}
	out := make([]byte, len(p))
	for i := 0; i < len(p); i += 16 {
		c.Decrypt(out[i:], p[i:])
	}
	return out
}

// pak lists the files of a version 12 pak. Their order is that of the encoded entries.
func pak(tb testing.TB, path string) []entry {
	file := readFile(tb, path)
	foot := &cursor{p: file[len(file)-221:]}
	foot.off = 16
	encrypted := foot.bytes(1)[0] != 0
	if foot.u32() != 0x5A6F12E1 || foot.u32() != 12 {
		tb.Fatalf("%s: not a version 12 pak", path)
	}
	region := func(off, size int) *cursor {
		p := file[off : off+size]
		if encrypted {
			p = decrypt(tb, p)
		}
		return &cursor{p: p}
	}
	off, size := foot.u64(), foot.u64()
	foot.off += 20
	methods := foot.bytes(5 * 32)
	index := region(off, size)
	index.bytes(index.u32()) // mount point
	count := index.u32()
	index.off += 8
	for range 2 { // path hashes, full directory
		if index.u32() == 0 {
			tb.Fatalf("%s: no full directory", path)
		}
		off, size = index.u64(), index.u64()
		index.off += 20
	}
	encoded := index.bytes(index.u32())
	dirs := region(off, size)
	var all []entry
	for range dirs.u32() {
		dir := dirs.bytes(dirs.u32())
		for range dirs.u32() {
			name := dirs.bytes(dirs.u32())
			at := dirs.u32()
			e := pakEntry(tb, file, &cursor{p: encoded, off: at}, methods)
			e.id = string(dir[:len(dir)-1]) + string(name)
			all = append(all, e)
		}
	}
	if len(all) != count {
		tb.Fatalf("%s: %d files, want %d", path, len(all), count)
	}
	return all
}

func pakEntry(tb testing.TB, file []byte, c *cursor, methods []byte) entry {
	bits := c.u32()
	blockSize := bits & 0x3F << 11
	if bits&0x3F == 0x3F {
		blockSize = c.u32()
	}
	field := func(bit int) int {
		if bits>>bit&1 != 0 {
			return c.u32()
		}
		return c.u64()
	}
	offset, raw := field(31), field(30)
	method, crypt, count := bits>>23&63, bits>>22&1 != 0, bits>>6&0xFFFF
	if method == 0 {
		src := file[offset+53:]
		if crypt {
			src = decrypt(tb, src[:(raw+15)&^15])
		}
		return entry{place: offset, blocks: []block{{src: src[:raw], size: raw}}}
	}
	if name := methods[32*(method-1):]; !bytes.HasPrefix(name, []byte("Oodle\x00")) {
		tb.Fatalf("method %q", name[:32])
	}
	e := entry{place: offset}
	stored := field(29)
	at := offset + 53 + 4 + 16*count
	for i := range count {
		n := stored
		if count > 1 || crypt {
			n = c.u32()
		}
		b := block{src: file[at : at+n], size: raw, oodle: true}
		if count > 1 {
			b.size = min(blockSize, raw-i*blockSize)
		}
		if crypt {
			padded := (n + 15) &^ 15
			b.src = decrypt(tb, file[at:at+padded])[:n]
			n = padded
		}
		at += n
		e.blocks = append(e.blocks, b)
	}
	return e
}

// twins are the samples with Oodle blocks and the same content without.
var twins = []struct {
	oodle, plain string
	list         func(testing.TB, string) []entry
}{
	{"iostore/cue4parse-ue5.8/Oodle/CUE4ParseFixtures-Minimal-Oodle-Windows",
		"iostore/cue4parse-ue5.8/Uncompressed/CUE4ParseFixtures-Minimal-Uncompressed-Windows", ioStore},
	{"unreal-pak/cue4parse-ue5.8/Pak/Oodle/CUE4ParseFixtures-Minimal-Oodle.pak",
		"unreal-pak/cue4parse-ue5.8/Pak/Uncompressed/CUE4ParseFixtures-Minimal-Uncompressed.pak", pak},
	{"unreal-pak/cue4parse-ue5.8/LegacyPak/Tagged/Oodle/CUE4ParseFixtures-Legacy-Tagged-Oodle.pak",
		"unreal-pak/cue4parse-ue5.8/LegacyPak/Tagged/Uncompressed/CUE4ParseFixtures-Legacy-Tagged-Uncompressed.pak", pak},
	{"unreal-pak/cue4parse-ue5.8/LegacyPak/Tagged/OodleEncrypted/CUE4ParseFixtures-Legacy-Tagged-OodleEncrypted.pak",
		"unreal-pak/cue4parse-ue5.8/LegacyPak/Tagged/Uncompressed/CUE4ParseFixtures-Legacy-Tagged-Uncompressed.pak", pak},
}

// TestSamples decodes every Oodle block of the samples and compares with the twin and with the TOC's hash.
func TestSamples(t *testing.T) {
	dir := sampleDir(t, "")
	for _, tw := range twins {
		t.Run(filepath.Base(tw.oodle), func(t *testing.T) {
			plain := map[string][]byte{}
			var d oodle.Decoder
			for _, e := range tw.list(t, filepath.Join(dir, tw.plain)) {
				p, err := e.content(&d, new(int))
				if err != nil {
					t.Fatal(err)
				}
				plain[e.id] = p
			}
			blocks, same, hashed, size := 0, 0, 0, 0
			for _, e := range tw.list(t, filepath.Join(dir, tw.oodle)) {
				p, err := e.content(&d, &blocks)
				if err != nil {
					t.Error(err)
					continue
				}
				size += len(p)
				if want, ok := plain[e.id]; ok {
					if !bytes.Equal(p, want) {
						t.Errorf("%s: differs from its twin", e.id)
					}
					same++
				}
				if e.sum != nil {
					if sum := blake3.Sum256(p); !bytes.Equal(sum[:20], e.sum) {
						t.Errorf("%s: BLAKE3 %x, want %x", e.id, sum[:20], e.sum)
					}
					hashed++
				}
			}
			t.Logf("%d Oodle blocks, %d bytes; %d entries equal their twins, %d their hashes", blocks, size, same, hashed)
			if blocks == 0 || same == 0 {
				t.Error("nothing compared")
			}
		})
	}
}

// oodleBlocks returns the Oodle blocks of all samples, or skips.
func oodleBlocks(tb testing.TB) []block {
	dir := sampleDir(tb, "")
	var all []block
	for _, tw := range twins {
		for _, e := range tw.list(tb, filepath.Join(dir, tw.oodle)) {
			for _, b := range e.blocks {
				if b.oodle {
					all = append(all, b)
				}
			}
		}
	}
	if len(all) == 0 {
		tb.Fatal(errors.New("no Oodle blocks in the samples"))
	}
	return all
}
