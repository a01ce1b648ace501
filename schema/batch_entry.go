package schema

import (
	"database/sql/driver"
	"strconv"
	"strings"
)

// entryColumn is a column of table entry that holds numbers; ok is false for
// NULL.
type entryColumn struct {
	name  string
	value func(e *Entry) (v int64, ok bool)
}

// entryColumns are the columns of table entry that hold numbers.
var entryColumns = []entryColumn{
	{"lineage_id", func(e *Entry) (int64, bool) { return e.lineage, true }},
	{"row", func(e *Entry) (int64, bool) { return e.row, true }},
	{"since", func(e *Entry) (int64, bool) { return e.since, true }},
	{"print", func(e *Entry) (int64, bool) { return e.print, true }},
	{"path_id", func(e *Entry) (int64, bool) { return e.pathID, e.pathID != 0 }},
	{"content_id", func(e *Entry) (int64, bool) { return e.contentID, e.contentID != 0 }},
	{"offset", func(e *Entry) (int64, bool) { return e.placed, true }},
	{"stored", func(e *Entry) (int64, bool) { return e.Stored, true }},
	{"size", func(e *Entry) (int64, bool) { return e.Size, true }},
	{"method_id", func(e *Entry) (int64, bool) { return e.methodID, true }},
	{"flags", func(e *Entry) (int64, bool) { return e.Flags, true }},
	{"mtime", func(e *Entry) (int64, bool) { return e.ModTime, e.HasTime }},
	{"path_hash", func(e *Entry) (int64, bool) { return int64(e.PathHash), e.HasPathHash }},
	{"type_id", func(e *Entry) (int64, bool) { return e.typeID, e.typeID != 0 }},
	{"id_hi", func(e *Entry) (int64, bool) { return int64(e.ID[0]), e.IDBits > 64 }},
	{"id_lo", func(e *Entry) (int64, bool) { return int64(e.ID[1]), e.IDBits > 0 }},
	{"id_bits", func(e *Entry) (int64, bool) { return e.IDBits, e.IDBits > 0 }},
}

// entryBlob is a column of table entry that holds bytes; nil is NULL.
type entryBlob struct {
	name  string
	value func(e *Entry) []byte
}

// entryBlobs are the columns of table entry that hold bytes.
var entryBlobs = []entryBlob{
	{"file_key", func(e *Entry) []byte {
		if !e.hasFile {
			return nil
		}
		return e.file[:]
	}},
	{"sum", func(e *Entry) []byte { return e.Sum }},
	{"padded", func(e *Entry) []byte {
		if !e.HasPadded {
			return nil
		}
		return e.Padded[:]
	}},
}

// constant reports whether all entries have the same number, or none, in c.
func (c entryColumn) constant(entries []Entry) bool {
	v, ok := c.value(&entries[0])
	for i := range entries[1:] {
		if w, set := c.value(&entries[i+1]); w != v || set != ok {
			return false
		}
	}
	return true
}

// absent reports whether no entry has c.
func (c entryBlob) absent(entries []Entry) bool {
	for i := range entries {
		if c.value(&entries[i]) != nil {
			return false
		}
	}
	return true
}

// entryInsert is a statement that inserts entries. Most columns of most archives
// hold one number, or none: what a column costs to pull, a sixteenth of a row, is
// spent on the others only.
type entryInsert struct {
	names, exprs []string
	pulled       []func(e *Entry) driver.Value
}

func newEntryInsert(entries []Entry) *entryInsert {
	in := &entryInsert{}
	for _, c := range entryColumns {
		if c.constant(entries) {
			if v, ok := c.value(&entries[0]); ok {
				in.add(c.name, strconv.FormatInt(v, 10))
			}
			continue
		}
		in.pull(c.name, func(e *Entry) driver.Value { return orNull(c.value(e)) })
	}
	for _, c := range entryBlobs {
		if c.absent(entries) {
			continue
		}
		in.pull(c.name, func(e *Entry) driver.Value {
			if b := c.value(e); b != nil {
				return b
			}
			return nil
		})
	}
	return in
}

func (in *entryInsert) add(name, expr string) {
	in.names, in.exprs = append(in.names, name), append(in.exprs, expr)
}

func (in *entryInsert) pull(name string, value func(e *Entry) driver.Value) {
	in.add(name, string(rune('a'+len(in.pulled))))
	in.pulled = append(in.pulled, value)
}

func (in *entryInsert) query() string {
	return "INSERT OR FAIL INTO entry_row (" + strings.Join(in.names, ", ") + ") SELECT " + strings.Join(in.exprs, ", ") + " FROM src"
}

func (t *batchTx) insertEntries(b *batch) error {
	if len(b.entries) == 0 {
		return nil
	}
	for i := range b.entries {
		e := &b.entries[i]
		var err error
		if e.methodID, err = t.word(e.Method); err != nil {
			return err
		}
		if e.Type == "" {
			continue
		}
		if e.typeID, err = t.word(e.Type); err != nil {
			return err
		}
	}
	in := newEntryInsert(b.entries)
	return t.insert(in.query(), len(b.entries), func(row, col int) driver.Value { return in.pulled[col](&b.entries[row]) })
}

func orNull(v int64, ok bool) driver.Value {
	if !ok {
		return nil
	}
	return v
}

// place returns an offset, NULL for none.
func place(off int64) driver.Value { return orNull(off, off >= 0) }

func (t *batchTx) insertProblems(b *batch) error {
	return t.insert(`INSERT INTO problem (archive_id, seq, ordinal, path, field, offset, cause, whole)
		SELECT a, b, c, d, e, f, g, h FROM src`, len(b.problems),
		func(row, col int) driver.Value {
			p := &b.problems[row]
			switch col {
			case 0:
				return p.archive
			case 1:
				return p.seq
			case 2:
				return place(p.Ordinal)
			case 3:
				if p.Path == "" {
					return nil
				}
				return p.Path
			case 4:
				return p.Field
			case 5:
				return place(p.Offset)
			case 6:
				return p.Cause
			}
			return flag(p.Whole)
		})
}

func (t *batchTx) insertNames(b *batch) error {
	for i := range b.names {
		if err := t.addWords(b.names[i].Type); err != nil {
			return err
		}
	}
	return t.insert(`INSERT INTO named_resource (archive_id, ordinal, name, type_id, id_hi, id_lo, id_bits)
		SELECT a, b, c, d, e, f, g FROM src`, len(b.names),
		func(row, col int) driver.Value {
			n := &b.names[row]
			switch col {
			case 0:
				return n.archive
			case 1:
				return n.Ordinal
			case 2:
				return n.Name.Name
			case 3:
				return t.words[n.Type]
			case 4:
				return orNull(int64(n.ID[0]), n.IDBits > 64)
			case 5:
				return int64(n.ID[1])
			}
			return n.IDBits
		})
}

// insertArchives writes the state of each archive that the batch concerns.
func (t *batchTx) insertArchives(b *batch) error {
	return t.insert(`INSERT INTO archive (archive_id, size, mtime, quick, digest, scan, format, version,
			mount_point, encrypted, entry_count, entry_size, entry_stored, problem_count, complete, lineage_id, edition, row_bits, row_base)
		SELECT a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s FROM src WHERE true
		ON CONFLICT (archive_id) DO UPDATE SET (digest, entry_count, entry_size, entry_stored, problem_count, complete)
			= (excluded.digest, excluded.entry_count, excluded.entry_size, excluded.entry_stored,
			   excluded.problem_count, excluded.complete)`, len(b.archives),
		func(row, col int) driver.Value { return archiveColumn(&b.archives[row], col) })
}

func archiveColumn(a *archiveRow, col int) driver.Value {
	switch col {
	case 0:
		return a.id
	case 1:
		return a.Size
	case 2:
		return a.ModTime
	case 3:
		return a.Quick[:]
	case 4:
		if a.digest == nil {
			return nil
		}
		return a.digest[:]
	case 5:
		return a.Scan
	case 6:
		return a.Format
	case 7:
		return a.Version
	case 8:
		return a.MountPoint
	case 9:
		return flag(a.Encrypted)
	case 10:
		return a.entries
	case 11:
		return a.size
	case 12:
		return a.stored
	case 13:
		return a.problems
	case 14:
		return flag(a.ended)
	case 15:
		return a.lineage.id
	case 16:
		return a.edition
	case 17:
		return int64(RowBits)
	}
	return int64(rowBase)
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// endRows ends the rows that an edition does not have.
func endRows(t *batchTx, b *batch) error {
	return t.insert("UPDATE entry_row SET until = src.c FROM src WHERE lineage_id = src.a AND row = src.b", len(b.ended),
		func(row, col int) driver.Value {
			e := &b.ended[row]
			return [...]int64{e.lineage, e.row, e.edition}[col]
		})
}

// insertShifts says where ordinals and offsets differ from those of the rows.
func insertShifts(t *batchTx, b *batch) error {
	return t.insert("INSERT INTO archive_shift (archive_id, row, ordinals, offsets) SELECT a, b, c, d FROM src", len(b.shifts),
		func(row, col int) driver.Value {
			s := &b.shifts[row]
			return [...]int64{s.archive, s.row, s.ordinals, s.offsets}[col]
		})
}
