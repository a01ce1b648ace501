package diff

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"slices"

	"pakdb/diff/internal/side"
	"pakdb/schema"
)

// shipment is what both builds are as files.
type shipment struct {
	db       *sql.DB
	catalog  side.Catalog // db
	old, new cargo
	paths    map[int64]int32  // place in old.items of a path; under has the others
	under    []int32          // for each of old.items the next one that has its path, or -1
	contents map[int64]int32  // place in old.items of a content
	first    map[uint64]int32 // place in old.items of stored bytes, by their hash; same has the others
	same     []int32          // for each of old.items the next one whose stored bytes have the same hash, or -1
	none     int64            // word_id of the method of what is not compressed
	coded    map[int64]bool   // methods whose blocks are made again from content
	fast     map[int64]bool   // methods that leave more than others do
	dense    map[int64]bool   // extensions of what is compressed by itself
}

// cargo is one build: its files, and what is stored in them.
type cargo struct {
	build int64 // build_id
	label string
	files []shipped
	items []item // by file, then by offset
}

// shipped is a file of a build.
type shipped struct {
	BuildFile
	kept     bool // the other build has the very same file
	packed   bool // some entry is compressed
	unplaced bool // its entries lie inside a database
	from, to int  // of items
}

// item is an entry as it is stored.
type item struct {
	file, path int64 // place in files; path_id
	off, size  int64
	ext        int64 // word_id of the path's extension
	storedAs
}

func (i *item) end() int64 { return i.off + i.length }

// storedAs identifies stored bytes: one content, stored by one method to as many
// bytes, is taken for the same bytes, unless the archive's checksums say otherwise.
type storedAs struct {
	content, method, length int64 // content below 0: by its checksum; 0: not known
	sum                     int64 // of the checksum that the archive states; 0: none
	encrypted               bool
}

// hash mixes all that identifies stored bytes.
func (s *storedAs) hash() uint64 {
	how := s.method << 1
	if s.encrypted {
		how |= 1
	}
	h := uint64(s.content)
	for _, v := range [...]int64{s.length, s.sum, how} {
		h = (h ^ uint64(v)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}

// unshipped is the flags of delete records, and of what lies in another entry.
const unshipped = 10

// What is stored in the archives ?2, a JSON array of ordinals, of build ?1, but for what is
// [unshipped]. heldSQL lists those that hold the contents ?3.
const (
	itemColumns = `SELECT ba.ordinal, e.path_id, e.archive_id, e.row, e.stored, e.size, e.content_id, e.method_id, e.flags, e.sum,
		(SELECT p.ext_id FROM x_path p WHERE p.path_id = e.path_id)`
	heldSQL = itemColumns + `
	FROM json_each(?3) c
	CROSS JOIN x_entry e ON e.content_id = c.value
	CROSS JOIN x_build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = ?1
	WHERE e.flags & 10 = 0 AND e.stored > 0 AND ba.ordinal IN (SELECT value FROM json_each(?2))`
)

// load reads the files of both builds, what is stored in those that differ, and
// what of that the old build has in the others.
func (s *shipment) load(ctx context.Context, r *Result) error {
	if err := s.loadMethods(ctx); err != nil {
		return err
	}
	s.old.build, s.new.build = r.OldID, r.NewID
	s.old.label, s.new.label = r.OldBuild, r.NewBuild
	for _, c := range []*cargo{&s.old, &s.new} {
		files, err := Files(ctx, s.db, c.label)
		if err != nil {
			return err
		}
		for _, f := range files {
			c.files = append(c.files, shipped{BuildFile: f})
		}
	}
	markKept(s.old.files, s.new.files)
	markKept(s.new.files, s.old.files)
	for _, c := range []*cargo{&s.old, &s.new} {
		if err := c.readChanged(ctx, s.db); err != nil {
			return err
		}
	}
	if err := s.loadHeld(ctx); err != nil {
		return err
	}
	s.old.order()
	s.new.order()
	s.index()
	return nil
}

func (s *shipment) loadMethods(ctx context.Context) error {
	words, err := s.catalog.Words(ctx)
	if err != nil {
		return err
	}
	s.coded, s.fast, s.dense = map[int64]bool{}, map[int64]bool{}, map[int64]bool{}
	for id, word := range words {
		s.coded[id] = word == "none" || word == "zlib" || word == "lz4"
		s.fast[id] = word == "lz4" || word == "lzo1x"
		s.dense[id] = slices.Contains(denseExtensions, word)
		if word == "none" {
			s.none = id
		}
	}
	return nil
}

// markKept marks the files that are among others.
func markKept(files, others []shipped) {
	archives, digests := map[int64]bool{}, map[string]bool{}
	for _, f := range others {
		archives[f.ArchiveID], digests[f.Digest] = true, true
	}
	for i := range files {
		f := &files[i]
		f.kept = archives[f.ArchiveID] || f.Digest != "" && digests[f.Digest]
	}
}

// mounts lists the files that the other build has, or those that it does not.
func (c *cargo) mounts(kept bool) (ordinals []int64) {
	for _, f := range c.files {
		if f.kept == kept {
			ordinals = append(ordinals, f.Ordinal)
		}
	}
	return ordinals
}

// loadHeld reads where the old build has contents of the new one in files that
// both have.
func (s *shipment) loadHeld(ctx context.Context) error {
	kept := s.old.mounts(true)
	if len(kept) == 0 {
		return nil
	}
	var contents []int64
	for i := range s.new.items {
		contents = append(contents, s.new.items[i].content)
	}
	return side.Batches(side.Set(contents), func(ids []int64) error {
		return s.old.read(ctx, s.db, heldSQL, side.Array(kept), side.Array(ids))
	})
}

// readChanged appends what is stored in the files that the other build does not have.
func (c *cargo) readChanged(ctx context.Context, db *sql.DB) error {
	mounts, places, n := c.mounts(false), c.places(), int64(0)
	for _, mount := range mounts {
		n += c.files[places[mount]].Entries
	}
	c.items = make([]item, 0, min(max(n, 0), 1<<22))
	return schema.EachStored(ctx, db, c.label, mounts, func(e *schema.Stored) error {
		if e.Flags&unshipped != 0 || e.Stored <= 0 {
			return nil
		}
		ext, err := e.Ext()
		c.add(places[e.Mount], ext, e)
		return err
	})
}

// read appends items.
func (c *cargo) read(ctx context.Context, db *sql.DB, query string, args ...driver.Value) error {
	places := c.places()
	type found struct {
		schema.Stored
		file, ext, archive int64
	}
	var all []found
	err := schema.EachRow(ctx, db, query, append([]driver.Value{c.build}, args...), func(v []driver.Value) {
		n := func(i int) int64 { return side.Integer(v[i]) }
		sum, _ := v[9].([]byte)
		all = append(all, found{schema.Stored{Path: n(1), Row: n(3), Stored: n(4), Size: n(5), Content: n(6), Method: n(7), Flags: n(8), Sum: bytes.Clone(sum)}, places[n(0)], n(10), n(2)})
	})
	if err != nil || len(all) == 0 {
		return err
	}
	return schema.Locate(ctx, db, func(at func(archive, row int64) (int64, error)) (err error) {
		for i := range all {
			e := &all[i]
			if e.Offset, err = at(e.archive, e.Row); err != nil {
				return err
			}
			c.add(e.file, e.ext, &e.Stored)
		}
		return nil
	})
}

// places returns where in files an archive is, by its ordinal.
func (c *cargo) places() map[int64]int64 {
	places := map[int64]int64{}
	for i := range c.files {
		places[c.files[i].Ordinal] = int64(i)
	}
	return places
}

// add appends an entry of a file.
func (c *cargo) add(file, ext int64, e *schema.Stored) {
	content, sum := e.Content, int64(0)
	if len(e.Sum) >= 8 {
		sum = -int64(binary.LittleEndian.Uint64(e.Sum)>>1) - 1
	}
	if content == 0 {
		content = sum
	}
	c.items = append(c.items, item{file: file, path: e.Path, off: e.Offset, size: e.Size, ext: ext,
		storedAs: storedAs{content, e.Method, e.Stored, sum, e.Flags&1 != 0}})
}

// order sorts the items, and gives files theirs.
func (c *cargo) order() {
	slices.SortStableFunc(c.items, func(x, y item) int { return cmp.Or(cmp.Compare(x.file, y.file), cmp.Compare(x.off, y.off)) })
	at := 0
	for i := range c.files {
		f := &c.files[i]
		f.from = at
		for ; at < len(c.items) && c.items[at].file == int64(i); at++ {
			f.unplaced = f.unplaced || c.items[at].off < 0
		}
		f.to = at
	}
}

// index makes the old build's items findable.
func (s *shipment) index() {
	n := len(s.old.items)
	s.paths, s.contents, s.first = make(map[int64]int32, n), make(map[int64]int32, n), make(map[uint64]int32, n)
	s.under, s.same = make([]int32, n), make([]int32, n)
	for i := n - 1; i >= 0; i-- {
		it := &s.old.items[i]
		s.contents[it.content] = int32(i)
		s.under[i] = -1
		if it.path != 0 {
			s.under[i] = chain(s.paths, it.path, int32(i))
		}
		s.same[i] = chain(s.first, it.hash(), int32(i))
	}
	for _, c := range []*cargo{&s.old, &s.new} {
		for i := range c.items {
			it := &c.items[i]
			c.files[it.file].packed = c.files[it.file].packed || it.method != s.none
		}
	}
}

// chain puts a place before the others of a key, and returns the next of these, or -1.
func chain[K comparable](first map[K]int32, key K, place int32) int32 {
	next, ok := first[key]
	first[key] = place
	if !ok {
		return -1
	}
	return next
}

// stored returns the first place in old.items from one on that is stored as an item; the
// places are those of the hash, one after the other. It is -1 for none.
func (s *shipment) stored(it *item, from int32) int32 {
	for from >= 0 && s.old.items[from].storedAs != it.storedAs {
		from = s.same[from]
	}
	return from
}

// storedFirst returns the first of all places in old.items that are stored as an item, or -1.
func (s *shipment) storedFirst(it *item) int32 {
	first, ok := s.first[it.hash()]
	if !ok {
		return -1
	}
	return s.stored(it, first)
}

// has reports whether the old build has the very same under the path.
func (s *shipment) has(it *item) bool {
	if it.path == 0 {
		at := s.storedFirst(it)
		for at >= 0 && s.old.items[at].path != 0 {
			at = s.stored(it, s.same[at])
		}
		return at >= 0
	}
	at, ok := s.paths[it.path]
	if !ok {
		return false
	}
	for at >= 0 && s.old.items[at].storedAs != it.storedAs {
		at = s.under[at]
	}
	return at >= 0
}
