package diff

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"strings"

	"pakdb/schema"
)

// Len returns the number of changes.
func (r *Result) Len() int { return len(r.pairs) - r.hiding }

// Same reports whether nothing changed.
func (r *Result) Same() bool { return len(r.pairs) == 0 && len(r.Reordered) == 0 }

// Names yields what all entries that changed are called, on both sides. It reads
// nothing.
func (r *Result) Names() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, p := range r.pairs {
			if p.old >= 0 && !yield(r.nameOf(&r.old.rows[p.old])) || p.new >= 0 && !yield(r.nameOf(&r.new.rows[p.new])) {
				return
			}
		}
	}
}

func (r *Result) nameOf(e *row) string {
	f := File{Path: r.names.path(e.path), AssetID: r.invented[e.key]}
	return f.Name()
}

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

// Changes yields the changes ordered by folder, name and kind. It ends with the
// first error.
func (r *Result) Changes(ctx context.Context) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		if err := r.loadWords(ctx); err != nil {
			yield(Change{}, err)
			return
		}
		for from := 0; from < len(r.pairs); from += changeBatch {
			to := min(from+changeBatch, len(r.pairs))
			hashes, ids, err := r.details(ctx, from, to)
			if err != nil {
				yield(Change{}, err)
				return
			}
			for i := from; i < to; i++ {
				if r.hidden != nil && r.hidden[i] {
					continue
				}
				if !yield(r.change(i, hashes, ids), nil) {
					return
				}
			}
		}
	}
}

// loadWords reads the short strings, of which there are few.
func (r *Result) loadWords(ctx context.Context) error {
	if r.words != nil {
		return nil
	}
	r.words = map[int64]string{}
	return schema.EachRow(ctx, r.db, "SELECT word_id, word FROM word", nil, func(v []driver.Value) { r.words[integer(v[0])] = str(v[1]) })
}

// details looks up the hashes of contents, and the ids of entries without a name.
func (r *Result) details(ctx context.Context, from, to int) (hashes map[int64]string, ids map[int64]string, err error) {
	if r.brief {
		return nil, r.invented, nil
	}
	var contents []int64
	for _, p := range r.pairs[from:to] {
		if p.old >= 0 {
			contents = append(contents, r.old.rows[p.old].content)
		}
		if p.new >= 0 {
			contents = append(contents, r.new.rows[p.new].content)
		}
	}
	hashes = map[int64]string{}
	err = lookUp(ctx, r.db, hashSQL, "content c", "c.content_id", sortedSet(contents), func(id int64, v []driver.Value) {
		if b, ok := v[1].([]byte); ok {
			hashes[id] = hex.EncodeToString(b)
		}
	})
	return hashes, r.invented, err
}

func (r *Result) change(i int, hashes, ids map[int64]string) Change {
	p := &r.pairs[i]
	c := Change{Kind: p.what.first(), Also: p.what &^ p.what.first(), RenamedBy: renameWays[p.by],
		Similarity: int(p.similarity), Download: r.download[i]}
	if p.old >= 0 {
		c.Old = r.file(r.old, &r.old.rows[p.old], hashes, ids)
	}
	if p.new >= 0 {
		c.New = r.file(r.new, &r.new.rows[p.new], hashes, ids)
	}
	c.Notes = r.notes(p)
	if g := r.assets[int32(i)]; g != nil {
		r.addParts(&c, int32(i), g)
	}
	return c
}

func (r *Result) file(b *build, e *row, hashes, ids map[int64]string) *File {
	a := &b.archives[e.archive]
	return &File{Path: r.names.path(e.path), AssetID: ids[e.key], Archive: a.name, Type: r.words[e.kind()], Method: r.words[e.method()],
		Flags: e.flags(), Size: e.size, Stored: e.stored, Copies: int(e.copies), Content: hashes[e.content],
		path: e.path, content: e.content, archive: a.id}
}

func (r *Result) notes(p *pair) []string {
	var notes []string
	for i, text := range noteTexts {
		if p.notes&(1<<i) == 0 {
			continue
		}
		if 1<<i == noteNames {
			n := r.public[r.new.rows[p.new].path]
			text = fmt.Sprintf("names: %s -> %s", list(n[0]), list(n[1]))
		}
		notes = append(notes, text)
	}
	if p.notes&noteRecord != 0 {
		notes = append(notes, r.recordText(p)...)
	}
	return notes
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
