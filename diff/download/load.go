package download

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"slices"

	"pakdb/diff"
	"pakdb/diff/internal/facts"
	"pakdb/schema"
)

// shipment is what both builds are as files.
type shipment struct {
	db       *sql.DB
	old, new cargo
	have     map[identity]bool  // entries of the old build
	paths    map[int64]int32    // place in old.items of a path
	contents map[int64]int32    // and of a content
	first    map[storedAs]int32 // place in old.items of stored bytes; same has the others
	same     []int32            // for each of old.items the next one that is stored as it, or -1
	none     int64              // word_id of the method of what is not compressed
	coded    map[int64]bool     // methods whose blocks are made again from content
	fast     map[int64]bool     // methods that leave more than others do
	dense    map[int64]bool     // extensions of what is compressed by itself
}

// cargo is one build: its files, and what is stored in them.
type cargo struct {
	build int64 // build_id
	files []shipped
	items []item // by file, then by offset
}

// shipped is a file of a build.
type shipped struct {
	diff.BuildFile
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

// storedAs tells stored bytes apart: one content, stored by one method to as many
// bytes, is taken for the same bytes, unless the archive's checksums say otherwise.
type storedAs struct {
	content, method, length int64 // content below 0: by its checksum; 0: not known
	sum                     int64 // of the checksum that the archive states; 0: none
	encrypted               bool
}

// identity is an entry by its path and stored bytes.
type identity struct {
	path int64
	storedAs
}

// What is stored in the archives ?2, a JSON array of ordinals, of build ?1: no
// delete records, and nothing that lies in another entry. heldSQL lists those
// that hold the contents ?3.
const (
	itemColumns = `SELECT ba.ordinal, e.path_id, e.offset, e.stored, e.size, e.content_id, e.method_id, e.flags, e.sum,
		(SELECT p.ext_id FROM path p WHERE p.path_id = e.path_id)`
	itemsSQL = itemColumns + `
	FROM json_each(?2) j
	CROSS JOIN build_archive ba ON ba.build_id = ?1 AND ba.ordinal = j.value
	CROSS JOIN entry e ON e.archive_id = ba.archive_id
	WHERE e.flags & 10 = 0 AND e.stored > 0`
	heldSQL = itemColumns + `
	FROM json_each(?3) c
	CROSS JOIN entry e ON e.content_id = c.value
	CROSS JOIN build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = ?1
	WHERE e.flags & 10 = 0 AND e.stored > 0 AND ba.ordinal IN (SELECT value FROM json_each(?2))`
)

// load reads the files of both builds, what is stored in those that differ, and
// what of that the old build has in the others.
func (s *shipment) load(ctx context.Context, r *diff.Result) error {
	if err := s.loadMethods(ctx); err != nil {
		return err
	}
	s.old.build, s.new.build = r.OldID, r.NewID
	for _, side := range []struct {
		*cargo
		label string
	}{{&s.old, r.OldBuild}, {&s.new, r.NewBuild}} {
		files, err := diff.Files(ctx, s.db, side.label)
		if err != nil {
			return err
		}
		for _, f := range files {
			side.files = append(side.files, shipped{BuildFile: f})
		}
	}
	markKept(s.old.files, s.new.files)
	markKept(s.new.files, s.old.files)
	for _, c := range []*cargo{&s.old, &s.new} {
		if err := c.read(ctx, s.db, itemsSQL, c.ordinals(false)); err != nil {
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
	words, err := facts.Words(ctx, s.db)
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

// ordinals lists the files that the other build has, or those that it does not.
func (c *cargo) ordinals(kept bool) string {
	var list []int64
	for _, f := range c.files {
		if f.kept == kept {
			list = append(list, f.Ordinal)
		}
	}
	return facts.Array(list)
}

// loadHeld reads where the old build has contents of the new one in files that
// both have.
func (s *shipment) loadHeld(ctx context.Context) error {
	kept := s.old.ordinals(true)
	if kept == "[]" {
		return nil
	}
	var contents []int64
	for i := range s.new.items {
		contents = append(contents, s.new.items[i].content)
	}
	return facts.Batches(facts.Set(contents), func(ids []int64) error {
		return s.old.read(ctx, s.db, heldSQL, kept, facts.Array(ids))
	})
}

// read appends items.
func (c *cargo) read(ctx context.Context, db *sql.DB, query string, args ...driver.Value) error {
	places := map[int64]int64{}
	for i := range c.files {
		places[c.files[i].Ordinal] = int64(i)
	}
	return schema.EachRow(ctx, db, query, append([]driver.Value{c.build}, args...), func(v []driver.Value) {
		content, sum := facts.Integer(v[5]), int64(0)
		if b, ok := v[8].([]byte); ok && len(b) >= 8 {
			sum = -int64(binary.LittleEndian.Uint64(b)>>1) - 1
		}
		if content == 0 {
			content = sum
		}
		c.items = append(c.items, item{file: places[facts.Integer(v[0])], path: facts.Integer(v[1]), off: facts.Integer(v[2]), size: facts.Integer(v[4]), ext: facts.Integer(v[9]),
			storedAs: storedAs{content, facts.Integer(v[6]), facts.Integer(v[3]), sum, facts.Integer(v[7])&1 != 0}})
	})
}

// order sorts the items, and tells files which are theirs.
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
	s.have, s.first = make(map[identity]bool, len(s.old.items)), make(map[storedAs]int32, len(s.old.items))
	s.paths, s.contents, s.same = map[int64]int32{}, map[int64]int32{}, make([]int32, len(s.old.items))
	for i := len(s.old.items) - 1; i >= 0; i-- {
		it := &s.old.items[i]
		s.have[identity{it.path, it.storedAs}] = true
		s.contents[it.content] = int32(i)
		if it.path != 0 {
			s.paths[it.path] = int32(i)
		}
		s.same[i] = -1
		if next, ok := s.first[it.storedAs]; ok {
			s.same[i] = next
		}
		s.first[it.storedAs] = int32(i)
	}
	for _, c := range []*cargo{&s.old, &s.new} {
		for i := range c.items {
			it := &c.items[i]
			c.files[it.file].packed = c.files[it.file].packed || it.method != s.none
		}
	}
}
