package rows

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"slices"

	"pakdb/schema/internal/btree"
	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/record"
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

// places says where the entries of an archive are: archive_place.
type places struct {
	*reader
	archive *Archive
	cursor  *btree.Cursor
	now     place // that holds, without its offsets
	offsets record.Offsets
	next    place
	more    bool // there is a next one
}

type place struct {
	row, ordinal, step int64
	offsets            []byte
}

func (p *places) begin(row int64) error {
	p.cursor = p.reader.places.Cursor()
	if err := p.cursor.From(p.archive.id, row); err != nil {
		return err
	}
	return p.step()
}

// step reads the next row.
func (p *places) step() error {
	v, err := p.cursor.Next()
	p.more = false
	if err != nil || v == nil || p.cursor.Key() != p.archive.id {
		return err
	}
	p.more = true
	p.next = place{v[0].Int, v[1].Int, v[2].Int, append(p.next.offsets[:0], v[3].Bytes...)}
	if p.next.step < 1 {
		return damaged("x_archive_place.step: %d", p.next.step)
	}
	return nil
}

// apply sets the ordinal and the offset of an entry. Entries come in the order of rows, and
// none is left out.
func (p *places) apply(e *Row) error {
	for p.more && p.next.row <= e.Row {
		if err := p.end(); err != nil {
			return err
		}
		p.now = place{row: p.next.row, ordinal: p.next.ordinal, step: p.next.step}
		if err := p.offsets.Reset(p.next.offsets); err != nil {
			return damaged("%v", err)
		}
		if err := p.step(); err != nil {
			return err
		}
	}
	if p.now.step == 0 {
		return damaged("x_entry_row.row: %d has no place in archive %d", e.Row, p.archive.id)
	}
	e.Ordinal = p.now.ordinal + (e.Row-p.now.row)/p.now.step
	offset, err := p.offsets.Next(e.Stored.Stored)
	if err != nil {
		return damaged("%v", err)
	}
	e.Offset = offset
	return nil
}

// end checks that there is no offset after the last entry of a place.
func (p *places) end() error {
	if p.offsets.More() {
		return damaged("archive %d has more offsets than entries", p.archive.id)
	}
	return nil
}

// Offsets finds the offsets of single entries. Those near each other in an archive are read
// at once.
type Offsets struct {
	*reader
	archives map[int64]*Archive
	recent   map[int64]*located // those of an archive that were read last
}

// located are the offsets of some entries of an archive, by their rows.
type located struct{ rows, offsets []int64 }

// maxRecent bounds archives whose offsets are kept.
const maxRecent = 64

// NewOffsets returns the offsets of a catalog.
func NewOffsets(ctx context.Context, s *conn.Statements) (*Offsets, error) {
	o := &Offsets{reader: &reader{ctx: ctx, s: s}, archives: map[int64]*Archive{}, recent: map[int64]*located{}}
	return o, o.open()
}

// Locate calls do with a function that returns the offset of an entry, by its archive and
// its row; -1 is no place. What do does is to be short.
func Locate(ctx context.Context, db *sql.DB, do func(at func(archive, row int64) (int64, error)) error) error {
	return reading(ctx, db, func(r *reader) error {
		o, err := NewOffsets(ctx, r.s)
		if err != nil {
			return err
		}
		return do(o.At)
	})
}

// At returns the offset of the entry that an archive has in a row; -1 is no place.
func (o *Offsets) At(archive, row int64) (int64, error) {
	l := o.recent[archive]
	if l == nil || row < l.rows[0] || row > l.rows[len(l.rows)-1] {
		var err error
		if l, err = o.read(archive, row); err != nil {
			return 0, err
		}
		if len(o.recent) == maxRecent {
			clear(o.recent)
		}
		o.recent[archive] = l
	}
	i, ok := slices.BinarySearch(l.rows, row)
	if !ok {
		return 0, damaged("archive %d has no row %d", archive, row)
	}
	return l.offsets[i], nil
}

// read reads the offsets that are packed with that of a row.
func (o *Offsets) read(archive, row int64) (*located, error) {
	a := o.archives[archive]
	if a == nil {
		var err error
		if a, err = o.archive(archive); err != nil {
			return nil, err
		}
		o.archives[archive] = a
	}
	first := row
	err := o.s.EachRow(o.ctx, "SELECT max(row) FROM main.x_archive_place WHERE archive_id = ?1 AND row <= ?2", []driver.Value{archive, row},
		func(v []driver.Value) { first, _ = v[0].(int64) })
	if err != nil {
		return nil, err
	}
	l := &located{}
	scanner := &Scanner{r: o.reader}
	for err = scanner.begin([]*Archive{a}, first); err == nil; {
		var e *Row
		if e, err = scanner.Next(); err != nil || e == nil || scanner.places[0].now.row != first {
			break
		}
		l.rows, l.offsets = append(l.rows, e.Row), append(l.offsets, e.Offset)
	}
	if err == nil && len(l.rows) == 0 {
		err = damaged("archive %d has no offset of row %d", archive, row)
	}
	return l, err
}
