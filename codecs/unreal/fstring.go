package unreal

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"

	"pakdb/codecs/internal/latin1"
	"pakdb/codecs/internal/spool"
	"pakdb/internal/bin"
)

// Text is a stored string that has not been decoded yet. It aliases the data
// that it was read from, so that a table can be walked without allocating.
type Text struct {
	Bytes []byte // without the terminating NUL
	Wide  bool   // UTF-16LE, else 8-bit
	Bare  bool   // the terminating NUL that the format wants is missing
}

// FString reads an FString: i32 n; n > 0 is n bytes including a NUL, n < 0 is
// -n UTF-16LE units including a NUL, 0 is the empty string. Failures are the
// reader's.
func FString(r *bin.Reader) Text {
	n := int64(r.I32())
	if n < 0 {
		return wideText(r.Bytes(2 * r.CheckCount(-n, 2)))
	}
	b := r.Bytes(r.CheckCount(n, 1))
	if len(b) == 0 || b[len(b)-1] != 0 {
		return Text{Bytes: b, Bare: len(b) > 0}
	}
	return Text{Bytes: b[:len(b)-1]}
}

func wideText(b []byte) Text {
	if n := len(b); n >= 2 && b[n-1] == 0 && b[n-2] == 0 {
		return Text{Bytes: b[:n-2], Wide: true}
	}
	return Text{Bytes: b, Wide: true, Bare: len(b) > 0}
}

// Utf8String reads an FUtf8String: i32 n and n bytes of UTF-8 without a NUL.
func Utf8String(r *bin.Reader) Text {
	return Text{Bytes: r.Bytes(r.Count(1))}
}

// Name reads the name of a file in a directory index, an FString or FUtf8String.
func Name(r *bin.Reader, bytes8 bool) Text {
	if bytes8 {
		return Utf8String(r)
	}
	return FString(r)
}

// NameAt is [Name] at a position at which there is one. What cannot be read is nothing,
// and the region has the error.
func NameAt(g *spool.Region, pos uint32, bytes8 bool) Text {
	b, err := g.At(int64(pos), 4)
	if err != nil {
		return Text{}
	}
	n := int64(int32(binary.LittleEndian.Uint32(b)))
	if b, err = g.At(int64(pos), 4+max(n, -2*n)); err != nil {
		return Text{}
	}
	return Name(bin.NewReader(b, 0, binary.LittleEndian), bytes8)
}

// String decodes t. 8-bit text that is valid UTF-8 is taken as such, and as
// Latin-1 otherwise: no file at hand settles which one the engine means.
// Unpaired surrogates become U+FFFD. The result is always valid UTF-8.
func (t Text) String() string {
	switch {
	case t.Wide:
		return string(utf16.Decode(units(t.Bytes)))
	case utf8.Valid(t.Bytes):
		return string(t.Bytes)
	}
	return latin1.Decode(t.Bytes)
}

// Plain reports whether t decodes to its own bytes, as nearly every path does.
func (t Text) Plain() bool { return !t.Wide && utf8.Valid(t.Bytes) }

func units(b []byte) []uint16 {
	u := make([]uint16, len(b)/2)
	for i := range u {
		u[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return u
}

// AppendFString appends s as the engine writes it: 8-bit when it is ASCII,
// UTF-16LE otherwise, and a bare 0 when it is empty.
func AppendFString(dst []byte, s string) []byte {
	if s == "" {
		return binary.LittleEndian.AppendUint32(dst, 0)
	}
	if ascii(s) {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(len(s)+1))
		return append(append(dst, s...), 0)
	}
	u := utf16.Encode([]rune(s))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(-(len(u) + 1)))
	for _, c := range u {
		dst = binary.LittleEndian.AppendUint16(dst, c)
	}
	return append(dst, 0, 0)
}

// AppendUtf8String appends s as an FUtf8String.
func AppendUtf8String(dst []byte, s string) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(s)))
	return append(dst, s...)
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
