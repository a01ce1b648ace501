package schema

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/zeebo/blake3"
)

// halfHash is the first half of a BLAKE3: wide enough that two paths, or two
// contents, never share one, also when someone tries.
type halfHash [16]byte

func hashOf[T string | []byte](text T) halfHash {
	sum := blake3.Sum256([]byte(text))
	return halfHash(sum[:16])
}

func halfOf(d *Digest) halfHash { return halfHash(d[:16]) }

// key is the first 8 bytes, little-endian, signed.
func (h halfHash) key() int64 { return int64(binary.LittleEndian.Uint64(h[:8])) }

// contentKey is what tells contents apart: of the hash as much as tells, and no
// more than an archive states. An archive that states a hash wrongly, and the
// size with it, is not taken for the content that has it.
type contentKey struct {
	hash halfHash
	size int64
}

func (e *Entry) contentKey() contentKey { return contentKey{halfOf(&e.Content), e.ContentSize} }

// interner hands out the ids of a batch: of paths, contents and texts. It works
// a batch ahead of the SQL, in a goroutine of its own. It remembers what it has
// seen, so that most rows need no look-up; what it does not know may still be in
// the catalog from before.
type interner struct {
	*finder
	dirs     map[string]int64
	prefixes map[int64]string // the other way round
	nextDir  int64
	paths    seen[halfHash]
	contents seen[contentKey] // negative: only the start of the hash is known
	texts    seen[halfHash]   // of table name; case included

	editions map[int64]*edition // by archive: those that continue a lineage

	keys    keySet // of what has an id and no row in the key tables yet
	unkeyed int64  // the first content of keys
}

// interned is what the interner finds out about a batch.
type interned struct {
	newDirs     []string
	newPaths    []pathRow
	newContents []*Entry // the first entry of each
	read        []*Entry // whose contents were known by the start of the hash alone
	newTexts    []string

	firstDir, firstPath, firstContent, firstText int64 // ids

	due    []*Entry // whose facts are to be stored
	again  []*Entry // those of due whose contents have facts, or had none before
	stored []*Entry // whose facts are in the catalog
	refs   []keyRow // of again
	keys   *keySet  // nil: later
}

// newInterner reads where the ids stand.
func newInterner(ctx context.Context, c *Catalog, tx *sql.Tx) (in *interner, err error) {
	in = &interner{finder: c.finder, editions: map[int64]*edition{}}
	if in.dirs, err = loadIDs(ctx, tx, "SELECT prefix, dir_id FROM dir"); err != nil {
		return nil, err
	}
	in.prefixes = make(map[int64]string, len(in.dirs))
	for prefix, id := range in.dirs {
		in.prefixes[id] = prefix
	}
	last, err := maxID(ctx, tx, "dir", "dir_id")
	in.nextDir = last + 1
	err = errors.Join(err, in.paths.start(ctx, tx, pathTable), in.contents.start(ctx, tx, contentTable),
		in.texts.start(ctx, tx, nameTable))
	in.unkeyed = in.contents.next
	return in, err
}

// full reports that the memory of what was seen is used up.
func (in *interner) full() bool {
	return max(len(in.paths.ids), len(in.contents.ids), len(in.texts.ids)) > maxSeen
}

// forget makes room. All batches must be in the catalog, and all keys.
func (in *interner) forget() {
	in.paths.forget()
	in.contents.forget()
	in.texts.forget()
}

// intern fills in the ids of a batch.
func (in *interner) intern(ctx context.Context, b *batch) error {
	b.firstDir, b.firstPath, b.firstContent, b.firstText = in.nextDir, in.paths.next, in.contents.next, in.texts.next
	if err := in.keepRows(ctx, b); err != nil {
		return err
	}
	if err := in.internContents(ctx, b); err != nil {
		return err
	}
	if err := in.sortFacts(ctx, b); err != nil {
		return err
	}
	if err := in.internPaths(ctx, b); err != nil {
		return err
	}
	if err := in.internTexts(ctx, b); err != nil {
		return err
	}
	in.collectRefs(b)
	in.collectSums(b)
	if b.keyed || in.keys.len() >= maxKeys {
		b.keys = in.takeKeys()
	}
	return nil
}

// internContents gives every content of the batch an id. Of one that was known by
// the start of its hash alone, and has been read now, the rest is to be stored.
func (in *interner) internContents(ctx context.Context, b *batch) error {
	if err := in.findContents(ctx, b); err != nil {
		return err
	}
	for i := range b.entries {
		e := &b.entries[i]
		if !e.HasContent && !e.Stated {
			continue
		}
		key := e.contentKey()
		e.contentID, e.first = in.contents.id(key)
		switch {
		case e.first:
			b.newContents = append(b.newContents, e)
			in.keys.contents = append(in.keys.contents, keyRow{halfOf(&e.Content).key(), e.contentID})
			if e.Stated {
				in.contents.ids[key] = -e.contentID
			}
		case e.contentID < 0:
			e.contentID = -e.contentID
			if e.HasContent {
				in.contents.ids[key] = e.contentID
				b.read = append(b.read, e)
			}
		}
	}
	return nil
}

// findContents looks up contents that may be in the catalog from before.
func (in *interner) findContents(ctx context.Context, b *batch) error {
	if in.contents.all {
		return nil
	}
	var keys []int64
	for i := range b.entries {
		if e := &b.entries[i]; (e.HasContent || e.Stated) && in.contents.ids[e.contentKey()] == 0 {
			keys = append(keys, halfOf(&e.Content).key())
		}
	}
	return in.contents.find(ctx, in.finder, keys, func(id int64, columns []driver.Value) (k contentKey, as int64, ok bool) {
		hash, isBlob := columns[0].([]byte)
		size, isNumber := columns[1].(int64)
		if !isBlob || !isNumber || len(hash) < StatedSize {
			return k, 0, false
		}
		if len(hash) < len(Digest{}) {
			id = -id
		}
		return contentKey{halfHash(hash[:len(k.hash)]), size}, id, true
	})
}

// sortFacts parts the facts of the batch: those that are to be stored, of
// contents that are new and of contents that were inspected in another way
// before, and those that are stored. Each content is taken once.
func (in *interner) sortFacts(ctx context.Context, b *batch) error {
	var known []*Entry
	taken := map[int64]bool{}
	for i := range b.entries {
		e := &b.entries[i]
		if e.Facts == nil || !e.HasContent || taken[e.contentID] {
			continue
		}
		taken[e.contentID] = true
		if e.first {
			b.due = append(b.due, e)
		} else {
			known = append(known, e)
		}
	}
	same := map[*Entry]bool{}
	err := in.find(ctx, `SELECT src.b, 1 FROM src
		CROSS JOIN content c ON c.content_id = src.a
		CROSS JOIN word w ON w.word_id = c.inspected_id
		WHERE w.word = src.c`, len(known),
		func(row, col int) driver.Value {
			switch col {
			case 0:
				return known[row].contentID
			case 1:
				return int64(row)
			}
			return known[row].Facts.Inspector
		}, func(row int, _ int64) { same[known[row]] = true })
	for _, e := range known {
		if same[e] {
			b.stored = append(b.stored, e)
		} else {
			b.again = append(b.again, e)
		}
	}
	b.again = append(b.again, b.replaced...)
	b.due = append(b.due, b.again...)
	return err
}

// collectRefs lists what the contents of the batch refer to. Contents that are in
// the catalog already may be part of complete builds: their keys do not wait.
func (in *interner) collectRefs(b *batch) {
	again := map[int64]bool{}
	for _, e := range b.again {
		again[e.contentID] = true
	}
	if slices.ContainsFunc(b.again, func(e *Entry) bool { return e.contentID >= in.unkeyed }) {
		in.keys.refs = slices.DeleteFunc(in.keys.refs, func(k keyRow) bool { return again[k.id] })
	}
	for _, e := range b.due {
		if again[e.contentID] {
			b.refs = appendRefs(b.refs, e)
		} else {
			in.keys.refs = appendRefs(in.keys.refs, e)
		}
	}
	sortKeys(b.refs)
}

// collectSums lists which stored bytes the contents of the batch were decoded from. A
// sum that is the start of the content's own hash finds it without.
func (in *interner) collectSums(b *batch) {
	for i := range b.entries {
		if e := &b.entries[i]; e.HasContent && e.Sum != nil && !bytes.HasPrefix(e.Content[:], e.Sum) {
			in.keys.sums = append(in.keys.sums, keyRow{sumKey(e.Sum), e.contentID})
		}
	}
}

// takeKeys returns the keys that wait, sorted.
func (in *interner) takeKeys() *keySet {
	keys := in.keys
	keys.sort()
	in.keys, in.unkeyed = keySet{}, in.contents.next
	return &keys
}
