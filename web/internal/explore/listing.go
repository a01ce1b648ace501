package explore

import (
	"cmp"
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"slices"

	"pakdb/schema"
)

// Listing is the files directly in a folder, by name. It does not change, and is safe for
// concurrent use.
type Listing struct {
	Files []File
}

// File is a file of a folder, as the game sees it.
type File struct {
	Name         string
	Size, Stored int64
	Type         int64 // word_id, of Tree.Words
	Archive      int64 // its place in the build
	Encrypted    bool
	Content      int64 // content_id
	Files        int   // of the asset that it is, whose sizes these are; 1 of another file

	row int64 // entry.row, in its archive; its ordinal, where files come from elsewhere
}

// Order is by what files of a folder are sorted.
type Order string

// The orders. All but ByName begin with the largest.
const (
	ByName   Order = "name"
	BySize   Order = "size"
	ByStored Order = "stored"
	ByType   Order = "type"
)

// Orders returns all orders.
func Orders() []Order { return []Order{ByName, BySize, ByStored, ByType} }

// member is an entry whose path lies in a folder, in some edition of its archive.
type member struct {
	File
	lineage, since, until int64
}

// memberKey is a folder of the tables as it was when a build was the newest: later ones add
// entries, which no earlier build has.
type memberKey struct{ newest, dir int64 }

// mostMembers bounds the bytes of the members that are kept, memberSize is about how many one takes.
const (
	mostMembers = 8 << 20
	memberSize  = 170
)

const membersSQL = `SELECT p.name, p.ext_id, r.lineage_id, r.row, r.since, r.until, r.size, r.stored, r.flags & 1, r.content_id
	FROM x_path p INDEXED BY path_dir
	CROSS JOIN x_entry_row r INDEXED BY entry_path ON r.path_id = p.path_id
	WHERE p.dir_id = ?1 AND r.flags & 42 = 0`

// members returns what all builds have in a folder of the tables. To read it takes most of the
// time of a list, and is done once for all builds: each entry lies in other pages of the file.
func (t *Tree) members(ctx context.Context, dir int64) ([]member, error) {
	return t.catalog.members.Get(ctx, memberKey{t.newest, dir}, func(ctx context.Context) (all []member, weight int, err error) {
		err = schema.EachRow(ctx, t.catalog.db, membersSQL, []driver.Value{dir}, func(v []driver.Value) {
			all = append(all, member{
				File: File{Name: text(v[0]), Type: integer(v[1]), row: integer(v[3]), Size: integer(v[6]), Stored: integer(v[7]),
					Encrypted: v[8] == int64(1), Content: integer(v[9]), Files: 1},
				lineage: integer(v[2]), since: integer(v[4]), until: integer(v[5]),
			})
		})
		return all, memberSize * (len(all) + 1), schema.Classify(err)
	})
}

// List returns the files directly in a folder of the tree, by its path. The error is of class
// [ErrNoFolder] if there is none.
func (t *Tree) List(ctx context.Context, path string) (*Listing, error) {
	f, err := t.Folder(path)
	if err != nil {
		return nil, err
	}
	l := &Listing{}
	lineages := map[int64][]*mount{}
	for i := range t.mounts {
		m := &t.mounts[i]
		lineages[m.lineage] = append(lineages[m.lineage], m)
	}
	for _, key := range t.dirs(f) {
		members, err := t.members(ctx, int64(key.dir))
		if err != nil {
			return nil, err
		}
		for i := range members {
			f := members[i].File
			for _, m := range lineages[members[i].lineage] {
				at := [2]int64{m.ordinal, f.row}
				if m.root != t.roots[key.root] || members[i].since > m.edition || members[i].until != 0 && members[i].until <= m.edition || t.hides(at) || t.renamed[at] {
					continue
				}
				f.Archive = m.ordinal
				l.Files = append(l.Files, f)
			}
		}
		if err := t.appendNamed(ctx, l, key); err != nil {
			return nil, schema.Classify(err)
		}
	}
	slices.SortFunc(l.Files, func(a, b File) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Archive, b.Archive), cmp.Compare(a.row, b.row))
	})
	return l, nil
}

const largestSQL = `SELECT d.prefix || p.name, r.content_id
	FROM x_dir d
	CROSS JOIN x_path p INDEXED BY path_dir ON p.dir_id = d.dir_id
	CROSS JOIN x_entry_row r INDEXED BY entry_path ON r.path_id = p.path_id
	WHERE d.dir_id = ?1 AND p.ext_id = ?2 AND r.size = ?3 AND r.flags & 42 = 0 LIMIT 1`

// Largest returns the path that the largest file below a folder has in its archive, and its
// content_id, in one of the builds that have such a file; "" where none is found.
func (t *Tree) Largest(ctx context.Context, f *Folder) (path string, content int64, err error) {
	isIn := func(below *Folder) bool { return below.largest == f.largest && below.kind == f.kind }
	for i := 0; i >= 0; {
		if i = slices.IndexFunc(f.Folders, isIn); i >= 0 {
			f = f.Folders[i]
		}
	}
	for _, key := range t.dirs(f) {
		err = errors.Join(err, schema.EachRow(ctx, t.catalog.db, largestSQL, []driver.Value{int64(key.dir), int64(f.kind), f.largest},
			func(v []driver.Value) { path, content = text(v[0]), integer(v[1]) }))
	}
	return path, content, schema.Classify(err)
}

// appendNamed appends the files of a folder whose path another container has.
func (t *Tree) appendNamed(ctx context.Context, l *Listing, key dirKey) error {
	for _, n := range t.named[int64(key.dir)] {
		if by := t.mount(n.by); by == nil || by.root != t.roots[key.root] {
			continue
		}
		f := File{Size: n.size, Stored: n.stored, Archive: n.mount, Files: 1, row: n.row}
		if err := t.catalog.db.QueryRowContext(ctx, "SELECT name, ext_id FROM x_path WHERE path_id = ?", n.path).Scan(&f.Name, &f.Type); err != nil {
			return err
		}
		l.Files = append(l.Files, f)
	}
	return nil
}

// SortedBy returns the files in another order, or the listing itself if that has it. words
// are those of the tree, by which types are sorted.
func (l *Listing) SortedBy(by Order, backward bool, words map[int64]string) *Listing {
	if by == ByName && !backward {
		return l
	}
	return &Listing{sorted(l.Files, by, backward, func(f *File) (string, string, int64, int64) { return f.Name, words[f.Type], f.Size, f.Stored })}
}

// SortFolders returns folders in an order; those of one type have none of their own, and
// go by name.
func SortFolders(folders []*Folder, by Order, backward bool) []*Folder {
	return sorted(folders, by, backward, func(f **Folder) (string, string, int64, int64) { return (*f).Name, "", (*f).Size, (*f).Stored })
}

// sorted returns files or folders in an order, those that are equal by name and then as they
// were.
func sorted[T any](all []T, by Order, backward bool, of func(*T) (name, kind string, size, stored int64)) []T {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b T) int {
		name, kind, size, stored := of(&a)
		otherName, otherKind, otherSize, otherStored := of(&b)
		order := 0
		switch by {
		case BySize:
			order = cmp.Compare(otherSize, size)
		case ByStored:
			order = cmp.Compare(otherStored, stored)
		case ByType:
			order = cmp.Compare(kind, otherKind)
		case ByName:
		}
		if order = cmp.Or(order, cmp.Compare(name, otherName)); backward {
			return -order
		}
		return order
	})
	return all
}

const ordinalsSQL = `SELECT j.key, e.ordinal FROM json_each(?1) j
	CROSS JOIN x_entry e ON e.archive_id = j.value ->> 0 AND e.row = j.value ->> 1`

// Ordinals returns the position of files in their archives, which their addresses have. One
// statement asks for all: to begin one takes longer than to find an entry.
func (t *Tree) Ordinals(ctx context.Context, files []File) ([]int64, error) {
	asked := make([][2]int64, len(files)) // archive and row
	for i := range files {
		if m := t.mount(files[i].Archive); m != nil {
			asked[i] = [2]int64{m.archive, files[i].row}
		}
	}
	text, err := json.Marshal(asked)
	if err != nil {
		return nil, err
	}
	all := make([]int64, len(files))
	err = schema.EachRow(ctx, t.catalog.db, ordinalsSQL, []driver.Value{string(text)}, func(v []driver.Value) { all[integer(v[0])] = integer(v[1]) })
	return all, schema.Classify(err)
}
