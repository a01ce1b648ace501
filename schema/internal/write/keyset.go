package write

import (
	"cmp"
	"slices"
	"sync"

	"pakdb/schema/internal/record"
)

// The key tables find rows by hashes, which come in random order. Added with
// each batch they would be written anew all over by each; so they wait, and are
// added in key order when the build is complete, or when many wait. A process
// that dies before leaves rows without keys, of no complete build; rekey.sql
// makes up for it when the next build begins.

// Key is a row of a key table.
type Key struct{ Key, ID int64 }

// keySet is what waits for the key tables.
type keySet struct{ Paths, Contents, Texts, Refs []Key }

// maxKeys bounds how many texts and references wait, 16 bytes each.
const maxKeys = 2 << 20

// Sort puts each kind in key order.
func (k *keySet) Sort() {
	var wg sync.WaitGroup
	for _, keys := range [][]Key{k.Paths, k.Contents, k.Texts, k.Refs} {
		wg.Go(func() { sortKeys(keys) })
	}
	wg.Wait()
}

// sortKeys puts keys in order, those of one key by their ids.
func sortKeys(keys []Key) { slices.SortFunc(keys, compareKeys) }

// compareKeys compares keys, and the ids of those that are equal.
func compareKeys(a, b Key) int {
	if a.Key != b.Key { // nearly always: one comparison then
		return cmp.Compare(a.Key, b.Key)
	}
	return cmp.Compare(a.ID, b.ID)
}

// appendRefs lists what a content refers to.
func appendRefs(keys []Key, r *Row) []Key {
	for _, refs := range [][]record.Ref{r.Facts.Refs, r.Facts.Scanned} {
		for i := range refs {
			keys = append(keys, Key{refs[i].Key, r.ContentID})
		}
	}
	return keys
}
