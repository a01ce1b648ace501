package diff

import (
	"context"
	"database/sql"
	"errors"
	"iter"

	"pakdb/diff/internal/match"
	"pakdb/diff/internal/side"
)

// Len returns the number of changes.
func (r *Result) Len() int { return r.changes }

// Same reports whether nothing changed.
func (r *Result) Same() bool { return len(r.found.Pairs) == 0 && len(r.Reordered) == 0 }

// Names yields what all entries that changed are called, on both sides. It reads
// nothing.
func (r *Result) Names() iter.Seq[string] {
	return func(yield func(string) bool) {
		s := r.found.Sides
		for _, p := range r.found.Pairs {
			if p.Old >= 0 && !yield(r.nameOf(&s.Old.Rows[p.Old])) || p.New >= 0 && !yield(r.nameOf(&s.New.Rows[p.New])) {
				return
			}
		}
	}
}

// UnknownNames returns the names of the entries that Unknown counts, in no particular
// order.
func (r *Result) UnknownNames(ctx context.Context) ([]string, error) {
	paths := make([]int64, 0, len(r.found.Unknown))
	for _, row := range r.found.Unknown {
		paths = append(paths, r.found.Sides.New.Rows[row].Path)
	}
	found, err := r.found.Sides.Source.Names(ctx, paths)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(r.found.Unknown))
	for _, row := range r.found.Unknown {
		names = append(names, r.name(found, &r.found.Sides.New.Rows[row]))
	}
	return names, nil
}

func (r *Result) nameOf(e *side.Row) string { return r.name(r.found.Names, e) }

func (r *Result) name(of *side.Names, e *side.Row) string {
	f := File{Path: of.Path(e.Path), AssetID: r.found.Sides.Texts[e.Key]}
	return f.Name()
}

// replaced is a content of the old build that another took the place of in the new one.
type replaced struct {
	old, new int64 // content_ids; the contents differ
	cosmetic bool  // in nothing but cook noise
}

// edits returns the contents of entries that were modified: of each file, whichever
// asset it is a part of.
func (r *Result) edits() (all []replaced) {
	r.found.Each(match.Modified|match.Cosmetic, func(p *match.Pair, old, new int64) {
		all = append(all, replaced{old, new, p.What&match.Cosmetic != 0})
	})
	return all
}

// pathsOfBuild lists the paths of all entries of a build.
const pathsOfBuild = `SELECT d.prefix || p.name
	FROM x_build b
	CROSS JOIN x_build_archive ba ON ba.build_id = b.build_id
	CROSS JOIN x_entry e ON e.archive_id = ba.archive_id
	CROSS JOIN x_path p ON p.path_id = e.path_id
	CROSS JOIN x_dir d ON d.dir_id = p.dir_id
	WHERE b.label = ?1 AND b.complete = 1`

// Paths yields the paths of all entries of complete builds of these labels, in no
// particular order and some more than once. It ends with the first error.
func Paths(ctx context.Context, db *sql.DB, labels ...string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, label := range labels {
			rows, err := db.QueryContext(ctx, pathsOfBuild, label)
			if err != nil {
				yield("", err)
				return
			}
			more := true
			for more && rows.Next() {
				var path string
				err := rows.Scan(&path)
				more = yield(path, err) && err == nil
			}
			if err := errors.Join(rows.Err(), rows.Close()); err != nil && more {
				more = yield("", err) && false
			}
			if !more {
				return
			}
		}
	}
}

// changeBatch is how many changes have their hashes looked up at once.
const changeBatch = 4096

// Changes yields the changes ordered by folder, name and kind, or as [Result.Sort] says. It
// ends with the first error. See [Options.Reuse].
func (r *Result) Changes(ctx context.Context) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		if r.words == nil {
			var err error
			if r.words, err = r.found.Sides.Source.Words(ctx); err != nil {
				yield(Change{}, err)
				return
			}
		}
		for from := 0; from < len(r.found.Pairs); from += changeBatch {
			to := min(from+changeBatch, len(r.found.Pairs))
			hashes, err := r.hashes(ctx, from, to)
			if err != nil {
				yield(Change{}, err)
				return
			}
			for n := from; n < to; n++ {
				i := r.pair(n)
				if r.isHidden(i) {
					continue
				}
				if r.files = r.files[:0]; !r.reuse {
					r.files = make([]File, 0, 2)
				}
				if !yield(r.change(i, hashes), nil) {
					return
				}
			}
		}
	}
}

// hashes looks up the hashes of the contents of pairs, in the order of [Result.Changes].
func (r *Result) hashes(ctx context.Context, from, to int) (map[int64]string, error) {
	if r.brief {
		return nil, nil
	}
	var contents []int64
	for n := from; n < to; n++ {
		p := &r.found.Pairs[r.pair(n)]
		if p.Old >= 0 {
			contents = append(contents, r.found.Sides.Old.Rows[p.Old].Content)
		}
		if p.New >= 0 {
			contents = append(contents, r.found.Sides.New.Rows[p.New].Content)
		}
		if kept := r.found.KeptBy(p); kept != nil {
			contents = append(contents, kept.Old.Content, kept.New.Content)
		}
	}
	return r.found.Sides.Source.Hashes(ctx, contents)
}

// change returns a change, of an asset that of all its files.
func (r *Result) change(i int, hashes map[int64]string) Change {
	g, kept := r.found.Groups[int32(i)], r.found.KeptBy(&r.found.Pairs[i])
	if g == nil && kept == nil {
		return r.single(i, hashes)
	}
	files := []Change{r.single(i, hashes)}
	if g != nil {
		for _, i := range g.Rest {
			files = append(files, r.single(int(i), hashes))
		}
	}
	if kept == nil {
		return together(files, nil, nil)
	}
	return together(files, r.named(r.found.Sides.Old, &kept.Old, kept.OldPath, hashes), r.named(r.found.Sides.New, &kept.New, kept.NewPath, hashes))
}

func (r *Result) single(i int, hashes map[int64]string) Change {
	p, s := &r.found.Pairs[i], r.found.Sides
	what := Kind(p.What)
	c := Change{Kind: what.First(), Also: what &^ what.First(), RenamedBy: p.By.String(),
		Similarity: int(p.Similarity), Download: r.found.Downloads[i]}
	if p.Old >= 0 {
		c.Old = r.file(s.Old, p.Old, hashes)
	}
	if p.New >= 0 {
		c.New = r.file(s.New, p.New, hashes)
	}
	c.Notes = notes(r.found, p)
	return c
}

func (r *Result) file(b *side.Side, row int32, hashes map[int64]string) *File {
	e := &b.Rows[row]
	if r.lastID != e.Path { // most changes have one path on both sides
		r.lastID, r.lastPath = e.Path, r.found.Names.Path(e.Path)
	}
	return r.named(b, e, r.lastPath, hashes)
}

func (r *Result) named(b *side.Side, e *side.Row, path string, hashes map[int64]string) *File {
	a := &b.Archives[e.Archive]
	r.files = append(r.files, File{Path: path, AssetID: r.found.Sides.Texts[e.Key], Archive: a.Name, Type: r.words[e.Kind()], Method: r.words[e.Method()],
		Flags: e.Flags(), Size: e.Size, Stored: e.Stored, Copies: int(e.Copies), Content: hashes[e.Content],
		PathID: e.Path, ContentID: e.Content, ArchiveID: a.ID})
	return &r.files[len(r.files)-1]
}
