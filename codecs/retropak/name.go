package retropak

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"pakdb/codecs"
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

// plain bytes stand for themselves in a name; others are written %XX, so that
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

// printable tells a plausible type. Every type seen in a real pak is upper-case
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

// parseName reads TYPE/ID. What follows the id behind a dot or a tilde is not
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
