package safename

import (
	"fmt"
	"path"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Common file systems take file names of 255 bytes. Longer ones than mostComponent
// are cut to cutComponent: what is escaped at the end, and what is before the
// name of a device, then has room, so that a safe name stays as it is.
const (
	cutComponent  = 240
	mostComponent = cutComponent + 4
)

// Deeper and longer paths than these no game has and few tools can handle, not
// even to delete them. A hostile name could ask for 32,000 folders.
const (
	maxFolders = 64
	// MaxPath is the length in bytes of the longest path that is safe.
	MaxPath = 2048
)

// forbidden are characters that Windows takes in no name.
const forbidden = `<>:"|?*`

// Name returns a relative slash-separated path for the entry name. Every name
// has one; ordinary names are their own. Leading "../", "/" and drive letters
// fall away; what no file system takes is escaped as %XX; of more than 64
// folders, or 2 KiB, the innermost are left out.
func Name(entry string) string {
	var parts []string
	for _, part := range strings.FieldsFunc(entry, isSlash) {
		switch part {
		case ".", "..":
			continue
		}
		if len(parts) == 0 && isDrive(part) {
			continue
		}
		parts = append(parts, component(part))
	}
	if len(parts) == 0 {
		return "_"
	}
	return strings.Join(shorten(parts), "/")
}

// shorten leaves out folders that are too deep.
func shorten(parts []string) []string {
	folders, name := parts[:len(parts)-1], parts[len(parts)-1]
	length := len(name)
	for i, folder := range folders {
		if length += len(folder) + 1; i == maxFolders || length > MaxPath {
			return append(folders[:i:i], name)
		}
	}
	return parts
}

func isSlash(r rune) bool { return r == '/' || r == '\\' }

// isDrive reports whether part is "C:".
func isDrive(part string) bool {
	return len(part) == 2 && part[1] == ':' && (part[0]|0x20 >= 'a' && part[0]|0x20 <= 'z')
}

// component makes one part of a path safe.
func component(part string) string {
	var b strings.Builder
	for i := 0; i < len(part); {
		r, n := utf8.DecodeRuneInString(part[i:])
		switch {
		case r == utf8.RuneError && n <= 1, unicode.IsControl(r), isFormat(r), strings.ContainsRune(forbidden, r):
			for _, c := range []byte(part[i : i+n]) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		default:
			b.WriteString(part[i : i+n])
		}
		i += n
	}
	s := b.String()
	if whole := forWindows(s); len(whole) <= mostComponent {
		return whole
	}
	return forWindows(strings.ToValidUTF8(s[:cutComponent], ""))
}

// forWindows escapes a trailing dot or space, which Windows drops, and then finds another
// file; and marks names that are devices there. It adds three bytes at most.
func forWindows(s string) string {
	if last := s[len(s)-1]; last == '.' || last == ' ' {
		s = s[:len(s)-1] + fmt.Sprintf("%%%02X", last)
	}
	if isReserved(s) {
		s = "_" + s
	}
	return s
}

// isFormat reports the characters that turn text around: a listing would show
// "exe.txt" for what ends in "txt.exe".
func isFormat(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// isReserved reports whether Windows takes s, with any extension, for a device.
func isReserved(s string) bool {
	base, _, _ := strings.Cut(s, ".")
	switch strings.ToUpper(strings.TrimRight(base, " ")) {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$",
		"COM\u00b9", "COM\u00b2", "COM\u00b3", "LPT\u00b9", "LPT\u00b2", "LPT\u00b3",
		"COM0", "COM1", "COM2", "COM3", "COM4", "COM5", "COM6", "COM7", "COM8", "COM9",
		"LPT0", "LPT1", "LPT2", "LPT3", "LPT4", "LPT5", "LPT6", "LPT7", "LPT8", "LPT9":
		return true
	}
	return false
}

// Names hands out paths such that no two of them are one on any file system:
// names that differ in case only, and a file where another entry needs a
// folder, get "~2", "~3" before the extension. The zero value is ready; it is
// safe for concurrent use.
type Names struct {
	mu    sync.Mutex
	taken map[string]*place // by path, folded
	dirs  map[string]string // folder as [Name] wants it, to the folder that was handed out
}

// place is a path that was handed out.
type place struct {
	folder bool
	next   int // number to try for the next one of this name, so that many are not quadratic
}

// Reserve returns the path under which the entry of that name is written. Call
// it in a fixed order to get the same paths every time.
func (n *Names) Reserve(entry string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.taken == nil {
		n.taken, n.dirs = map[string]*place{}, map[string]string{}
	}
	dir, base := path.Split(Name(entry))
	name := n.free(n.folder(strings.TrimSuffix(dir, "/"))+base, false)
	n.taken[Fold(name)] = &place{next: 2}
	return name
}

// folder returns the folder of dir, with a slash at its end.
func (n *Names) folder(dir string) string {
	if dir == "" {
		return ""
	}
	if known, ok := n.dirs[dir]; ok {
		return known
	}
	up, base := path.Split(dir)
	name := n.free(n.folder(strings.TrimSuffix(up, "/"))+base, true)
	if low := Fold(name); n.taken[low] == nil {
		n.taken[low] = &place{folder: true, next: 2}
	}
	n.dirs[dir] = name + "/"
	return name + "/"
}

// free returns name, with a number if something else has it. Folders share.
func (n *Names) free(name string, folder bool) string {
	first := n.taken[Fold(name)]
	if first == nil || folder && first.folder {
		return name
	}
	ext := path.Ext(name)
	for {
		other := fmt.Sprintf("%s~%d%s", strings.TrimSuffix(name, ext), first.next, ext)
		at := n.taken[Fold(other)]
		if at == nil || folder && at.folder {
			return other
		}
		first.next++
	}
}
