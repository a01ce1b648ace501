package side

import (
	"cmp"
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"

	"pakdb/internal/mount"
	"pakdb/internal/radix"
	"pakdb/schema"
)

// keyer gives rows of both sides keys that mean the same on either.
type keyer struct {
	source     Source
	perArchive bool             // mount points do not count
	base       string           // mount point whose path ids are keys
	invented   map[string]int64 // keys of what has no path id for a key
}

// addKeys gives rows their keys where that is not their path id: below other
// mount points, and without a name.
func (k *keyer) addKeys(ctx context.Context, b *Side) error {
	var elsewhere []int // below other mount points
	for i := range b.Rows {
		if r := &b.Rows[i]; !k.perArchive && r.Path != 0 && b.MountOf(r) != k.base {
			elsewhere = append(elsewhere, i)
		}
	}
	if b.db == nil {
		k.nameAll(b)
	} else if b.hasNameless() {
		for _, r := range b.reads {
			if err := k.nameNameless(ctx, b, r); err != nil {
				return err
			}
		}
	}
	if elsewhere == nil {
		return nil
	}
	return k.keysElsewhere(ctx, b, elsewhere)
}

// invent returns a key for a text, equal on both sides.
func (k *keyer) invent(text string) int64 {
	key, ok := k.invented[text]
	if !ok {
		key = -int64(len(k.invented)) - 1
		k.invented[text] = key
	}
	return key
}

// texts returns the meaning of invented keys, to show it: the hex digits of an
// asset id or a path hash, nothing for a path.
func (k *keyer) texts() map[int64]string {
	texts := map[int64]string{}
	for text, key := range k.invented {
		if kind, rest, _ := strings.Cut(text, " "); kind == "id" || kind == "hash" {
			texts[key] = rest
		}
	}
	return texts
}

// nameNameless keys entries without a name by their asset id, their path hash, or
// at the least their content.
func (k *keyer) nameNameless(ctx context.Context, b *Side, r read) error {
	i := r.from
	return schema.EachRow(ctx, b.db, nameless, []driver.Value{b.ID, r.ordinals}, func(v []driver.Value) {
		for i < len(b.Rows) && b.Rows[i].Path != 0 {
			i++
		}
		if i == len(b.Rows) {
			return
		}
		b.Rows[i].Key = k.invent(identityOf(AssetID{Integer(v[0]), Integer(v[1]), Integer(v[2])}, Integer(v[3]), b.Rows[i].Content))
		i++
	})
}

// nameAll does so for rows that are not of a catalog.
func (k *keyer) nameAll(b *Side) {
	ids := b.ids
	if ids == nil {
		ids = &Identities{}
	}
	for i := range b.Rows {
		if r := &b.Rows[i]; r.Path == 0 {
			r.Key = k.invent(identityOf(ids.AssetID(r), ids.PathHash(r), r.Content))
		}
	}
}

func identityOf(id AssetID, hash, content int64) string {
	hi, lo := uint64(id.High), uint64(id.Low)
	switch {
	case id.Bits == 32:
		return fmt.Sprintf("id %08x", uint32(lo))
	case id.Bits == 64:
		return fmt.Sprintf("id %016x", lo)
	case id.Bits == 96:
		return fmt.Sprintf("id %08x%016x", uint32(hi), lo)
	case id.Bits != 0:
		return fmt.Sprintf("id %016x%016x", hi, lo)
	case hash != 0:
		return fmt.Sprintf("hash %016x", uint64(hash))
	}
	return fmt.Sprintf("content %d", content)
}

// keysElsewhere keys entries below other mount points by the path id that the
// file would have below the base, where there is one.
func (k *keyer) keysElsewhere(ctx context.Context, b *Side, rows []int) error {
	ids := make([]int64, len(rows))
	for i, r := range rows {
		ids[i] = b.Rows[r].Path
	}
	names, err := k.source.Names(ctx, ids)
	if err != nil {
		return err
	}
	full := make([]string, len(rows))
	var below []string
	for i, r := range rows {
		full[i] = mount.Path(b.MountOf(&b.Rows[r]), names.Path(b.Rows[r].Path))
		if rel, ok := cutBase(full[i], k.base); ok {
			below = append(below, rel)
		}
	}
	known, err := k.source.PathIDs(ctx, below)
	if err != nil {
		return err
	}
	for i, r := range rows {
		rel, ok := cutBase(full[i], k.base)
		if id := known[rel]; ok && id != 0 {
			b.Rows[r].Key = id
		} else {
			b.Rows[r].Key = k.invent("path " + full[i])
		}
	}
	return nil
}

func cutBase(path, base string) (string, bool) {
	if len(path) < len(base) || path[:len(base)] != base {
		return "", false
	}
	return path[len(base):], true
}

// mount leaves the rows that the game sees, sorted by their keys.
func (b *Side) mount() {
	b.Rows = slices.DeleteFunc(b.Rows, func(r Row) bool { return r.Copies == 0 || r.storage&(flagDeleted|flagOwn) != 0 })
	b.sortRows(func(x, y Row) int {
		return cmp.Or(cmp.Compare(b.Archives[x.Archive].place, b.Archives[y.Archive].place), cmp.Compare(x.Seq, y.Seq))
	})
}

// byArchive leaves, of several entries of one path in one archive, the one that
// counts. Delete records count as entries.
func (b *Side) byArchive() {
	for i := range b.Rows {
		b.Rows[i].Group = b.Archives[b.Rows[i].Archive].Group
	}
	b.sortRows(func(x, y Row) int {
		if b.Archives[x.Archive].lastWins {
			return cmp.Compare(y.Seq, x.Seq)
		}
		return cmp.Compare(x.Seq, y.Seq)
	})
	out := b.Rows[:0]
	for i := 0; i < len(b.Rows); {
		top := b.Rows[i]
		top.Copies = 0
		for ; i < len(b.Rows) && CompareKeys(&b.Rows[i], &top) == 0; i++ {
			top.Copies++
		}
		out = append(out, top)
	}
	b.Rows = out
}

// sortRows sorts as [CompareKeys] does, and rows of one path further.
func (b *Side) sortRows(further func(x, y Row) int) {
	radix.Sort(b.Rows, func(r *Row) int64 { return r.Key }, further)
	radix.Sort(b.Rows, func(r *Row) int64 { return int64(r.Group) }, nil)
}
