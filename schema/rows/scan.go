package rows

import (
	"context"

	"pakdb/schema/internal/btree"
	"pakdb/schema/internal/conn"
)

// Row is an entry of a build as it is stored, by the ids of tables. It belongs to the
// [Scanner] until the next one.
type Row struct {
	Stored
	Archive  *Archive
	ID       int64 // of the archive
	Ordinal  int64
	HasTime  bool
	PathHash *int64
	Asset    *int64 // the lower 64 bits of the asset id
	High     int64  // the others
	Bits     int64
	Padded   []byte // nil for none

	hash, asset int64
}

// Scanner reads the entries of a build, archive by archive in stored order.
type Scanner struct {
	r      *reader
	next   int // archive
	cursor *btree.Cursor
	shift  *shifts
	entry  Entry
	row    Row
	n      int
}

// NewScanner returns the entries of a build; there are none if the catalog has no such build.
func NewScanner(ctx context.Context, s *conn.Statements, build string) (*Scanner, error) {
	r := &reader{ctx: ctx, s: s, Want: Want{Paths: true}, columns: storedColumns}
	if err := r.begin(build); err != nil {
		return nil, err
	}
	return &Scanner{r: r}, nil
}

// Next returns the next entry, nil after the last one.
func (s *Scanner) Next() (*Row, error) {
	for {
		if s.cursor == nil {
			if s.next == len(s.r.archives) {
				return nil, nil
			}
			if err := s.begin(&s.r.archives[s.next]); err != nil {
				return nil, err
			}
			s.next++
		}
		if s.n++; s.n%4096 == 0 && s.r.ctx.Err() != nil {
			return nil, s.r.ctx.Err()
		}
		v, err := s.cursor.Next()
		if err != nil {
			return nil, err
		}
		a := s.shift.archive
		if v == nil || v[colLineage].Int != a.lineage {
			s.cursor = nil
			continue
		}
		if holds(v, a.edition) {
			return s.set(a, v)
		}
	}
}

// begin moves before the first entry of an archive.
func (s *Scanner) begin(a *Archive) error {
	s.cursor = s.r.rows.Cursor()
	if err := s.cursor.From(a.lineage, -1<<63); err != nil {
		return err
	}
	s.shift = &shifts{reader: s.r, archive: a}
	return s.shift.begin()
}

// set makes an entry of a row of the table.
func (s *Scanner) set(a *Archive, v []btree.Value) (*Row, error) {
	w := &s.row
	if err := w.Stored.set(v); err != nil {
		return nil, err
	}
	w.Mount, w.Archive, w.ID = a.ordinal, a, a.id
	e := &s.entry
	e.Archive, e.row, e.Offset = a, w.Row, w.Offset
	e.Ordinal = e.row>>a.bits - a.base
	if err := s.shift.apply(e); err != nil {
		return nil, err
	}
	w.Offset, w.Ordinal = e.Offset, e.Ordinal
	w.HasTime = v[colMtime].Kind != btree.Null
	w.PathHash, w.Asset = optional(&v[colHash], &w.hash), optional(&v[colLo], &w.asset)
	w.High, w.Bits, w.Padded = v[colHi].Int, v[colBits].Int, nil
	if v[colPadded].Kind != btree.Null {
		w.Padded = v[colPadded].Bytes
	}
	return w, nil
}

// Texts finds paths, contents and words by their ids, as they are stored: a text may be no
// valid UTF-8.
type Texts struct {
	*texts
	folders map[int64]*Folder
}

// Folder is a folder of paths.
type Folder struct{ Prefix, Dir string }

// NewTexts returns the texts of a catalog.
func NewTexts(ctx context.Context, s *conn.Statements) (*Texts, error) {
	pages, err := btree.Open(ctx, s)
	if err != nil {
		return nil, err
	}
	t, err := newTexts(pages)
	return &Texts{t, map[int64]*Folder{}}, err
}

// Path returns the folder, the name and the id of the extension of a path. The name belongs
// to the caller until the next call.
func (t *Texts) Path(id int64) (f *Folder, name []byte, ext int64, err error) {
	v, err := t.paths.Find(id)
	if err != nil {
		return nil, nil, 0, err
	}
	if v == nil {
		return nil, nil, 0, unusual("no path %d", id)
	}
	dir := v[0].Int
	name, ext = v[1].Bytes, v[2].Int
	if f = t.folders[dir]; f != nil {
		return f, name, ext, nil
	}
	d, err := t.dirs.Find(dir)
	if err == nil && d == nil {
		err = unusual("no folder %d", dir)
	}
	if err != nil {
		return nil, nil, 0, err
	}
	if len(t.folders) == maxWords {
		clear(t.folders)
	}
	f = &Folder{string(d[0].Bytes), string(d[1].Bytes)}
	t.folders[dir] = f
	return f, name, ext, nil
}

// Content returns the hash of a content, which belongs to the caller until the next call,
// and the id of its kind, 0 for none.
func (t *Texts) Content(id int64) (hash []byte, kind int64, err error) {
	v, err := t.contents.Find(id)
	if err != nil {
		return nil, 0, err
	}
	if v == nil {
		return nil, 0, unusual("no content %d", id)
	}
	return v[0].Bytes, v[2].Int, nil
}

// Word returns a word.
func (t *Texts) Word(id int64) (string, error) {
	v, err := t.words.Find(id)
	if err != nil {
		return "", err
	}
	if v == nil {
		return "", unusual("no word %d", id)
	}
	return string(v[0].Bytes), nil
}
