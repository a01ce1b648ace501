package retropak

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"pakdb/codecs"
	"pakdb/internal/bin"
)

// entryName is TYPE/ID: the type as stored and the id in lower-case hex, 8, 16
// or 32 digits wide, as in "TXTR/00000000deadbeef". Copies of an entry share
// it. It does not hold the names of the resource: an id may have several, they
// come and go between builds, and the path of an asset that did not change must
// not change either. [codecs.Namer] gives them.
func entryName(fourCC [4]byte, id codecs.ID) string {
	var bits [16]byte
	binary.BigEndian.PutUint64(bits[:8], id.Hi)
	binary.BigEndian.PutUint64(bits[8:], id.Lo)
	b := append(appendType(make([]byte, 0, 48), fourCC), '/')
	return string(hex.AppendEncode(b, bits[16-id.Bits/8:]))
}

func appendType(b []byte, fourCC [4]byte) []byte {
	for _, c := range fourCC {
		if plain(c) {
			b = append(b, c)
		} else {
			b = fmt.Appendf(b, "%%%02X", c)
		}
	}
	return b
}

// plain bytes are themselves in a name; others are written %XX, so that
// no type makes an unsafe path and no two types the same one.
func plain(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '_' || c == '-'
}

// typeName is a fourCC as text: as stored where that is printable ASCII, as in
// a name otherwise.
func typeName(fourCC [4]byte) string {
	if printable(fourCC) {
		return string(fourCC[:])
	}
	return string(appendType(nil, fourCC))
}

// printable recognises a plausible type. Every type seen in a real pak is upper-case
// letters, digits and space; readers of hacked paks meet others.
func printable(fourCC [4]byte) bool {
	for _, c := range fourCC {
		if c < 0x20 || c > 0x7e {
			return false
		}
	}
	return true
}

// identify returns the type and id that e is to be stored under: its fields,
// or what its name says where they are empty.
func identify(e *codecs.Entry, l layout) (fourCC [4]byte, id uint64, err error) {
	typ, key, parsed := e.Type, e.ID, false
	if typ == "" && key.IsZero() {
		if typ, key, err = parseName(e.Name, l); err != nil {
			return fourCC, 0, err
		}
		parsed = true
	}
	if copy(fourCC[:], typ); len(typ) != 4 || !printable(fourCC) {
		return fourCC, 0, codecs.Errorf(codecs.ErrName, "type %q is not four printable bytes", typ)
	}
	if int(key.Bits) != 8*l.idBytes {
		return fourCC, 0, codecs.Errorf(codecs.ErrName, "id %q has %d bits, this version has %d", key, key.Bits, 8*l.idBytes)
	}
	if want := entryName(fourCC, key); !parsed && e.Name != "" && e.Name != want {
		return fourCC, 0, codecs.Errorf(codecs.ErrName, "type and id make the name %q", want)
	}
	return fourCC, key.Lo, nil
}

// parseName reads TYPE/ID. What follows the id after a dot or a tilde is not
// part of it: extracted files are called by their resource's name as well, and
// copies are counted.
func parseName(name string, l layout) (string, codecs.ID, error) {
	typ, hex, _ := strings.Cut(name, "/")
	if i := strings.IndexAny(hex, ".~"); i >= 0 {
		hex = hex[:i]
	}
	v, err := strconv.ParseUint(hex, 16, 64)
	if err != nil || len(hex) != 2*l.idBytes {
		return "", codecs.ID{}, codecs.Errorf(codecs.ErrName, "not TYPE/ID with an id of %d hex digits", 2*l.idBytes)
	}
	return unescape(typ), l.id(v), nil
}

func unescape(typ string) string {
	for i := 0; i+3 <= len(typ); i++ {
		if c, err := strconv.ParseUint(typ[i+1:i+3], 16, 8); typ[i] == '%' && err == nil {
			typ = typ[:i] + string([]byte{byte(c)}) + typ[i+3:]
		}
	}
	return typ
}

// named is one named resource as stored.
type named struct {
	name   []byte
	fourCC [4]byte
	id     uint64
	at     int64 // offset of the record
}

// readNamed reads the next named resource. Metroid Prime 1 and 2 store type,
// id, length and name; Metroid Prime 3 name, NUL, type and id.
func (l layout) readNamed(r *bin.Reader, maxName int) (n named, err error) {
	n.at = r.Off()
	if l.cmpd {
		n.name = r.CString()
	}
	copy(n.fourCC[:], r.Bytes(4))
	n.id = l.readID(r)
	if !l.cmpd {
		off, size := r.Off(), int64(r.U32())
		if size > int64(maxName) && r.Err() == nil {
			return n, &bin.Error{Off: off, Need: size, Have: int64(maxName), Err: bin.ErrLimit}
		}
		n.name = r.Bytes(int(size))
	}
	return n, r.Err()
}

func (l layout) appendNamed(b []byte, n named) []byte {
	if l.cmpd {
		b = append(append(b, n.name...), 0)
	}
	b = l.appendID(append(b, n.fourCC[:]...), n.id)
	if !l.cmpd {
		b = binary.BigEndian.AppendUint32(b, uint32(len(n.name)))
		b = append(b, n.name...)
	}
	return b
}

func (l layout) appendID(b []byte, id uint64) []byte {
	if l.idBytes == 4 {
		return binary.BigEndian.AppendUint32(b, uint32(id))
	}
	return binary.BigEndian.AppendUint64(b, id)
}

// Named yields the named resources in stored order. Names are the bytes of the
// pak; real ones are UTF-8.
func (a *archive) Named() iter.Seq2[codecs.NamedResource, error] {
	return func(yield func(codecs.NamedResource, error) bool) {
		i := 0
		for n, err := range a.names() {
			res := codecs.NamedResource{Ordinal: i, Name: string(n.name), Type: typeName(n.fourCC), ID: a.id(n.id)}
			if !yield(res, err) {
				return
			}
			i++
		}
	}
}

// names yields the named resources as stored. After an error there are none.
func (a *archive) names() iter.Seq2[named, error] {
	return func(yield func(named, error) bool) {
		r := bin.NewReader(a.named.bytes, a.named.at, binary.BigEndian)
		for range a.named.n {
			n, err := a.readNamed(r, a.opts.Limits.Name)
			if err != nil {
				yield(named{at: n.at}, a.fail("", "named resource", n.at, err))
				return
			}
			if !yield(n, nil) {
				return
			}
		}
	}
}

// namedFrom is the reverse, for writing.
func (l layout) namedFrom(res codecs.NamedResource) (named, error) {
	fourCC, id, err := identify(&codecs.Entry{Type: res.Type, ID: res.ID}, l)
	if err != nil {
		return named{}, err
	}
	n := named{name: []byte(res.Name), fourCC: fourCC, id: id}
	if l.cmpd && bytes.IndexByte(n.name, 0) >= 0 {
		return named{}, codecs.Errorf(codecs.ErrName, "holds a NUL, which ends names in this version")
	}
	return n, nil
}
