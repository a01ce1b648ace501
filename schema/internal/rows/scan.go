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

// Scanner reads the entries of builds, or of an archive, in stored order. Of archives that are
// editions of one lineage, each row is read once and comes for all that have it.
type Scanner struct {
	// Wants says whether a row is wanted, before it comes for its archives. nil: all are.
	Wants func(*Row) (bool, error)

	r        *reader
	next     [][]*Archive // of one lineage each
	cursor   *btree.Cursor
	stored   []btree.Value // the row of the table
	unplaced bool
	places   []*places // of the archives that are read together
	at       int       // among them: the next archive that has the row
	wanted   bool      // the row is
	row      Row
	n        int
}

// NewScanner returns the entries of builds; there are none of a build that the catalog does not
// have. Without places, rows have neither ordinals nor offsets.
func NewScanner(ctx context.Context, s *conn.Statements, places bool, builds ...string) (*Scanner, error) {
	r := &reader{ctx: ctx, s: s}
	if err := r.begin(builds...); err != nil {
		return nil, err
	}
	scanner := &Scanner{r: r, unplaced: !places}
	lineages := map[int64]int{}
	for i := range r.archives {
		a := &r.archives[i]
		at, known := lineages[a.lineage]
		if !known {
			at = len(scanner.next)
			lineages[a.lineage], scanner.next = at, append(scanner.next, nil)
		}
		scanner.next[at] = append(scanner.next[at], a)
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
	return &Scanner{r: r, next: [][]*Archive{{a}}}, err
}

// Next returns the next entry, nil after the last one.
func (s *Scanner) Next() (*Row, error) {
	for {
		for w := &s.row; s.at < len(s.places); {
			p := s.places[s.at]
			s.at = s.having(s.at + 1)
			w.Mount, w.Archive, w.ID = p.archive.ordinal, p.archive, p.archive.id
			if !s.unplaced {
				if err := p.apply(w); err != nil {
					return nil, err
				}
			}
			if s.wanted {
				return w, nil
			}
		}
		if s.cursor == nil {
			if len(s.next) == 0 {
				return nil, nil
			}
			if err := s.begin(s.next[0], -1<<63); err != nil {
				return nil, err
			}
			s.next = s.next[1:]
		}
		if err := s.read(); err != nil {
			return nil, err
		}
	}
}

// begin moves before the first row of archives of one lineage from a row on, at which a place
// begins.
func (s *Scanner) begin(archives []*Archive, row int64) error {
	s.cursor = s.r.rows.Cursor()
	if err := s.cursor.From(archives[0].lineage, row); err != nil {
		return err
	}
	for _, a := range archives {
		p := &places{reader: s.r, archive: a}
		if s.places = append(s.places, p); s.unplaced {
			continue
		}
		if err := p.begin(row); err != nil {
			return err
		}
	}
	s.at = len(s.places)
	return nil
}

// read moves to the next row of the table, or ends the lineage.
func (s *Scanner) read() error {
	if s.n++; s.n%4096 == 0 && s.r.ctx.Err() != nil {
		return s.r.ctx.Err()
	}
	v, err := s.cursor.Next()
	if err != nil {
		return err
	}
	if v == nil || v[colLineage].Int != s.places[0].archive.lineage {
		for _, p := range s.places {
			if err := p.end(); err != nil {
				return err
			}
		}
		s.cursor, s.places, s.at = nil, nil, 0
		return nil
	}
	s.stored = v
	if s.at = s.having(0); s.at == len(s.places) {
		return nil
	}
	if err := s.set(v); err != nil {
		return err
	}
	s.wanted = true
	if s.Wants != nil {
		s.wanted, err = s.Wants(&s.row)
	}
	if !s.wanted && s.unplaced {
		s.at = len(s.places)
	}
	return err
}

// having returns the place of the first archive from one on that has the row.
func (s *Scanner) having(at int) int {
	for at < len(s.places) && !holds(s.stored, s.places[at].archive.edition) {
		at++
	}
	return at
}

// set makes an entry of a row of the table, but for what archives have of their own.
func (s *Scanner) set(v []btree.Value) error {
	w := &s.row
	w.HasTime, w.texts = v[colMtime].Kind != btree.Null, s.r.texts
	w.PathHash, w.Asset = optional(&v[colHash], &w.hash), optional(&v[colLo], &w.asset)
	w.High, w.Bits, w.Print, w.Padded = v[colHi].Int, v[colBits].Int, v[colPrint].Int, nil
	if v[colPadded].Kind != btree.Null {
		w.Padded = v[colPadded].Bytes
	}
	return w.Stored.set(v)
}

// optional returns a value that may be NULL.
func optional(v *btree.Value, into *int64) *int64 {
	if v.Kind == btree.Null {
		return nil
	}
	*into = v.Int
	return into
}
