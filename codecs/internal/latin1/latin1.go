// Package latin1 reads and writes the names of archives that store one byte a
// character. No format of these says what bytes from 0x80 on mean. As Latin-1
// each byte is one character, so that different names stay different, and a name
// that is read and written again is the same.
package latin1

import (
	"unicode/utf8"

	"pakdb/codecs"
)

// Decode returns b as UTF-8. It cannot fail.
func Decode(b []byte) string {
	out := make([]byte, 0, len(b)+len(b)/4)
	for _, c := range b {
		out = utf8.AppendRune(out, rune(c))
	}
	return string(out)
}

// Encode returns the bytes that [Decode] makes s of. A character above U+00FF is
// codecs.ErrName.
func Encode(s string) ([]byte, error) {
	out := make([]byte, 0, len(s))
	for _, r := range s {
		if r > 0xFF {
			return nil, codecs.Errorf(codecs.ErrName, "%q is not Latin-1", r)
		}
		out = append(out, byte(r))
	}
	return out, nil
}
