package rows

import (
	"cmp"
	"slices"

	"pakdb/schema/internal/btree"
	"pakdb/schema/internal/record"
)

// rowColumns are the columns of entry_row that are read, and where.
var rowColumns = []string{"row", "path_id", "content_id", "offset", "stored", "size", "method_id", "flags", "mtime", "type_id",
	"id_hi", "id_lo", "id_bits", "path_hash", "file_key", "padded", "since", "until", "lineage_id"}

const (
	colRow = iota
	colPath
	colContent
	colOffset
	colStored
	colSize
	colMethod
	colFlags
	colMtime
	colType
	colHi
	colLo
	colBits
	colHash
	colFileKey
	colPadded
	colSince
	colUntil
	colLineage
	colSum // of [Stored] alone
)

// flags of entries that a game does not see: delete records, what lies in archives that are
// entries, and what describes an archive.
const unseen = 42

// archive reads the entries of an archive.
func (r *reader) archive(a *Archive) error {
	made := r.seen.of(a.ordinal)
	e := &Entry{Archive: a}
	return r.eachRow(a, func(v []btree.Value, shift *shifts) error {
		if err := r.entry(e, v); err != nil {
			return err
		}
		if err := shift.apply(e); err != nil {
			return err
		}
		if r.Files {
			if err := r.place(e, &made); err != nil {
				return err
			}
		}
		return r.each(e)
	})
}

// eachRow calls row for the rows of entry_row that an archive has.
func (r *reader) eachRow(a *Archive, row func(v []btree.Value, shift *shifts) error) error {
	c := r.rows.Cursor()
	if err := c.From(a.lineage, -1<<63); err != nil {
		return err
	}
	shift := &shifts{reader: r, archive: a}
	if err := shift.begin(); err != nil {
		return err
	}
	for n := 1; ; n++ {
		if n%4096 == 0 && r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		v, err := c.Next()
		if err != nil || v == nil || v[colLineage].Int != a.lineage {
			return err
		}
		if !holds(v, a.edition) {
			continue
		}
		if err := row(v, shift); err != nil {
			return err
		}
	}
}

// place sets what the build makes of an entry. Entries come in the order of rows.
func (r *reader) place(e *Entry, s *seen) error {
	for len(s.hidden) > 0 && s.hidden[0].row < e.row {
		s.hidden = s.hidden[1:]
	}
	for len(s.hides) > 0 && s.hides[0].row < e.row {
		s.hides = s.hides[1:]
	}
	for len(s.names) > 0 && s.names[0].row < e.row {
		s.names = s.names[1:]
	}
	e.Seen = e.Flags&unseen == 0 && (len(s.hidden) == 0 || s.hidden[0].row != e.row)
	e.Shadowed = 0
	for len(s.hides) > 0 && s.hides[0].row == e.row {
		s.hides = s.hides[1:]
		e.Shadowed++
	}
	e.GamePath, e.Root = e.Path, e.Archive.root
	if len(s.names) > 0 && s.names[0].row == e.row {
		return r.rename(e, s.names[0])
	}
	return nil
}

// of returns what is of an archive.
func (s *seen) of(mount int64) seen {
	return seen{part(s.hidden, mount, at.of), part(s.hides, mount, at.of), part(s.names, mount, func(n named) int64 { return n.mount })}
}

// part returns the elements of a sorted list that are of an archive.
func part[T any](list []T, mount int64, of func(T) int64) []T {
	from, _ := slices.BinarySearchFunc(list, mount, func(e T, m int64) int { return cmp.Compare(of(e), m) })
	end, _ := slices.BinarySearchFunc(list, mount+1, func(e T, m int64) int { return cmp.Compare(of(e), m) })
	return list[from:end]
}

func (a at) of() int64 { return a.mount }

// rename gives an entry the path that another archive has for it.
func (r *reader) rename(e *Entry, n named) error {
	by := r.byMount[n.by]
	if by == nil {
		return unusual("an archive that gives paths is not in the build")
	}
	if err := r.texts.path(n.path, &e.gamePath); err != nil {
		return err
	}
	e.GamePath, e.Root = &e.gamePath, by.root
	return nil
}

// optional returns a value that may be NULL.
func optional(v *btree.Value, into *int64) *int64 {
	if v.Kind == btree.Null {
		return nil
	}
	*into = v.Int
	return into
}

// checkNumbers reports what is no number and has to be one.
func checkNumbers(v []btree.Value) error {
	for _, i := range [...]int{colRow, colOffset, colStored, colSize, colMethod, colFlags} {
		if v[i].Kind != btree.Int {
			return unusual("column %s is no number", rowColumns[i])
		}
	}
	return nil
}

// entry makes an entry of a row of entry_row.
func (r *reader) entry(e *Entry, v []btree.Value) (err error) {
	if err := checkNumbers(v); err != nil {
		return err
	}
	e.row, e.Flags = v[colRow].Int, v[colFlags].Int
	e.Content = nil
	if v[colContent].Kind != btree.Null {
		if err := r.texts.content(v[colContent].Int, &e.content); err != nil {
			return err
		}
		e.Content = &e.content
	}
	if !r.Paths {
		return nil
	}
	e.Offset, e.Stored, e.Size = v[colOffset].Int, v[colStored].Int, v[colSize].Int
	e.Ordinal = e.row>>e.Archive.bits - e.Archive.base
	e.Mtime, e.PathHash = optional(&v[colMtime], &e.mtime), optional(&v[colHash], &e.hash)
	e.IDBits, e.IDHigh, e.ID = optional(&v[colBits], &e.idBits), optional(&v[colHi], &e.idHi), optional(&v[colLo], &e.idLow)
	e.FileKey, e.Padded = v[colFileKey].Bytes, v[colPadded].Bytes
	if e.Method, err = r.texts.word(v[colMethod].Int); err != nil {
		return err
	}
	e.Type = nil
	if v[colType].Kind != btree.Null {
		if e.Type, err = r.texts.word(v[colType].Int); err != nil {
			return err
		}
	}
	e.Path = nil
	if v[colPath].Kind != btree.Null {
		if err := r.texts.path(v[colPath].Int, &e.path); err != nil {
			return err
		}
		e.Path = &e.path
	}
	return nil
}

// shifts says where the entries of a later edition are: archive_shift.
type shifts struct {
	*reader
	archive *Archive
	cursor  *btree.Cursor
	now     shift
	next    shift
	more    bool // there is a next one
}

type shift struct {
	row, ordinals, offsets, width int64
	parts                         []byte
	none                          bool // offsets have no parts
}

func (s *shifts) begin() error {
	s.now.none = true
	if s.archive.edition == 0 {
		return nil
	}
	s.cursor = s.reader.shifts.Cursor()
	if err := s.cursor.From(s.archive.id, -1<<63); err != nil {
		return err
	}
	return s.step()
}

// step reads the next row.
func (s *shifts) step() error {
	v, err := s.cursor.Next()
	s.more = false
	if err != nil || v == nil || s.cursor.Key() != s.archive.id {
		return err
	}
	s.more = true
	s.next = shift{v[0].Int, v[1].Int, v[2].Int, v[3].Int, append(s.next.parts[:0], v[4].Bytes...), v[4].Kind == btree.Null}
	return nil
}

// apply moves an entry to where it is in the edition. Entries come in the order of rows.
func (s *shifts) apply(e *Entry) error {
	if s.archive.edition == 0 || !s.Paths {
		return nil
	}
	for s.more && s.next.row <= e.row {
		s.now, s.next = s.next, s.now
		if err := s.step(); err != nil {
			return err
		}
	}
	e.Ordinal += s.now.ordinals
	if e.Offset < 0 {
		return nil
	}
	e.Offset += s.now.offsets
	if s.now.none {
		return nil
	}
	more, err := record.MoreAt(s.now.parts, s.now.width, e.row>>s.archive.bits-s.now.row>>s.archive.bits)
	if err != nil {
		return unusual("%v", err)
	}
	e.Offset += more
	return nil
}
