package write

import (
	"cmp"
	"context"
	"database/sql"
	_ "embed"
	"math"
	"slices"

	"pakdb/schema/internal/btree"
	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/layout"
	"pakdb/schema/internal/record"
)

//go:embed rekey.sql
var rekey string

//go:embed sums.sql
var sums string

// keyTable returns a key table. Its rows come sorted: each page of the tree is touched
// once.
func keyTable(name, id, verb string) table[*Key] {
	return table[*Key]{name: name, verb: verb, columns: []column[*Key]{
		number("key", func(k *Key) int64 { return k.Key }),
		number(id, func(k *Key) int64 { return k.ID }),
	}}
}

var (
	pathKeys    = keyTable("x_path_key", "path_id", "INSERT OR FAIL")
	contentKeys = keyTable("x_content_key", "content_id", "INSERT OR FAIL")
	nameKeys    = keyTable("x_name_key", "name_id", "INSERT OR FAIL")
	refKeys     = keyTable("x_ref_key", "content_id", "INSERT OR IGNORE")
)

// insertKeys adds the keys that have waited long enough. makeIndexes has those of a large first
// build, but for references.
func insertKeys(t *tx, b *Batch) error {
	if b.Keys == nil {
		b.Keys = &keySet{}
	}
	type keysOf struct {
		into *table[*Key]
		rows []Key
	}
	all := []keysOf{{&refKeys, b.Keys.Refs}, {&refKeys, b.Refs}}
	if !t.unindexed {
		all = append(all, keysOf{&pathKeys, b.Keys.Paths}, keysOf{&contentKeys, b.Keys.Contents}, keysOf{&nameKeys, b.Keys.Texts})
	}
	for _, k := range all {
		sortKeys(k.rows)
		if err := k.into.insert(t, pointers(slices.Compact(k.rows))); err != nil {
			return err
		}
	}
	return nil
}

// AddMissingKeys completes indexes and key tables after a run that was interrupted.
func AddMissingKeys(ctx context.Context, tx *sql.Tx) error {
	var interrupted bool
	err := tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM x_build WHERE complete = 0)").Scan(&interrupted)
	if err != nil || !interrupted {
		return err
	}
	var statements []string
	for _, x := range layout.Indexes() {
		statements = append(statements, x.Create())
	}
	return conn.ExecAll(ctx, tx, append(statements, rekey)...)
}

// addSums completes the table that finds contents by checksums. Scans that read all
// contents never ask it: its keys would be a twentieth of a catalog.
func addSums(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, sums)
	return err
}

// The key tables find rows by hashes, which come in random order. Added with
// each batch they would be written anew all over by each; so they wait, and are
// added in key order when the build is complete, or when many wait. A process
// that dies before leaves rows without keys, of no complete build; rekey.sql
// makes up for it when the next build begins.

// Key is a row of a key table.
type Key struct{ Key, ID int64 }

// keySet is what waits for the key tables.
type keySet struct{ Paths, Contents, Texts, Refs []Key }

// maxKeys bounds how many references wait, 16 bytes each.
const maxKeys = 2 << 20

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

// keyIndex is a part of a key table in memory, 6 bytes a row: the ids of each key. It is read in one
// go and in the table's order, so that each row costs a twentieth of looking for it.
type keyIndex struct {
	keys []uint16 // the bits after those of the bucket, ascending in it: others may have the same, so that rows are compared
	ids  []uint32
	from [1<<keyBits + 1]uint32 // where the keys of each bucket begin
}

// keyBits are the first bits of a key, by which it is in a bucket. Keys are
// hashes and spread evenly; those that someone forged are found by halving a
// bucket that is too full.
const keyBits = 16

// maxIndexed bounds the memory of each index: 48 MB.
const maxIndexed = 8 << 20

// keyBucket returns the bucket of a key, and what it is found by there.
func keyBucket(key int64) (bucket uint64, rest uint16) {
	ordered := uint64(key) ^ 1<<63
	return ordered >> (64 - keyBits), uint16(ordered >> (48 - keyBits))
}

// loadKeyIndex reads a key table of at most so many rows.
func loadKeyIndex(ctx context.Context, db *sql.DB, of numbered, rows int64) (*keyIndex, error) {
	x := newKeyIndex(rows)
	err := scanPages(ctx, db, of.keys, []string{"key", of.id}, math.MinInt64, func(v []btree.Value, _ int64) bool {
		x.add(Key{v[0].Int, v[1].Int})
		return true
	})
	return x.end(), err
}

func newKeyIndex(rows int64) *keyIndex {
	return &keyIndex{keys: make([]uint16, 0, rows), ids: make([]uint32, 0, rows)}
}

// add adds a row that follows the others.
func (x *keyIndex) add(k Key) {
	bucket, rest := keyBucket(k.Key)
	x.keys = append(x.keys, rest)
	x.ids = append(x.ids, uint32(k.ID))
	x.from[bucket+1] = uint32(len(x.keys))
}

// end completes the index.
func (x *keyIndex) end() *keyIndex {
	for b := 1; b < len(x.from); b++ { // those of empty buckets
		x.from[b] = max(x.from[b], x.from[b-1])
	}
	return x
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
