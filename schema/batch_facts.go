package schema

import (
	"database/sql/driver"
	"fmt"
)

// removeFacts makes room for the facts of contents that were inspected in another
// way before. Digests of packages stay when the facts alone are replaced.
func (t *batchTx) removeFacts(b *batch) error {
	entries := b.again
	if len(entries) == 0 {
		return nil
	}
	tables, err := factTables(t.ctx, t.tx)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := t.addWords(e.Facts.Kind, e.Facts.Inspector); err != nil {
			return err
		}
	}
	value := func(row, col int) driver.Value {
		switch col {
		case 0:
			return entries[row].contentID
		case 1:
			return t.words[entries[row].Facts.Kind]
		}
		return t.words[entries[row].Facts.Inspector]
	}
	for _, table := range tables {
		if b.replaced != nil && table == "package_digest" {
			continue
		}
		if err := t.insert("DELETE FROM "+table+" WHERE content_id IN (SELECT a FROM src)", len(entries), value); err != nil {
			return err
		}
	}
	return t.insert("UPDATE content SET kind_id = src.b, inspected_id = src.c FROM src WHERE content_id = src.a", len(entries), value)
}

// factRow is the i-th row that a content's facts have in some table.
type factRow struct {
	e *Entry
	i int
}

// insertRows fills one table from all facts: count tells how many rows a
// content has, value what is in them.
func (t *batchTx) insertRows(query string, facts []*Entry, count func(*Facts) int, value func(f *Facts, i, col int) driver.Value) error {
	var rows []factRow
	for _, e := range facts {
		for i := range count(e.Facts) {
			rows = append(rows, factRow{e, i})
		}
	}
	err := t.insert(query, len(rows), func(row, col int) driver.Value {
		r := rows[row]
		switch col {
		case 0:
			return r.e.contentID
		case 1:
			return int64(r.i)
		}
		return value(r.e.Facts, r.i, col)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", query, err)
	}
	return nil
}

// insertFacts stores what the inspectors found.
func (t *batchTx) insertFacts(b *batch) error {
	for _, e := range b.due {
		if err := t.addFactWords(e.Facts); err != nil {
			return err
		}
	}
	for _, insert := range []func([]*Entry) error{t.insertContentProblems, t.insertSymbols, t.insertRefs, t.insertScans,
		t.insertScanned, t.insertFamilies} {
		if err := insert(b.due); err != nil {
			return err
		}
	}
	return nil
}

// countProblems corrects the counts of archives of other builds, where the batch
// has other facts of contents that these hold. All counts are made when the build
// is published.
func (t *batchTx) countProblems(b *batch) error {
	if len(b.again) == 0 {
		return nil
	}
	_, err := t.tx.ExecContext(t.ctx, problemCounts)
	return err
}

func (t *batchTx) addFactWords(f *Facts) error {
	if f.Scan != "" {
		if err := t.addWords(f.Scan); err != nil {
			return err
		}
	}
	for i := range f.Symbols {
		if err := t.addWords(f.Symbols[i].Space); err != nil {
			return err
		}
	}
	for _, refs := range [][]Ref{f.Refs, f.Scanned} {
		for i := range refs {
			if err := t.addWords(refs[i].Kind, refs[i].Space); err != nil {
				return err
			}
		}
	}
	return t.addFamilyWords(f)
}

func (t *batchTx) insertContentProblems(facts []*Entry) error {
	return t.insertRows("INSERT INTO content_problem (content_id, seq, field, offset, cause) SELECT a, b, c, d, e FROM src", facts,
		func(f *Facts) int { return len(f.Problems) },
		func(f *Facts, i, col int) driver.Value {
			switch p := &f.Problems[i]; col {
			case 2:
				return p.Field
			case 3:
				return place(p.Offset)
			default:
				return p.Cause
			}
		})
}

func (t *batchTx) insertSymbols(facts []*Entry) error {
	return t.insertRows("INSERT INTO symbol (content_id, seq, space_id, key, path_id, name_id) SELECT a, b, c, d, e, f FROM src", facts,
		func(f *Facts) int { return len(f.Symbols) },
		func(f *Facts, i, col int) driver.Value {
			switch s := &f.Symbols[i]; col {
			case 2:
				return t.words[s.Space]
			case 3:
				return s.Key
			case 4:
				return orNull(s.path.id, s.path.id != 0)
			default:
				return orNull(s.nameID, s.nameID != 0)
			}
		})
}

func (t *batchTx) insertRefs(facts []*Entry) error {
	return t.insertRows("INSERT INTO ref (content_id, seq, kind_id, space_id, key, flags, name_id) SELECT a, b, c, d, e, f, g FROM src", facts,
		func(f *Facts) int { return len(f.Refs) },
		func(f *Facts, i, col int) driver.Value { return t.refColumn(&f.Refs[i], col) })
}

// insertScanned stores what searches found. The sequence numbers of such
// references begin at 1 << 32: those that were parsed come before.
func (t *batchTx) insertScanned(facts []*Entry) error {
	return t.insertRows("INSERT INTO ref (content_id, seq, kind_id, space_id, key, flags) SELECT a, b + (1 << 32), c, d, e, f FROM src", facts,
		func(f *Facts) int { return len(f.Scanned) },
		func(f *Facts, i, col int) driver.Value { return t.refColumn(&f.Scanned[i], col) })
}

func (t *batchTx) refColumn(r *Ref, col int) driver.Value {
	switch col {
	case 2:
		return t.words[r.Kind]
	case 3:
		return t.words[r.Space]
	case 4:
		return r.Key
	case 5:
		return r.Flags
	default:
		return orNull(r.nameID, r.nameID != 0)
	}
}

func (t *batchTx) insertScans(facts []*Entry) error {
	return t.insertRows("INSERT INTO content_scan (content_id, spec_id, known) SELECT a, c, d FROM src", facts,
		func(f *Facts) int {
			if f.Scan == "" {
				return 0
			}
			return 1
		},
		func(f *Facts, _, col int) driver.Value {
			if col == 2 {
				return t.words[f.Scan]
			}
			return f.Known
		})
}

// insertPathSymbols stores what names define by themselves.
func (t *batchTx) insertPathSymbols(b *batch) error {
	type row struct {
		path int64
		*Symbol
	}
	var rows []row
	for i := range b.entries {
		e := &b.entries[i]
		for j := range e.Symbols {
			if err := t.addWords(e.Symbols[j].Space); err != nil {
				return err
			}
			rows = append(rows, row{e.pathID, &e.Symbols[j]})
		}
	}
	return t.insert("INSERT OR IGNORE INTO path_symbol (path_id, space_id, key) SELECT a, b, c FROM src", len(rows),
		func(i, col int) driver.Value {
			switch r := rows[i]; col {
			case 0:
				return r.path
			case 1:
				return t.words[r.Space]
			default:
				return r.Key
			}
		})
}
