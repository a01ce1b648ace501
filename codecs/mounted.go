package codecs

import (
	"cmp"
	"path"
	"strings"
)

// Mounted is what decides which of two archives that hold a file gives it.
type Mounted struct {
	Order   int64 // what Format.MountOrder says, 0 where there is none
	Ordered bool  // the format has a mount order
	// FirstWins is [Format.FirstWins].
	FirstWins bool
	Name      string // of the archive, relative to the game's folder
}

// CompareMounted sorts the archive that wins to the front: it returns a number
// below 0 when a does. Unreal mounts the paks of one folder by descending name;
// of equals the one that was mounted first wins among paks, and the last among
// IoStore containers, as people measured. Nobody should rely on it.
// Loose files lose to the paks of their order. Where it returns 0, the archive
// that stands first in the build wins.
func CompareMounted(a, b Mounted) int {
	if a.Order != b.Order {
		return cmp.Compare(b.Order, a.Order)
	}
	switch {
	case a.FirstWins && b.FirstWins:
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	case a.Ordered && b.Ordered:
		return strings.Compare(strings.ToLower(b.Name), strings.ToLower(a.Name))
	case a.Ordered:
		return -1
	case b.Ordered:
		return 1
	}
	return 0
}

// MountedPath returns where an entry of that name stands in a game's file
// system when its archive is mounted: mount point and name joined, without the
// leading ../../../ or drive that leads to the game's root, dots resolved, with
// forward slashes. It is always relative and never contains "..", and it is ""
// when nothing is left.
func MountedPath(mount, name string) string {
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
// [MountedPath] in lower case, as lookups of games ignore case.
func FileKey(mount, name string) string { return strings.ToLower(MountedPath(mount, name)) }
