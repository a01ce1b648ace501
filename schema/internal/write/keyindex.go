package write

import (
	"context"
	"database/sql"
	"math"
	"slices"

	"pakdb/schema/internal/btree"
)

// keyIndex is a key table in memory, 8 bytes a row: the ids of each key. It is read in one
// go and in the table's order, so that each row costs a twentieth of looking for it.
type keyIndex struct {
	keys []uint32 // the bits after those of the bucket, ascending in it: others may have the same, so that rows are compared
	ids  []uint32
	from [1<<keyBits + 1]uint32 // where the keys of each bucket begin
}

// keyBits are the first bits of a key, by which it is in a bucket. Keys are
// hashes and spread evenly; those that someone forged are found by halving a
// bucket that is too full.
const keyBits = 16

// maxIndexed bounds the memory of each index: 64 MB.
const maxIndexed = 8 << 20

// keyBucket returns the bucket of a key, and what it is found by there.
func keyBucket(key int64) (bucket uint64, rest uint32) {
	ordered := uint64(key) ^ 1<<63
	return ordered >> (64 - keyBits), uint32(ordered >> (32 - keyBits))
}

// loadKeyIndex reads a key table of at most so many rows.
func loadKeyIndex(ctx context.Context, db *sql.DB, of numbered, rows int64) (*keyIndex, error) {
	x := &keyIndex{keys: make([]uint32, 0, rows), ids: make([]uint32, 0, rows)}
	err := scanPages(ctx, db, of.keys, []string{"key", of.id}, math.MinInt64, func(v []btree.Value) bool {
		bucket, rest := keyBucket(v[0].Int)
		x.keys = append(x.keys, rest)
		x.ids = append(x.ids, uint32(v[1].Int))
		x.from[bucket+1] = uint32(len(x.keys))
		return true
	})
	for b := 1; b < len(x.from); b++ { // those of empty buckets
		x.from[b] = max(x.from[b], x.from[b-1])
	}
	return x, err
}

// appendIDs adds the ids of a key to ids, and few others.
func (x *keyIndex) appendIDs(ids []int64, key int64) []int64 {
	b, rest := keyBucket(key)
	first, end := x.from[b], x.from[b+1]
	i, _ := slices.BinarySearch(x.keys[first:end], rest)
	for i += int(first); i < int(end) && x.keys[i] == rest; i++ {
		ids = append(ids, int64(x.ids[i]))
	}
	return ids
}
