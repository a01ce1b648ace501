package schema

import (
	"database/sql/driver"
	"strings"
)

// entryWords are the ids of an entry's short strings, resolved before the rows
// are pulled: no statement may run while another reads temp.src.
type entryWords struct{ method, kind int64 }

// entryColumns are the columns of table entry, by their number: those that
// every entry may have, and those of which some formats have none.
var entryColumns = [...]string{"archive_id", "ordinal", "path_id", "content_id", "offset", "stored", "size", "method_id",
	"flags", "mtime", "path_hash", "file_key", "type_id", "id_hi", "id_lo", "id_bits", "sum", "padded"}

// The numbers of the columns that are optional.
const (
	firstTyped   = 12
	sumColumn    = 16
	paddedColumn = 17
)

// insertOf returns a statement that inserts entries with some optional columns,
// and the number of each column that it pulls: one costs as much as a
// fourteenth of a row.
func insertOf(typed, sums, padded bool) (query string, columns []int) {
	var names, pulled []string
	for i, name := range entryColumns {
		if i >= firstTyped && i < sumColumn && !typed || i == sumColumn && !sums || i == paddedColumn && !padded {
			continue
		}
		names, pulled = append(names, name), append(pulled, string(rune('a'+len(names))))
		columns = append(columns, i)
	}
	return "INSERT INTO entry (" + strings.Join(names, ", ") + ") SELECT " + strings.Join(pulled, ", ") + " FROM src", columns
}

// insertEntries pulls the columns that only some formats have when an entry of
// the batch has them.
func (t *batchTx) insertEntries(b *batch) error {
	typed, sums, padded := false, false, false
	words := make([]entryWords, len(b.entries))
	for i := range b.entries {
		e := &b.entries[i]
		var err error
		if words[i].method, err = t.word(e.Method); err != nil {
			return err
		}
		if e.IDBits > 0 || e.Type != "" {
			typed = true
		}
		sums = sums || e.Sum != nil
		padded = padded || e.HasPadded
		if e.Type == "" {
			continue
		}
		if words[i].kind, err = t.word(e.Type); err != nil {
			return err
		}
	}
	query, columns := insertOf(typed, sums, padded)
	return t.insert(query, len(b.entries), func(row, col int) driver.Value {
		return entryColumn(&b.entries[row], &words[row], columns[col])
	})
}

func entryColumn(e *Entry, w *entryWords, col int) driver.Value {
	switch col {
	case 0:
		return e.archive
	case 1:
		return e.Ordinal
	case 2:
		return orNull(e.pathID, e.pathID != 0)
	case 3:
		return orNull(e.contentID, e.contentID != 0)
	case 4:
		return e.Offset
	case 5:
		return e.Stored
	case 6:
		return e.Size
	case 7:
		return w.method
	case 8:
		return e.Flags
	case 9:
		return orNull(e.ModTime, e.HasTime)
	case 10:
		return orNull(int64(e.PathHash), e.HasPathHash)
	case 11:
		if !e.hasFile {
			return nil
		}
		return e.file[:]
	}
	return typedColumn(e, w, col)
}

func typedColumn(e *Entry, w *entryWords, col int) driver.Value {
	switch col {
	case 12:
		return orNull(w.kind, w.kind != 0)
	case 13:
		return orNull(int64(e.ID[0]), e.IDBits > 64)
	case 14:
		return orNull(int64(e.ID[1]), e.IDBits > 0)
	case 15:
		return orNull(e.IDBits, e.IDBits > 0)
	case sumColumn:
		if e.Sum == nil {
			return nil
		}
		return e.Sum
	}
	if !e.HasPadded {
		return nil
	}
	return e.Padded[:]
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
	return t.insert(`INSERT INTO problem (archive_id, seq, ordinal, path, field, offset, cause)
		SELECT a, b, c, d, e, f, g FROM src`, len(b.problems),
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
			}
			return p.Cause
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
	err := t.insert(`INSERT INTO archive (archive_id, size, mtime, quick, digest, scan, format, version,
			mount_point, encrypted, entry_count, entry_size, entry_stored, problem_count, complete)
		SELECT a, b, c, d, e, f, g, h, i, j, k, l, m, n, o FROM src WHERE true
		ON CONFLICT (archive_id) DO UPDATE SET (digest, entry_count, entry_size, entry_stored, problem_count, complete)
			= (excluded.digest, excluded.entry_count, excluded.entry_size, excluded.entry_stored,
			   excluded.problem_count, excluded.complete)`, len(b.archives),
		func(row, col int) driver.Value { return archiveColumn(&b.archives[row], col) })
	if err != nil {
		return err
	}
	return t.countContentProblems(b)
}

// countContentProblems adds, for archives that are complete, the problems of
// the contents that they hold to those of their own.
func (t *batchTx) countContentProblems(b *batch) error {
	var ended []int64
	for i := range b.archives {
		if b.archives[i].ended {
			ended = append(ended, b.archives[i].id)
		}
	}
	return t.insert(`UPDATE archive SET problem_count = problem_count + found.n
		FROM (SELECT e.archive_id, count(*) AS n
		      FROM content_problem cp
		      CROSS JOIN entry e ON e.content_id = cp.content_id
		      WHERE e.archive_id IN (SELECT a FROM src)
		      GROUP BY e.archive_id) AS found
		WHERE archive.archive_id = found.archive_id`, len(ended),
		func(row, _ int) driver.Value { return ended[row] })
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
	}
	return flag(a.ended)
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
