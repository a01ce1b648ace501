package indexer

import (
	"path"
	"strings"
	"sync"

	"pakdb/codecs"
	"pakdb/schema"
)

// inspected remembers which contents were inspected in this scan: archives hold
// many copies, and facts belong to the content. What an inspector makes of a
// content depends on the entry's type and extension as well, so that entries
// that differ in these are inspected each. Of all that was found the catalog
// gets what the least general inspector gave for the first entry in stored order,
// whichever worker was faster.
type inspected struct {
	mu sync.Mutex
	by map[inspectedKey]place
	// What was kept: [schema.Generality] of facts, and exports of packages.
	facts  map[contentKey]uint8
	values map[inspectedKey]struct{}
	as     map[string]int64 // numbers of types and extensions
	last   int64            // that was given
}

// place is where an entry is in the scan.
type place int64

// contentKey is half of a digest: nobody finds two contents of one.
type contentKey [16]byte

type inspectedKey struct {
	content contentKey
	as      int64 // an even number of a type and extension, or a header with the last bit set
}

// asHeader is the number of exports of a package.
func asHeader(header int64) int64 { return header | 1 }

// maxInspected bounds the memory, 3 MB. Beyond it some contents are inspected twice.
const maxInspected = 1 << 16

// maxKept bounds the memory of what was kept, about 27 bytes of facts. The catalog, which is
// asked beyond it, does not see the last batches: of two facts it might keep the more general.
const maxKept = 1 << 20

// room returns a map with room for another element, up to a limit: one that starts anew.
func room[K comparable, V any](m map[K]V, limit int) map[K]V {
	if m == nil || len(m) >= limit {
		return map[K]V{}
	}
	return m
}

// wanted reports whether the entry at that place must be inspected: no entry
// before it, of the same content and type, is or was.
func (s *inspected) wanted(content schema.Digest, e *codecs.Entry, at place) bool {
	return s.first(inspectedKey{contentKey(content[:16]), s.asEntry(strings.ToLower(path.Ext(e.Name)) + "|" + e.Type)}, at)
}

// maxAs bounds the memory of numbers. Beyond it all types and extensions get others.
const maxAs = 1 << 16

// asEntry returns the number of a type and extension.
func (s *inspected) asEntry(text string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, ok := s.as[text]
	if !ok {
		if s.as == nil || len(s.as) >= maxAs {
			s.as = map[string]int64{}
		}
		s.last += 2
		n = s.last
		s.as[text] = n
	}
	return n
}

// first reports whether no entry before that place had the key.
func (s *inspected) first(key inspectedKey, at place) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if first, ok := s.by[key]; ok && first < at {
		return false
	}
	s.by = room(s.by, maxInspected)
	s.by[key] = at
	return true
}

// wantedOf is [inspected.wanted] for the exports of a package in a content of their own:
// header identifies the package.
func (s *inspected) wantedOf(content schema.Digest, header int64, at place) bool {
	return s.first(inspectedKey{contentKey(content[:16]), asHeader(header)}, at)
}

// keep drops facts and values of contents that an earlier entry has brought, unless they
// are of an inspector that is less general. It is called in stored order, from one goroutine.
func (s *inspected) keep(row *schema.Entry) {
	content := contentKey(row.Content[:16])
	if row.Facts != nil {
		found := uint8(schema.Generality(row.Facts.Inspector))
		if before, ok := s.facts[content]; ok && before <= found {
			row.Facts = nil
		} else {
			s.facts = room(s.facts, maxKept)
			s.facts[content] = found
		}
	}
	if row.Values != nil {
		key := inspectedKey{content, asHeader(row.ExportsOf.Header)}
		if _, ok := s.values[key]; ok {
			row.Values = nil
		} else {
			s.values = room(s.values, maxKept)
			s.values[key] = struct{}{}
		}
	}
}

// endKeep forgets what was kept, 24 MB of a million contents.
func (s *inspected) endKeep() { s.facts, s.values = nil, nil }
