package match

import (
	"context"
	"hash/maphash"
	"pakdb/diff/internal/side"
	"pakdb/internal/mount"
	"slices"
	"strings"
)

// byCase joins paths of one file that are spelled in two ways: in another case,
// below another mount point, with dots inside. It goes by hashes of the folded
// paths, so that two million paths need not be written down once more, and looks
// at the paths themselves where these agree.
func byCase(_ context.Context, m *matcher) error {
	seed := maphash.MakeSeed()
	n := m.Names
	match(m, caseWay, Renamed, func(s *open, i int32) (uint64, bool) {
		r := &s.Rows[i]
		prefix, base := n.Split(r.Path)
		if irregular(prefix, base) {
			return foldedHash(seed, s.fullPath(n, i)), true
		}
		return foldedHash(seed, s.MountOf(r), prefix, base), base != ""
	})
	// What nobody has seen yet: two paths of one hash that are not the same.
	m.found = slices.DeleteFunc(m.found, func(p Pair) bool {
		if p.By != caseWay || strings.EqualFold(m.old.fullPath(n, p.Old), m.new.fullPath(n, p.New)) {
			return false
		}
		m.old.rows, m.new.rows = append(m.old.rows, p.Old), append(m.new.rows, p.New)
		return true
	})
	return nil
}

// fullPath is where a row is in the game's file system.
func (s *open) fullPath(n *side.Names, row int32) string {
	r := &s.Rows[row]
	return mount.Path(s.MountOf(r), n.Path(r.Path))
}

// irregular reports whether a path may have parts that mounting resolves. A prefix
// is empty or ends in a slash.
func irregular(prefix, base string) bool {
	return base == "." || base == ".." || strings.HasPrefix(prefix, "/") || strings.HasPrefix(prefix, "./") || strings.HasPrefix(prefix, "../") ||
		strings.Contains(prefix, "//") || strings.Contains(prefix, "/./") || strings.Contains(prefix, "/../") ||
		strings.ContainsRune(prefix, '\\') || strings.ContainsRune(base, '\\')
}

func foldedHash(seed maphash.Seed, texts ...string) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	var buf [256]byte
	for _, text := range texts {
		if !plainASCII(text) {
			text = strings.ToLower(text)
		}
		for len(text) > 0 {
			n := copy(buf[:], text)
			for i, c := range buf[:n] {
				if 'A' <= c && c <= 'Z' {
					buf[i] = c + 'a' - 'A'
				}
			}
			_, _ = h.Write(buf[:n])
			text = text[n:]
		}
	}
	return h.Sum64()
}

func plainASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// named is a content and the hash of a name. Where the hashes of two names agree
// by chance, contents are still equal.
type named struct {
	content int64
	name    uint64
}

// byContent prefers, among equal contents, the same name, then the same folder,
// then the order of paths. Empty files are all alike: they need the same name.
func byContent(_ context.Context, m *matcher) error {
	shared := sharedContents(m)
	if len(shared) == 0 {
		return nil
	}
	seed := maphash.MakeSeed()
	by := func(name func(prefix, base string) string) func(*open, int32) (named, bool) {
		return func(s *open, i int32) (named, bool) {
			r := &s.Rows[i]
			if !shared[r.Content] {
				return named{}, false
			}
			prefix, base := m.Names.Split(r.Path)
			n := name(prefix, base)
			return named{r.Content, maphash.String(seed, n)}, r.Size != 0 || n == base
		}
	}
	match(m, contentWay, Renamed, by(func(_, base string) string { return base }))
	match(m, contentWay, Renamed, by(func(prefix, _ string) string { return prefix }))
	match(m, contentWay, Renamed, by(func(string, string) string { return "" }))
	return nil
}

// sharedContents returns the contents that are left over on both sides.
func sharedContents(m *matcher) map[int64]bool {
	shared := map[int64]bool{}
	old, new := m.old.contents(), m.new.contents()
	for i, j := 0, 0; i < len(old) && j < len(new); {
		switch {
		case old[i] == new[j]:
			shared[old[i]] = true
			i, j = i+1, j+1
		case old[i] < new[j]:
			i++
		default:
			j++
		}
	}
	return shared
}
