// Package extract writes entries of archives into a folder, and nowhere else.
//
// Names inside archives are hostile until proven otherwise: "../../x",
// "/etc/passwd", "C:\x", "NUL", or two names that a case-insensitive file
// system takes for one. [Name] turns any of them into a relative path that is
// safe on every platform; [Dir] confines the result to its folder by os.Root as
// well, so that symbolic links do not lead out of it either.
package extract

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxComponent is the longest file name that common file systems take, in
// bytes, less room for a suffix.
const maxComponent = 240

// Name returns a relative slash-separated path for the entry name. Every name
// has one; ordinary names are their own. Leading "../", "/" and drive letters
// fall away; what no file system takes is escaped as %XX.
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
	return strings.Join(parts, "/")
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
		case r == utf8.RuneError && n <= 1, r < 0x20, r == 0x7f, strings.ContainsRune(`<>:"|?*`, r):
			fmt.Fprintf(&b, "%%%02X", part[i])
			n = 1
		default:
			b.WriteString(part[i : i+n])
		}
		i += n
	}
	s := b.String()
	// Windows drops trailing dots and spaces, and then finds another file.
	if last := s[len(s)-1]; last == '.' || last == ' ' {
		s = s[:len(s)-1] + fmt.Sprintf("%%%02X", last)
	}
	if isReserved(s) {
		s = "_" + s
	}
	if len(s) > maxComponent {
		s = strings.ToValidUTF8(s[:maxComponent], "")
	}
	return s
}

// isReserved reports whether Windows takes s, with any extension, for a device.
func isReserved(s string) bool {
	base, _, _ := strings.Cut(s, ".")
	switch strings.ToUpper(strings.TrimRight(base, " ")) {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$",
		"COM0", "COM1", "COM2", "COM3", "COM4", "COM5", "COM6", "COM7", "COM8", "COM9",
		"LPT0", "LPT1", "LPT2", "LPT3", "LPT4", "LPT5", "LPT6", "LPT7", "LPT8", "LPT9":
		return true
	}
	return false
}
