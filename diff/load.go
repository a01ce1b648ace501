package diff

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"pakdb/codecs/mount"
	"pakdb/internal/rescue"
	"pakdb/schema"
)

// row is an entry, as far as it is compared. A million of them take 80 MB.
type row struct {
	key     int64 // path_id; negative for a path that only a mount point makes, or an entry without a name
	path    int64 // path_id, 0 for none
	content int64 // 0: not decoded
	stored  int64
	size    int64
	storage int64 // flags, method, type: see rowColumns
	group   int32 // of the archive when archives are compared one by one, else 0
	archive int32 // in build.archives
	seq     int32 // place in the build
	copies  int32 // entries of the same file, with this one; 0: another one hides it
}

const flagDeleted = 2

// flagsApart are those that no change of the entry's own is: encrypted is told
// with how it is stored, and of a chunk that lost its path the path tells.
const flagsApart = 1 | 16

func (r *row) deleted() bool { return r.storage&flagDeleted != 0 }
func (r *row) flags() int64  { return r.storage & 0xff }
func (r *row) method() int64 { return r.storage >> 8 & 0xffffff }
func (r *row) kind() int64   { return r.storage >> 32 }

func compareKeys(a, b *row) int {
	return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.key, b.key))
}

// loader reads the rows of both builds.
type loader struct {
	db       *sql.DB
	o        Options
	base     string           // mount point whose path ids are keys
	invented map[string]int64 // keys of what has no path id for a key
	apart    *apart
}

// load reads what may differ, and sorts it.
func (l *loader) load(ctx context.Context, old, new *build) error {
	l.base, l.invented = baseMount(old, new), map[string]int64{}
	var err error
	if l.apart, err = l.readApart(ctx, old, new); err != nil {
		return err
	}
	if err := l.markAkin(ctx, old, new); err != nil {
		return err
	}
	if err := l.readAkin(ctx, old, new); err != nil {
		return err
	}
	differs := func(a *archive) bool { return !a.shared && !a.akin }
	if err := l.readBoth(ctx, old, new, differs); err != nil {
		return err
	}
	if !l.o.PerArchive {
		if err := l.readShared(ctx, old, new); err != nil {
			return err
		}
	}
	for _, b := range []*build{old, new} {
		if err := l.addKeys(ctx, b); err != nil {
			return err
		}
	}
	return both(ctx, old, new, func(_ context.Context, b *build) error {
		if l.o.PerArchive {
			b.byArchive()
		} else {
			b.mount()
		}
		return nil
	})
}

func (l *loader) readBoth(ctx context.Context, old, new *build, wanted func(*archive) bool) error {
	return both(ctx, old, new, func(ctx context.Context, b *build) error { return l.read(ctx, b, b.take(wanted)) })
}

func (b *build) hasNameless() bool {
	return slices.ContainsFunc(b.rows, func(r row) bool { return r.path == 0 })
}

// both does the same for both sides at once.
func both(ctx context.Context, old, new *build, do func(context.Context, *build) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(rescue.Func(func() error { return do(ctx, old) }))
	g.Go(rescue.Func(func() error { return do(ctx, new) }))
	return g.Wait()
}

// take marks archives as loaded and returns their ordinals.
func (b *build) take(wanted func(*archive) bool) []int64 {
	var ordinals []int64
	for i := range b.archives {
		if a := &b.archives[i]; !a.loaded && wanted(a) {
			a.loaded = true
			ordinals = append(ordinals, a.ordinal)
		}
	}
	return ordinals
}

func (l *loader) read(ctx context.Context, b *build, ordinals []int64) error {
	if len(ordinals) == 0 {
		return nil
	}
	entries := int64(0)
	for i := range b.archives {
		if b.archives[i].loaded && !b.archives[i].akin {
			entries += b.archives[i].entries
		}
	}
	b.rows = slices.Grow(b.rows, int(max(0, min(entries-int64(len(b.rows)), 1<<22))))
	b.reads = append(b.reads, read{len(b.rows), jsonInts(ordinals)})
	return l.readRows(ctx, b, buildRows, b.id, jsonInts(ordinals))
}

// readRows appends rows. The ordinals of archives are their places in
// build.archives, which lists all of them.
func (l *loader) readRows(ctx context.Context, b *build, from string, args ...driver.Value) error {
	places := map[int64]int32{}
	for i := range b.archives {
		places[b.archives[i].ordinal] = int32(i)
	}
	columns := "SELECT " + rowColumns
	more := len(b.names) > 0 || len(b.hidden) > 0
	if l.o.Times || more || b.keepsRows {
		columns += ", e.mtime, e.row"
	}
	last, place := int64(-1), int32(0)
	defer func() { b.total = max(b.total, len(b.rows)) }()
	return schema.EachRow(ctx, l.db, columns+from, args, func(v []driver.Value) {
		if ordinal := integer(v[0]); ordinal != last {
			last, place = ordinal, places[ordinal]
		}
		path := integer(v[1])
		r := row{key: path, path: path, content: integer(v[2]), stored: integer(v[3]), size: integer(v[4]),
			storage: integer(v[5]), archive: place, seq: int32(len(b.rows)), copies: 1}
		if l.o.Times {
			b.times = append(b.times, integer(v[6]))
		}
		if b.keepsRows {
			for len(b.places) < len(b.rows) {
				b.places = append(b.places, 0)
			}
			b.places = append(b.places, integer(v[7]))
		}
		if more {
			b.setState(&r, entryAt{last, integer(v[7])})
		}
		b.rows = append(b.rows, r)
	})
}

// setState notes whether the game sees the entry, how many it stands for, and the
// path that another archive has for it.
func (b *build) setState(r *row, at entryAt) {
	if b.hidden[at] {
		r.copies = 0
	} else {
		r.copies += b.hides[at]
	}
	if n, ok := b.names[at]; ok {
		r.key, r.path = n.path, n.path
		b.under[r.seq] = n.mount
	}
}

// addKeys gives rows their keys where that is not their path id: below other
// mount points, and without a name.
func (l *loader) addKeys(ctx context.Context, b *build) error {
	var elsewhere []int // below other mount points
	for i := range b.rows {
		if r := &b.rows[i]; !l.o.PerArchive && r.path != 0 && b.mountOf(r) != l.base {
			elsewhere = append(elsewhere, i)
		}
	}
	if b.hasNameless() {
		for _, r := range b.reads {
			if err := l.nameNameless(ctx, b, r); err != nil {
				return err
			}
		}
	}
	if elsewhere == nil {
		return nil
	}
	return l.keysElsewhere(ctx, b, elsewhere)
}

// invent returns the key that stands for a text, on both sides.
func (l *loader) invent(text string) int64 {
	key, ok := l.invented[text]
	if !ok {
		key = -int64(len(l.invented)) - 1
		l.invented[text] = key
	}
	return key
}

// texts returns what invented keys stand for, to show it: the hex digits of an
// asset id or a path hash, nothing for a path.
func (l *loader) texts() map[int64]string {
	texts := map[int64]string{}
	for text, key := range l.invented {
		if kind, rest, _ := strings.Cut(text, " "); kind == "id" || kind == "hash" {
			texts[key] = rest
		}
	}
	return texts
}

// nameNameless keys entries without a name by their asset id, their path hash, or
// at the least their content.
func (l *loader) nameNameless(ctx context.Context, b *build, r read) error {
	i := r.from
	return schema.EachRow(ctx, l.db, nameless, []driver.Value{b.id, r.ordinals}, func(v []driver.Value) {
		for i < len(b.rows) && b.rows[i].path != 0 {
			i++
		}
		if i == len(b.rows) {
			return
		}
		b.rows[i].key = l.invent(identityOf(v, b.rows[i].content))
		i++
	})
}

func identityOf(v []driver.Value, content int64) string {
	bits, hi, lo := integer(v[0]), uint64(integer(v[1])), uint64(integer(v[2]))
	switch {
	case v[2] != nil && bits == 32:
		return fmt.Sprintf("id %08x", uint32(lo))
	case v[2] != nil && bits == 64:
		return fmt.Sprintf("id %016x", lo)
	case v[2] != nil && bits == 96:
		return fmt.Sprintf("id %08x%016x", uint32(hi), lo)
	case v[2] != nil:
		return fmt.Sprintf("id %016x%016x", hi, lo)
	case v[3] != nil:
		return fmt.Sprintf("hash %016x", uint64(integer(v[3])))
	}
	return fmt.Sprintf("content %d", content)
}

// keysElsewhere keys entries below other mount points by the path id that the
// file would have below the base, where there is one.
func (l *loader) keysElsewhere(ctx context.Context, b *build, rows []int) error {
	ids := make([]int64, len(rows))
	for i, r := range rows {
		ids[i] = b.rows[r].path
	}
	names := &names{}
	if err := names.load(ctx, l.db, ids); err != nil {
		return err
	}
	full := make([]string, len(rows))
	var keys []int64
	for i, r := range rows {
		full[i] = mount.Path(b.mountOf(&b.rows[r]), names.path(b.rows[r].path))
		if rel, ok := cutBase(full[i], l.base); ok {
			keys = append(keys, schema.PathKey(rel))
		}
	}
	known, err := l.pathIDs(ctx, keys)
	if err != nil {
		return err
	}
	for i, r := range rows {
		rel, ok := cutBase(full[i], l.base)
		if id := known[rel]; ok && id != 0 {
			b.rows[r].key = id
		} else {
			b.rows[r].key = l.invent("path " + full[i])
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

func (l *loader) pathIDs(ctx context.Context, keys []int64) (map[string]int64, error) {
	ids := map[string]int64{}
	slices.Sort(keys)
	err := batches(slices.Compact(keys), func(keys []int64) error {
		return schema.EachRow(ctx, l.db, pathsByKey, []driver.Value{jsonInts(keys)}, func(v []driver.Value) { ids[str(v[1])] = integer(v[0]) })
	})
	return ids, err
}
