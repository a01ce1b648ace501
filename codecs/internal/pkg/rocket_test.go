package pkg_test

import (
	"bytes"
	"crypto/aes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/compress"
)

// Rocket League compresses all exports as one chunk, lists it at the end of the
// header, puts garbage behind that and encrypts the header from the names on.
// Offsets of exports and of chunks have 8 bytes from licensee 22 on.

func (e *emitter) offset(v int) {
	if e.rocket == 8 {
		e.out = e.order.AppendUint64(e.out, uint64(v))
		return
	}
	e.i32(v)
}

func (e *emitter) hiddenTable() {
	e.next.hidden = len(e.out)
	e.i32(1)
	e.offset(e.at.data)
	e.i32(e.at.size - e.at.data)
	e.offset(e.at.data) // where the compressed file has it: behind the header too
	e.i32(len(e.packedObjects))
	for i := range e.garbage {
		e.out = append(e.out, byte(i))
	}
}

// rocketLeague builds the four states of one package: as the game ships it, its
// header decrypted, that and decompressed, and decompressed with its flags told
// so.
func rocketLeague(t testing.TB, licensee, offset int) (b *build, shipped, header, whole, plain []byte) {
	t.Helper()
	b = made()
	b.licensee, b.rocket, b.garbage, b.engine = licensee, offset, 21, 10897
	b.packedObjects = packChunk(t, b.order, compress.Zlib, slices.Concat(b.data...), 0x1000)
	plain = b.bytes(t)
	end := len(plain) - len(slices.Concat(b.data...))
	b.compression = 1
	var at places
	for range 8 {
		e := &emitter{build: b, at: at}
		e.emit()
		at, whole = e.next, e.out
	}
	header = slices.Concat(whole[:end], b.packedObjects)
	b.compression = 0
	shipped = bytes.Clone(header)
	block, err := aes.NewCipher(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	for i := at.names; i < end-b.garbage; i += 16 { // the last one may reach into the garbage
		block.Encrypt(shipped[i:], shipped[i:])
	}
	return b, shipped, header, whole, plain
}

// Packages of Rocket League that someone decrypted read as what they are.
func TestRocketLeague(t *testing.T) {
	for _, c := range []struct{ licensee, offset int }{{18, 4}, {22, 8}, {32, 8}} {
		t.Run(fmt.Sprint(c.licensee), func(t *testing.T) {
			b, shipped, header, whole, plain := rocketLeague(t, c.licensee, c.offset)
			for i, raw := range [][]byte{header, whole, plain} {
				got := mustRead(t, raw)
				sameContent(t, got, b)
				equal(t, "layout", got.Layout, "Rocket League")
				equal(t, "compression", got.Compression, []string{"zlib", "", ""}[i])
			}
			got := mustRead(t, shipped)
			equal(t, "layout", got.Layout, "Rocket League")
			equal(t, "guid", got.GUID, b.guid)
			equal(t, "engine", got.EngineVersion, "10897")
			equal(t, "cooker", got.CookerVersion, 17)
			equal(t, "counts", [3]int{got.NameCount, got.ImportCount, got.ExportCount}, [3]int{len(b.names), len(b.imports), len(b.exports)})
			equal(t, "header size", got.HeaderSize, int64(binary.LittleEndian.Uint32(shipped[8:])))
			equal(t, "tables", len(got.Names)+len(got.Imports)+len(got.Exports), 0)
			equal(t, "compression", got.Compression, "zlib")
			if len(got.Problems) != 1 || !errors.Is(got.Problems[0], errors.ErrUnsupported) || got.Problems[0].Field != "names" ||
				got.Problems[0].Off != got.Summary.Names.Offset || errors.Is(got.Problems[0], codecs.ErrEncrypted) {
				t.Errorf("problems %v", got.Problems)
			}
		})
	}
}

// A decrypted package that is damaged is not called encrypted.
func TestRocketLeagueDamaged(t *testing.T) {
	_, _, _, whole, _ := rocketLeague(t, 32, 8)
	names := mustRead(t, whole).Summary.Names.Offset
	for name, raw := range map[string][]byte{
		"names cut":   whole[:names+40],
		"summary cut": whole[:70],
		"a bad name":  put(whole, int(names)+17, 0x7FFFFFFF),
	} {
		got := mustRead(t, raw)
		if len(got.Problems) == 0 {
			t.Errorf("%s: no problem", name)
		}
		for _, p := range got.Problems {
			if errors.Is(p, errors.ErrUnsupported) {
				t.Errorf("%s: %v", name, p)
			}
		}
	}
}
