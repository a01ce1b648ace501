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
	mu   sync.Mutex
	by   map[inspectedKey]place
	kept map[inspectedKey]int // [schema.Generality] of what was kept
	as   map[string]int64     // numbers of types and extensions
	last int64                // that was given
}

// place is where an entry is in the scan.
type place int64

// contentKey is half of a digest: nobody finds two contents of one.
type contentKey [16]byte

type inspectedKey struct {
	content contentKey
	as      int64 // an even number of a type and extension, or a header with the last bit set
}

// asFacts is the number of facts that were kept.
const asFacts = 0

// asHeader is the number of exports of a package.
func asHeader(header int64) int64 { return header | 1 }

// maxInspected bounds the memory, 6 MB of each map. Beyond it they start anew, and some
// contents are inspected twice.
const maxInspected = 1 << 17

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
	if s.by == nil || len(s.by) >= maxInspected {
		s.by = map[inspectedKey]place{}
	}
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
	if row.Facts != nil && s.isKept(inspectedKey{contentKey(row.Content[:16]), asFacts}, schema.Generality(row.Facts.Inspector)) {
		row.Facts = nil
	}
	if row.Values != nil && s.isKept(inspectedKey{contentKey(row.Content[:16]), asHeader(row.ExportsOf.Header)}, 0) {
		row.Values = nil
	}
}

// isKept reports whether a key was asked for before, with what is as general or less.
func (s *inspected) isKept(key inspectedKey, generality int) bool {
	if before, ok := s.kept[key]; ok && before <= generality {
		return true
	}
	if s.kept == nil || len(s.kept) >= maxInspected {
		s.kept = map[inspectedKey]int{}
	}
	s.kept[key] = generality
	return false
}
