package unrealpak_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/unrealpak"
)

// Versions that nothing here writes are built by hand, from their description
// and not by the package under test.

var le = binary.LittleEndian

func u32(b []byte, v ...int) []byte {
	for _, x := range v {
		b = le.AppendUint32(b, uint32(x))
	}
	return b
}

func u64(b []byte, v ...int) []byte {
	for _, x := range v {
		b = le.AppendUint64(b, uint64(x))
	}
	return b
}

func fstring(b []byte, s string) []byte { return append(append(u32(b, len(s)+1), s...), 0) }

func deflate(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Versions 1 and 2: no blocks, version 1 with a time.
func TestFirstVersions(t *testing.T) {
	text := []byte(strings.Repeat("old ", 100))
	for _, version := range []int{1, 2} {
		packed := deflate(t, text)
		record := func(offset int, stored []byte, size, method int) []byte {
			b := u32(u64(nil, offset, len(stored), size), method)
			if version == 1 {
				b = u64(b, 635_000_000_000_000_000)
			}
			sum := sha1.Sum(stored)
			return append(b, sum[:]...)
		}
		pak := append(record(0, packed, len(text), 1), packed...)
		second := len(pak)
		pak = append(append(pak, record(0, text, len(text), 0)...), text...)
		index := u32(fstring(nil, "../../../"), 2)
		index = append(fstring(index, "a/packed.txt"), record(0, packed, len(text), 1)...)
		index = append(fstring(index, "plain.txt"), record(second, text, len(text), 0)...)
		pak = appendFooter(pak, index, version, nil)

		a := codecstest.Open(t, unrealpak.Format(), codecstest.Bytes("old.pak", pak), nil)
		noProblems(t, a)
		for _, it := range codecstest.Items(t, a) {
			if !bytes.Equal(it.Data, text) || it.Entry.Sum.Kind != codecs.SHA1Stored || it.Entry.Mod.IsZero() != (version == 2) {
				t.Errorf("version %d: %+v", version, it.Entry)
			}
			if version == 1 && it.Entry.Mod.Format("2006-01-02") != "2013-03-27" {
				t.Errorf("time %v", it.Entry.Mod)
			}
		}
		if _, err := unrealpak.Format().Like(a); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("Like of version %d: %v", version, err)
		}
	}
}

func appendFooter(pak, index []byte, version int, after []byte) []byte {
	sum := sha1.Sum(index)
	offset := len(pak)
	pak = append(pak, index...)
	pak = u64(u32(pak, 0x5A6F12E1, version), offset, len(index))
	return append(append(pak, sum[:]...), after...)
}

// modern builds versions 13 to 15 with a flat directory. ctr encrypts the
// index and every payload with AES-CTR.
type modern struct {
	version int
	ctr     bool
	block   cipher.Block
	blob    []byte // encoded entries
	pak     []byte
	at      []int // locations
}

func (m *modern) iv(n byte) []byte { return bytes.Repeat([]byte{n}, 12) }

func (m *modern) crypt(unit []byte, iv []byte) []byte {
	if !m.ctr {
		return unit
	}
	unit = append(bytes.Clone(unit), make([]byte, (16-len(unit)%16)%16)...)
	cipher.NewCTR(m.block, append(bytes.Clone(iv), 0, 0, 0, 0)).XORKeyStream(unit, unit)
	return unit
}

func (m *modern) flag() int {
	if m.ctr {
		return 1 << 22
	}
	return 0
}

// stored adds a stored entry.
func (m *modern) stored(data []byte) {
	m.at = append(m.at, len(m.blob))
	m.blob = u32(m.blob, 7<<29|m.flag(), len(m.pak), len(data))
	iv := m.iv(byte(len(m.at)))
	if m.ctr {
		m.blob = append(m.blob, iv...)
	}
	payload := m.crypt(data, iv)
	sum := sha1.Sum(payload[:len(data)])
	m.pak = append(u32(u64(m.pak, 0, len(data), len(data)), 0), sum[:]...)
	m.pak = append(append(m.pak, byte(m.flag()>>22), 0, 0, 0, 0), payload...)
}

// packed adds an entry of zlib blocks of 2 KiB.
func (m *modern) packed(t testing.TB, data []byte) {
	var payload []byte
	var lengths, spans []int
	n := (len(data) + 2047) / 2048
	pos := 53 + 4 + 16*n
	for rest := data; len(rest) > 0; rest = rest[min(2048, len(rest)):] {
		block := deflate(t, rest[:min(2048, len(rest))])
		lengths = append(lengths, len(block))
		spans = append(spans, pos, pos+len(block))
		if m.ctr {
			block = append(block, make([]byte, (16-len(block)%16)%16)...)
		}
		payload = append(payload, block...)
		pos += len(block)
	}
	m.at = append(m.at, len(m.blob))
	iv := m.iv(byte(len(m.at)))
	m.blob = u32(m.blob, 7<<29|1<<23|m.flag()|n<<6|1, len(m.pak), len(data))
	if m.ctr {
		m.blob = append(m.blob, iv...)
	}
	m.blob = u32(u32(m.blob, len(payload)), lengths...)
	payload = m.crypt(payload, iv)
	sum := sha1.Sum(payload)
	m.pak = append(u32(u64(m.pak, 0, len(payload), len(data)), 1), sum[:]...)
	m.pak = append(u64(u32(m.pak, n), spans...), byte(m.flag()>>22))
	m.pak = append(u32(m.pak, 2048), payload...)
}

// finish adds the index for three files, "Game/a.txt", "Game/Maps/b.umap" and
// the delete record "Game/Maps/gone.txt".
func (m *modern) finish() []byte {
	flat := u32(nil, 0x50464451, 2, 3, 16, 8+5+8+5, len("a.txtb.umapgone.txt"), 3, 0)
	hashes := map[string]int{"game/a.txt": m.at[0], "game/maps/b.umap": m.at[1], "game/maps/gone.txt": -1 << 31}
	names := []string{"game/a.txt", "game/maps/b.umap", "game/maps/gone.txt"}
	for _, n := range names {
		flat = u64(flat, int(fnv(n)))
	}
	for _, n := range names {
		flat = u32(flat, hashes[n])
	}
	flat = u32(flat, 0, 26)                       // anchors
	flat = u32(flat, 0, 1, 3)                     // first files
	flat = u32(flat, 0, 5, 11, 19)                // name offsets
	flat = u32(flat, m.at[0], m.at[1], -1<<31)    // locations
	flat = append(u32(flat, 0, 5), "Game/"...)    // directories
	flat = append(u32(flat, 5, 5), "Maps/"...)    //
	flat = append(flat, "a.txtb.umapgone.txt"...) // files
	primary := func(dirOff, dirSize int, sum [20]byte) []byte {
		b := u32(u64(u32(fstring(nil, "../../../"), 3), 0), 0, 1)
		b = append(u64(b, dirOff, dirSize), sum[:]...)
		b = append(u32(b, len(m.blob)), m.blob...)
		return u32(b, 0)
	}
	pad := func(b []byte) []byte {
		if m.ctr {
			b = append(b, make([]byte, (16-len(b)%16)%16)...)
		}
		return b
	}
	flat = pad(flat)
	start := len(m.pak)
	size := len(pad(primary(0, 0, [20]byte{})))
	index := pad(primary(start+size, len(flat), sha1.Sum(flat)))
	sum := sha1.Sum(index)
	m.pak = append(m.pak, m.crypt(index, m.iv(101))...)
	m.pak = append(m.pak, m.crypt(flat, m.iv(103))...)
	m.pak = append(m.pak, make([]byte, 16)...)
	m.pak = append(m.pak, byte(m.flag()>>22))
	m.pak = u64(u32(m.pak, 0x5A6F12E1, m.version), start, size)
	m.pak = append(m.pak, sum[:]...)
	m.pak = append(append(m.pak, "Zlib"...), make([]byte, 160-4)...)
	if m.version >= 14 {
		m.pak = u32(m.pak, 7)
	}
	if m.version >= 15 {
		m.pak = append(m.pak, byte(1+m.flag()>>22))
		for _, n := range []byte{101, 102, 103} {
			m.pak = append(m.pak, m.iv(n)...)
		}
	}
	return m.pak
}

func fnv(ascii string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for _, c := range []byte(ascii) {
		h = (h ^ uint64(c)) * 0x100000001b3
		h *= 0x100000001b3
	}
	return h
}

func buildModern(t testing.TB, version int, ctr bool) []byte {
	t.Helper()
	block, err := aes.NewCipher([]byte(cueKey))
	if err != nil {
		t.Fatal(err)
	}
	m := &modern{version: version, ctr: ctr, block: block}
	m.stored([]byte("plain text, 21 bytes."))
	m.packed(t, bytes.Repeat([]byte("0123456789abcdef!"), 700))
	return m.finish()
}

func TestModernVersions(t *testing.T) {
	for _, tt := range []struct {
		version int
		ctr     bool
	}{{13, false}, {14, false}, {15, false}, {15, true}} {
		pak := buildModern(t, tt.version, tt.ctr)
		a := codecstest.Open(t, unrealpak.Format(), codecstest.Bytes("pakchunk3-x.pak", pak), keyed(t, cueKey))
		noProblems(t, a)
		want := map[string]string{"Game/a.txt": "plain text, 21 bytes.", "Game/Maps/b.umap": strings.Repeat("0123456789abcdef!", 700)}
		n := 0
		for e, err := range a.Entries() {
			if err != nil {
				t.Fatal(err)
			}
			n++
			if e.PathHash != codecs.ID64(fnv(strings.ToLower(e.Name))) {
				t.Errorf("%s: path hash %v", e.Name, e.PathHash)
			}
			if e.Flags&codecs.Deleted != 0 {
				if e.Name != "Game/Maps/gone.txt" || e.Ordinal != 2 {
					t.Errorf("%+v", e)
				}
				continue
			}
			if data, err := codecstest.ReadEntry(context.Background(), a, e); err != nil || string(data) != want[e.Name] {
				t.Errorf("version %d ctr %v: %s: %v", tt.version, tt.ctr, e.Name, err)
			}
		}
		if n != 3 || len(a.Info().Warnings) > 0 {
			t.Errorf("%d entries, %v", n, a.Info().Warnings)
		}
		chunk := ""
		for _, d := range a.Info().Details {
			if d.Name == "chunk" {
				chunk = d.Value
			}
		}
		if wantChunk := map[bool]string{true: "7", false: "3"}[tt.version >= 14]; chunk != wantChunk {
			t.Errorf("version %d: chunk %s", tt.version, chunk)
		}
		codecstest.Contract(t, unrealpak.Format(), codecstest.Bytes("m.pak", pak), codecstest.ContractOptions{Open: keyed(t, cueKey)})
		coverAll(t, pak)
	}
}

// coverAll is codecstest.ByteCoverage for a pak with a delete record.
func coverAll(t *testing.T, pak []byte) {
	t.Helper()
	c := codecstest.NewCoverage(codecstest.Bytes("m.pak", pak))
	a := codecstest.Open(t, unrealpak.Format(), c.Source(), keyed(t, cueKey))
	for e := range a.Entries() {
		if e.Flags&codecs.Deleted == 0 {
			if _, err := codecstest.ReadEntry(context.Background(), a, e); err != nil {
				t.Error(err)
			}
		}
	}
	if gaps := c.Unread(); len(gaps) > 0 {
		t.Errorf("never read: %v", gaps)
	}
}

// A pak with path hashes alone lists entries without names.
func TestPathHashesOnly(t *testing.T) {
	items := files()[:3]
	b := codecstest.Write(t, unrealpak.Format(), &codecs.CreateOptions{MountPoint: "../../../"}, items)
	index := bytes.LastIndex(b, fstring(nil, "../../../"))
	hasDir := index + 14 + 4 + 8 + 4 + 36
	le.PutUint32(b[hasDir:], 0)
	// Without the region's place the rest moves up by its 36 bytes.
	footer := len(b) - 221
	size := int(le.Uint64(b[footer+17+16:]))
	cut := append(bytes.Clone(b[index:hasDir+4]), b[hasDir+4+36:index+size]...)
	pak := append(bytes.Clone(b[:index]), cut...)
	pak = append(pak, make([]byte, 36)...)
	pak = append(pak, b[index+size:]...)
	le.PutUint64(pak[footer+17+16:], uint64(len(cut)))
	sum := sha1.Sum(cut)
	copy(pak[footer+17+24:], sum[:])

	a := codecstest.Open(t, unrealpak.Format(), codecstest.Bytes("nameless.pak", pak), nil)
	got := codecstest.Items(t, a)
	if len(got) != len(items) {
		t.Fatalf("%d entries", len(got))
	}
	for i, it := range got {
		if it.Entry.Name != "" || it.Entry.PathHash != codecs.ID64(fnv(strings.ToLower(items[i].Entry.Name))) || !bytes.Equal(it.Data, items[i].Data) {
			t.Errorf("%+v", it.Entry)
		}
	}
}
