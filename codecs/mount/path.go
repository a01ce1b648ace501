package mount

import (
	"path"
	"strings"
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
func FileKey(mount, name string) string { return strings.ToLower(Path(mount, name)) }
