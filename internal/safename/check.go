// Package safename checks and repairs names from outside that become files: entries of
// archives, files of stores and of patches.
//
// Such names are hostile until proven otherwise: "../../x", "/etc/passwd",
// "C:\x", "NUL", or two names that a case-insensitive file system takes for one.
// [Name] turns any of them into a relative path that is safe on every platform.
// [Check] refuses what Name would change, for names that must stay as they are.
// [Set] refuses names that are one file, or a file and a folder, on some system.
//
// [Dir] writes entries of archives into a folder, and nowhere else.
//
// Names inside archives are hostile until proven otherwise. [Names] makes safe
// paths of them by [Name]; [Dir] confines the result to its folder by
// os.Root as well, so that symbolic links do not lead out of it either.
package safename

import (
	"errors"
	"fmt"
	"hash/maphash"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ErrUnsafe means that a name cannot be that of a file on every system.
var ErrUnsafe = errors.New("not a safe file name")

// Check returns nil for a relative slash-separated path that names the same file
// on every system: one that [Name] leaves as it is. Otherwise the error says what
// is wrong with it, without the name, and is [ErrUnsafe].
func Check(name string) error {
	if Name(name) == name {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrUnsafe, reason(name))
}

// reason returns what is wrong with a name. The order is that of how bad it is.
func reason(name string) string {
	parts := strings.Split(name, "/")
	switch {
	case name == "":
		return "it is empty"
	case !utf8.ValidString(name):
		return "it is not UTF-8"
	case strings.ContainsFunc(name, unicode.IsControl):
		return "it has control characters"
	case strings.ContainsFunc(name, isFormat):
		return "it has characters that turn text around"
	case strings.Contains(name, `\`):
		return "it has a backslash"
	case path.IsAbs(name):
		return "it is absolute"
	case isDrive(parts[0]):
		return "it begins with a drive"
	case strings.ContainsAny(name, forbidden):
		return "it has one of the characters " + forbidden
	case len(parts)-1 > maxFolders:
		return fmt.Sprintf("it is in more than %d folders", maxFolders)
	}
	for _, part := range parts {
		if why := reasonOf(part); why != "" {
			return why
		}
	}
	return fmt.Sprintf("it has more than %d bytes", MaxPath)
}

// reasonOf returns what is wrong with one part of a path, or "".
func reasonOf(part string) string {
	switch {
	case part == "":
		return "it has an empty part"
	case part == "." || part == "..":
		return "it has the part " + part
	case len(part) > mostComponent:
		return fmt.Sprintf("a part of it has more than %d bytes", mostComponent)
	case strings.HasSuffix(part, ".") || strings.HasSuffix(part, " "):
		return "a part of it ends with a dot or a space, which Windows drops"
	case isReserved(part):
		return "Windows takes a part of it for a device"
	}
	return ""
}

// Fold returns what is equal for names that differ in case only, as file systems
// that ignore case compare them. Upper case first, since some letters have the
// upper case of others: the long s that of s.
func Fold(name string) string { return strings.ToLower(strings.ToUpper(name)) }

// Set is names of files of which no two are one on any system. The zero value is
// empty. It holds 9 bytes and the overhead of a map for each name and each folder,
// whatever their length. It is not safe for concurrent use.
type Set struct {
	seed   maphash.Seed
	folder map[uint64]bool // by the hash of the folded path; false: a file
}

// Add adds a path that [Check] takes. It fails with [ErrUnsafe] where the set has
// a file of that name, whatever the case, or a folder, or a file where this name
// has a folder. Folders may differ in case.
func (s *Set) Add(name string) error {
	if s.folder == nil {
		s.seed, s.folder = maphash.MakeSeed(), map[uint64]bool{}
	}
	folded := Fold(name)
	hash := maphash.String(s.seed, folded)
	if folder, there := s.folder[hash]; there && folder {
		return fmt.Errorf("%w: it is a folder too", ErrUnsafe)
	} else if there {
		return fmt.Errorf("%w: there is another one that differs at most in case", ErrUnsafe)
	}
	s.folder[hash] = false
	for i := strings.LastIndexByte(folded, '/'); i > 0; i = strings.LastIndexByte(folded[:i], '/') {
		up := maphash.String(s.seed, folded[:i])
		folder, there := s.folder[up]
		if there && !folder {
			return fmt.Errorf("%w: %q, where it lies, is a file too", ErrUnsafe, name[:min(i, len(name))])
		}
		if there {
			break // and so are those above
		}
		s.folder[up] = true
	}
	return nil
}

const hint = "rename it: the same name must be a file of its own on Linux, macOS and Windows"

// Error names a file that is refused. It is [ErrUnsafe].
type Error struct {
	Name string
	Err  error
}

func (e *Error) Error() string { return fmt.Sprintf("%q: %v", e.Name, e.Err) }

// Unwrap returns what is wrong with the name.
func (e *Error) Unwrap() error { return e.Err }

// Hint returns what to do about it.
func (e *Error) Hint() string { return hint }

// CheckAll returns an [Error] for the first of the things that has a name which
// [Check] or [Set.Add] refuses.
func CheckAll[T any](list []T, name func(T) string) error {
	var names Set
	for _, x := range list {
		err := Check(name(x))
		if err == nil {
			err = names.Add(name(x))
		}
		if err != nil {
			return &Error{name(x), err}
		}
	}
	return nil
}
