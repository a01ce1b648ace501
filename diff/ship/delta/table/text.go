package table

import (
	"encoding/binary"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"pakdb/internal/bin"
)

// readText reads a string as Unreal Engine stores it: i32 n; n bytes with a NUL
// at the end, or -n units of UTF-16 with one. Bytes that are not UTF-8 count as
// Latin-1.
func readText(r *bin.Reader) string {
	n := int64(r.I32())
	if n >= 0 {
		b := r.Bytes(r.CheckCount(n, 1))
		if len(b) > 0 && b[len(b)-1] == 0 {
			b = b[:len(b)-1]
		}
		return narrow(b)
	}
	b := r.Bytes(2 * r.CheckCount(-n, 2))
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	if k := len(units); k > 0 && units[k-1] == 0 {
		units = units[:k-1]
	}
	return string(utf16.Decode(units))
}

func narrow(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	runes := make([]rune, len(b))
	for i, c := range b {
		runes[i] = rune(c)
	}
	return string(runes)
}

// appendText is the inverse of readText: ASCII in bytes, all else in UTF-16.
func appendText(b []byte, s string) []byte {
	if s == "" {
		return append(b, 0, 0, 0, 0)
	}
	if isASCII(s) {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(s)+1))
		return append(append(b, s...), 0)
	}
	units := utf16.Encode([]rune(s))
	b = binary.LittleEndian.AppendUint32(b, uint32(-int32(len(units)+1)))
	for _, u := range units {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return append(b, 0, 0)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// readBytes reads i32 n and n bytes: names of files from version 12 of paks on.
func readBytes(r *bin.Reader) string { return narrow(r.Bytes(r.Count(1))) }

func appendBytes(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
}

// The two numbers of FNV-1a with 64 bits.
const (
	fnvBasis = 0xcbf29ce484222325
	fnvPrime = 0x100000001b3
)

// pathHash is FNV-1a over the UTF-16 of a path in lower case.
func pathHash(path string, basis, prime uint64) uint64 {
	h := basis
	for _, u := range utf16.Encode([]rune(path)) {
		if l := unicode.ToLower(rune(u)); l <= 0xffff {
			u = uint16(l)
		}
		h = (h ^ uint64(u&0xff)) * prime
		h = (h ^ uint64(u>>8)) * prime
	}
	return h
}
