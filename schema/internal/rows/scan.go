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
	Print    int64  // see [record.Same]

	hash, asset int64
}

// AssetID returns both halves of the asset id, 0 for none.
func (w *Row) AssetID() [2]uint64 {
	if w.Asset == nil {
		return [2]uint64{}
	}
	return [2]uint64{uint64(w.High), uint64(*w.Asset)}
}

// Scanner reads the entries of a build, or of an archive, archive by archive in stored order.
type Scanner struct {
	r      *reader
	next   []*Archive
	cursor *btree.Cursor
	place  *places
	row    Row
	n      int
}

// NewScanner returns the entries of a build; there are none if the catalog has no such build.
func NewScanner(ctx context.Context, s *conn.Statements, build string) (*Scanner, error) {
	r := &reader{ctx: ctx, s: s}
	if err := r.begin(build); err != nil {
		return nil, err
	}
	scanner := &Scanner{r: r}
	for i := range r.archives {
		scanner.next = append(scanner.next, &r.archives[i])
	}
	return scanner, nil
}

// NewArchiveScanner returns the entries of an archive, whichever builds have it.
func NewArchiveScanner(ctx context.Context, s *conn.Statements, archive int64) (*Scanner, error) {
	return (&reader{ctx: ctx, s: s}).scan(archive)
}

func (r *reader) scan(archive int64) (*Scanner, error) {
	a, err := r.archive(archive)
	if err == nil && r.rows == nil {
		err = r.open()
	}
	return &Scanner{r: r, next: []*Archive{a}}, err
}

// Next returns the next entry, nil after the last one.
func (s *Scanner) Next() (*Row, error) {
	for {
		if s.cursor == nil {
			if len(s.next) == 0 {
				return nil, nil
			}
			if err := s.begin(s.next[0], -1<<63); err != nil {
				return nil, err
			}
			s.next = s.next[1:]
		}
		if s.n++; s.n%4096 == 0 && s.r.ctx.Err() != nil {
			return nil, s.r.ctx.Err()
		}
		v, err := s.cursor.Next()
		if err != nil {
			return nil, err
		}
		a := s.place.archive
		if v == nil || v[colLineage].Int != a.lineage {
			if err := s.place.end(); err != nil {
				return nil, err
			}
			s.cursor = nil
			continue
		}
		if holds(v, a.edition) {
			return s.set(a, v)
		}
	}
}

// begin moves before the first entry of an archive from a row on, at which a place begins.
func (s *Scanner) begin(a *Archive, row int64) error {
	s.cursor = s.r.rows.Cursor()
	if err := s.cursor.From(a.lineage, row); err != nil {
		return err
	}
	s.place = &places{reader: s.r, archive: a}
	return s.place.begin(row)
}

// set makes an entry of a row of the table.
func (s *Scanner) set(a *Archive, v []btree.Value) (*Row, error) {
	w := &s.row
	if err := w.Stored.set(v); err != nil {
		return nil, err
	}
	w.Mount, w.Archive, w.ID, w.texts = a.ordinal, a, a.id, s.r.texts
	if err := s.place.apply(w); err != nil {
		return nil, err
	}
	w.HasTime = v[colMtime].Kind != btree.Null
	w.PathHash, w.Asset = optional(&v[colHash], &w.hash), optional(&v[colLo], &w.asset)
	w.High, w.Bits, w.Print, w.Padded = v[colHi].Int, v[colBits].Int, v[colPrint].Int, nil
	if v[colPadded].Kind != btree.Null {
		w.Padded = v[colPadded].Bytes
	}
	return w, nil
}

// optional returns a value that may be NULL.
func optional(v *btree.Value, into *int64) *int64 {
	if v.Kind == btree.Null {
		return nil
	}
	*into = v.Int
	return into
}
