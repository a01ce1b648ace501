package diff

import (
	"context"
	"database/sql"

	"pakdb/diff/internal/match"
	"pakdb/diff/internal/side"
)

// Options of a comparison. The zero value works.
type Options struct {
	// PerArchive compares the entries of each archive with those of its
	// counterpart, instead of what the game sees after mounting.
	PerArchive bool
	// Times makes another modification time a change of metadata. Alone it never
	// says that a content changed.
	Times bool
	// NoRenames leaves what is gone and what is new as it is.
	NoRenames bool
	// Similar is the least similarity, in percent, of contents that are taken for
	// one that was renamed and changed; 0 is 50, above 100 is never. Only
	// contents with sketches can be found so.
	Similar int
	// Files lists each file of an Unreal asset (.uasset, .uexp, .ubulk) by itself.
	// Otherwise those of one asset are one change, unless PerArchive is set.
	Files bool
	// Brief leaves File.Content empty, which saves looking the hashes up.
	Brief bool
	// Reuse has [Result.Changes] make the files of a change in the place of those of the one
	// before.
	Reuse bool
}

// Result is the result of a comparison. It is not safe for concurrent use.
type Result struct {
	OldBuild, NewBuild string
	OldID, NewID       int64 // build_ids in the catalog
	// Unknown counts pairs of entries that could not be compared, because one of
	// them was not decoded, and whose sizes are the same.
	Unknown int64
	// Reordered names the archives whose entries lie in another order as a whole:
	// so many moved that it says nothing about any of them.
	Reordered []string

	brief   bool
	reuse   bool
	found   *match.Outcome
	changes int // how many changes the pairs of found are
	words   map[int64]string
	files   []File  // of the last change
	order   []int32 // of pairs, as Sort arranged them; nil is that of found

	lastID   int64 // path_id
	lastPath string
}

// Compare compares two complete builds of a catalog by their labels. The error is
// schema.ErrNoBuild if there is none of that label. db must allow several
// connections at once.
func Compare(ctx context.Context, db *sql.DB, old, new string, o Options) (*Result, error) {
	sides, err := side.Load(ctx, db, old, new, side.Options{PerArchive: o.PerArchive, Times: o.Times})
	if err != nil {
		return nil, err
	}
	return compareSides(ctx, sides, o)
}

func compareSides(ctx context.Context, sides *side.Sides, o Options) (*Result, error) {
	found, err := match.Compare(ctx, sides, match.Options{PerArchive: o.PerArchive, NoRenames: o.NoRenames, Similar: o.Similar, Files: o.Files})
	if err != nil {
		return nil, err
	}
	r := &Result{OldBuild: sides.Old.Label, NewBuild: sides.New.Label, OldID: sides.Old.ID, NewID: sides.New.ID, Unknown: int64(len(found.Unknown)), Reordered: found.Reordered,
		brief: o.Brief, reuse: o.Reuse, found: found, changes: len(found.Pairs)}
	for _, hidden := range found.Hidden {
		if hidden {
			r.changes--
		}
	}
	return r, nil
}
