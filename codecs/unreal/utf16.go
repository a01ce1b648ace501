package unreal

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// lowerUTF16 returns the UTF-16LE of s in lower case.
func lowerUTF16(s string) []byte {
	b := make([]byte, 0, 2*len(s))
	for i := range len(s) {
		c := s[i]
		if c >= utf8.RuneSelf {
			return appendWideLower(b, s[i:])
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		b = append(b, c, 0)
	}
	return b
}

func appendWideLower(b []byte, s string) []byte {
	for _, u := range utf16.Encode([]rune(s)) {
		u = lowerUnit(u)
		b = append(b, byte(u), byte(u>>8))
	}
	return b
}

// slashed is the form of an object's path that is hashed: every separator is a
// slash.
func slashed(path string) string {
	return strings.NewReplacer(".", "/", ":", "/").Replace(path)
}
