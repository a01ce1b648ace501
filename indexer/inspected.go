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
// that differ in these are inspected each; the catalog keeps the facts of the
// first in stored order, whichever worker was faster.
type inspected struct {
	mu   sync.Mutex
	seen map[inspectedKey]struct{}
}

type inspectedKey struct {
	content [16]byte // half of the digest: nobody finds two contents of one
	as      string   // type and extension
}

// maxInspected bounds the memory, about 60 bytes each. Beyond it the set starts
// anew, and some contents are inspected twice.
const maxInspected = 1 << 20

// first reports whether the content is seen as this type for the first time.
func (s *inspected) first(content schema.Digest, e *codecs.Entry) bool {
	key := inspectedKey{[16]byte(content[:16]), strings.ToLower(path.Ext(e.Name)) + "|" + e.Type}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.seen[key]; ok {
		return false
	}
	if s.seen == nil || len(s.seen) >= maxInspected {
		s.seen = map[inspectedKey]struct{}{}
	}
	s.seen[key] = struct{}{}
	return true
}
