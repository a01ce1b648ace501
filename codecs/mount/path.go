package mount

import (
	"path"
	"strings"
	"unicode/utf8"
)

// Path returns where an entry of that name stands in a game's file system when
// its archive is mounted: mount point and name joined, without the leading
// ../../../ or drive that leads to the game's root, dots resolved, with forward
// slashes. It is always relative and never contains "..", and it is "" when
// nothing is left.
func Path(mount, name string) string {
	full := strings.ReplaceAll(mount, `\`, "/")
	if full != "" && !strings.HasSuffix(full, "/") {
		full += "/"
	}
	full += strings.ReplaceAll(name, `\`, "/")
	if len(full) >= 2 && full[1] == ':' && full[0]|0x20 >= 'a' && full[0]|0x20 <= 'z' {
		full = full[2:]
	}
	return strings.TrimPrefix(path.Clean("/"+full), "/")
}

// FileKey is what two entries share when they are the same file of a game: their
// [Path] in lower case, as lookups of games ignore case.
func FileKey(mount, name string) string {
	at := mount
	for strings.HasPrefix(at, "../") { // above the root is the root
		at = at[3:]
	}
	at = strings.TrimSuffix(at, "/")
	if !plain(name) || at != "" && !plain(at) {
		return strings.ToLower(Path(mount, name))
	}
	var b strings.Builder // one allocation: this is computed for every entry
	b.Grow(len(at) + 1 + len(name))
	if at != "" {
		appendLower(&b, at)
		b.WriteByte('/')
	}
	appendLower(&b, name)
	return b.String()
}

// plain reports whether a path is its own [Path]: ASCII, relative, with forward
// slashes, and nothing to resolve.
func plain(s string) bool {
	if len(s) > 1 && s[1] == ':' {
		return false
	}
	start := 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && s[i] != '/' {
			if s[i] == '\\' || s[i] >= utf8.RuneSelf {
				return false
			}
			continue
		}
		switch s[start:i] {
		case "", ".", "..":
			return false
		}
		start = i + 1
	}
	return true
}

// appendLower writes ASCII in lower case.
func appendLower(b *strings.Builder, s string) {
	for i := range len(s) {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		b.WriteByte(c)
	}
}
