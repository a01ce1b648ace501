package pkg

import (
	"encoding/binary"
	"errors"
	"unicode/utf16"
	"unicode/utf8"

	"pakdb/codecs/internal/latin1"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

// maxText bounds names and strings, in characters. The engine's own limit for
// names is 1,024; strings of the summary and of the asset registry are longer,
// and none seen has come near this.
const (
	maxName = 1024
	maxText = 1 << 20
)

var errText = errors.New("text is longer than the engine allows")

// decoder reads the primitive types of a package. The index of UE1 and UE2 is
// a compact index, that of later generations an i32.
type decoder struct {
	bin.Reader
	l     *layout
	buf   []byte      // what the Reader walks
	place unreal.Span // of the last entry of an export table: its size and offset
	arena string      // the same bytes as a string, which texts are cut from; "" if not worth it
}

// useArena makes texts share one allocation.
func (d *decoder) useArena() { d.arena = string(d.buf) }

// index reads what the wiki calls INDEX.
func (d *decoder) index() int32 {
	if d.l.compact {
		return unreal.CompactIndex(&d.Reader)
	}
	return d.I32()
}

func (d *decoder) ref() unreal.ObjectRef { return unreal.ObjectRef(d.index()) }

// outer reads the reference that never is a compact index.
func (d *decoder) outer() unreal.ObjectRef {
	if d.l.outer16 {
		return unreal.ObjectRef(d.I16())
	}
	return unreal.ObjectRef(d.I32())
}

// name reads a reference to a name.
func (d *decoder) name() unreal.ObjectName {
	n := unreal.ObjectName{Index: d.index()}
	if bits := d.l.nameBits; bits > 0 {
		packed := uint32(n.Index)
		return unreal.ObjectName{Index: int32(packed & (1<<bits - 1)), Number: int32(packed >> bits)}
	}
	if d.l.number {
		n.Number = d.I32()
	}
	return n
}

// flags reads object flags of n bytes: 0, 4 or 8.
func (d *decoder) flags(n int) uint64 {
	switch n {
	case 4:
		return uint64(d.U32())
	case 8:
		return d.U64()
	}
	return 0
}

// fstring reads a length and that many characters: 8-bit when it is positive,
// UTF-16 when negative. The NUL at the end is counted, and need not be there.
func (d *decoder) fstring(limit int64) string {
	n := int64(d.index())
	wide := n < 0 || d.l.wideText
	if n < 0 {
		n = -n
	}
	if n > limit {
		d.Fail(errText)
		return ""
	}
	if wide {
		return utf16Text(d.Bytes(int(2*n)), d.Order())
	}
	return d.narrow(int(n))
}

// narrow reads n 8-bit characters with or without a NUL at the end. Games of
// the time meant CP1252, which differs from Latin-1 in 0x80 to 0x9F only.
func (d *decoder) narrow(n int) string {
	pos := d.Pos()
	b := d.Bytes(n)
	if len(b) > 0 && b[len(b)-1] == 0 {
		b = b[:len(b)-1]
	}
	if !ascii(b) {
		return latin1.Decode(b)
	}
	if d.arena != "" {
		return d.arena[pos : pos+len(b)]
	}
	return string(b)
}

// nameText reads the text of a name table's entry.
func (d *decoder) nameText() string {
	switch d.l.names {
	case cString:
		pos := d.Pos()
		b := d.CString()
		if len(b) > maxName {
			d.Fail(errText)
		}
		d.Seek(pos)
		text := d.narrow(len(b))
		d.Skip(1)
		return text
	case u8Text: // one byte more than the length says: the NUL
		return d.narrow(int(d.U8()) + 1)
	case u8Bare:
		return d.narrow(int(d.U8()))
	case u16Text:
		n := int(d.U16())
		if n > maxName {
			d.Fail(errText)
		}
		return d.narrow(n + 1)
	}
	return d.fstring(maxName)
}

// skipArray passes over a counted array of elements of n bytes.
func (d *decoder) skipArray(n int) {
	count := int64(d.index())
	if count < 0 || count > maxTable {
		d.CheckCount(count, n)
		return
	}
	d.Skip(int(count) * n)
}

func ascii(b []byte) bool {
	for len(b) >= 8 {
		if binary.LittleEndian.Uint64(b)&0x8080808080808080 != 0 {
			return false
		}
		b = b[8:]
	}
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// utf16Text decodes UTF-16 with or without a NUL at the end. A big-endian
// package may hold little-endian text (Mass Effect 3 on the Wii U).
func utf16Text(b []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(b)/2)
	if n := len(units); n > 0 && b[2*n-1] == 0 && b[2*n-2] == 0 {
		units = units[:n-1]
	}
	b = b[:2*len(units)]
	if order == binary.BigEndian && littleText(b) {
		order = binary.LittleEndian
	}
	for i := range units {
		units[i] = order.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}

// littleText reports text whose second bytes are mostly zero, and more often
// than the first: Latin letters, low byte first.
func littleText(b []byte) bool {
	var zero [2]int
	for i, c := range b {
		if c == 0 {
			zero[i&1]++
		}
	}
	return zero[1] > zero[0] && zero[1] > len(b)/4
}
