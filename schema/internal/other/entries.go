package other

import (
	"bytes"
	"context"
	"database/sql/driver"
	"fmt"

	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/record"
	"pakdb/schema/internal/rows"
)

// perChunk is how many entries are read at once: as many as a batch has.
const perChunk = 8 << 10

// Entry is an entry, and the ids of what it refers to in this catalog.
type Entry struct {
	record.Entry
	ContentID int64 // 0 for none
	row       int64
	pathID    int64
}

// Entries calls take for the entries of an archive, in their order and many at a time,
// without what is known of their contents.
func (c *Catalog) Entries(ctx context.Context, a *Archive, take func([]Entry) error) error {
	scanner, err := rows.NewArchiveScanner(ctx, c.statements, a.ID)
	if err != nil {
		return conn.Classify(err)
	}
	ordinal := int64(-1)
	for {
		chunk := make([]Entry, 0, min(a.Entries+1, perChunk))
		for len(chunk) < perChunk {
			w, err := scanner.Next()
			if err != nil {
				return conn.Classify(err)
			}
			if w == nil {
				break
			}
			e, err := c.entry(w)
			if err != nil {
				return conn.Classify(err)
			}
			if e.Ordinal <= ordinal || e.Ordinal > maxOrdinal {
				return fmt.Errorf("%w: x_entry_row.row: ordinal %d after %d", conn.ErrDamaged, e.Ordinal, ordinal)
			}
			ordinal = e.Ordinal
			chunk = append(chunk, e)
		}
		if len(chunk) == 0 {
			return nil
		}
		if err := c.addPlaces(ctx, a, chunk); err != nil {
			return err
		}
		if err := take(chunk); err != nil {
			return err
		}
	}
}

// Sample returns some of the entries of an archive.
func (c *Catalog) Sample(ctx context.Context, a *Archive) (*record.Sample[record.Outline], error) {
	type place struct{ path, stored, size int64 }
	var chosen record.Sample[place]
	err := c.each(ctx, "x_entry_row", `SELECT path_id, stored, size FROM x_entry_row
		WHERE lineage_id = ?1 AND since <= ?2 AND (until = 0 OR until > ?2) ORDER BY row`, []driver.Value{a.lineage, a.edition}, func(r *row) {
		path, _ := r.maybeNumber("path_id")
		chosen.Add(place{path, r.number("stored"), r.number("size")})
	})
	if err != nil {
		return nil, err
	}
	s := &record.Sample[record.Outline]{Given: chosen.Given}
	for _, p := range chosen.Some {
		name, err := c.texts.Whole(p.path)
		if err != nil {
			return nil, conn.Classify(err)
		}
		s.Some = append(s.Some, record.Outline{Name: name, Stored: p.stored, Size: p.size})
	}
	return s, nil
}

// maxOrdinal is far above what any archive has, and below the limit of rows of editions.
const maxOrdinal = 1 << 40

func (c *Catalog) entry(w *rows.Row) (e Entry, err error) {
	e.row, e.pathID, e.ContentID = w.Row, w.Path, w.Content
	e.Ordinal, e.Offset, e.Stored, e.Size = w.Ordinal, w.Offset, w.Stored.Stored, w.Size
	e.Flags, e.Sum, e.ID, e.IDBits = w.Flags, bytes.Clone(w.Sum), w.AssetID(), w.Bits
	e.ModTime, e.HasTime = w.Mtime, w.HasTime
	if w.PathHash != nil {
		e.PathHash, e.HasPathHash = uint64(*w.PathHash), true
	}
	if w.Padded != nil {
		e.Padded, e.HasPadded = record.Digest(w.Padded), true
	}
	e.Copied = &record.Copied{Print: w.Print}
	if e.Method, err = c.word(w.Method); err == nil && w.Type != 0 {
		e.Type, err = c.word(w.Type)
	}
	if err == nil {
		e.Name, err = c.texts.Whole(w.Path)
	}
	if err != nil {
		return e, err
	}
	if w.Content == 0 { // another scan may know the content of the checksum
		e.Claimed = len(e.Sum) > 0
		return e, nil
	}
	hash, size, _, err := c.texts.Content(w.Content)
	if err != nil {
		return e, err
	}
	e.ContentSize, e.HasContent, e.Stated = size, len(hash) == len(e.Content), len(hash) == record.StatedSize
	if !e.HasContent && !e.Stated {
		return e, fmt.Errorf("%w: x_content.hash: %d bytes", conn.ErrDamaged, len(hash))
	}
	copy(e.Content[:], hash)
	return e, nil
}

// nameOf is an expression for a name: that of a text, or the rest of a path after a root.
const nameOf = `CASE WHEN t.root_id IS NULL THEN n.name
	ELSE root.word || substr(d.prefix || p.name, t.start, length(d.prefix || p.name) - length(px.word) - t.start) END`

const nameJoins = ` LEFT JOIN x_dir d ON d.dir_id = p.dir_id
	LEFT JOIN x_word px ON px.word_id = p.ext_id
	LEFT JOIN x_name n ON n.name_id = t.name_id
	LEFT JOIN x_word root ON root.word_id = t.root_id
	WHERE t.lineage_id = ?1 AND t.row BETWEEN ?2 AND ?3 ORDER BY t.row`

// addPlaces adds what entries are called by where they lie, and by their names, and the
// packages whose exports they hold.
func (c *Catalog) addPlaces(ctx context.Context, a *Archive, chunk []Entry) error {
	range_ := []driver.Value{a.lineage, chunk[0].row, chunk[len(chunk)-1].row}
	byRow, byPath := map[int64]*Entry{}, map[int64]*Entry{}
	var paths []int64
	for i := range chunk {
		e := &chunk[i]
		byRow[e.row] = e
		if e.pathID != 0 && byPath[e.pathID] == nil {
			byPath[e.pathID], paths = e, append(paths, e.pathID)
		}
	}
	err := c.each(ctx, "x_entry_symbol", `SELECT t.row, t.space_id, t.key, coalesce(t.name_id, t.root_id), `+nameOf+`
		FROM x_entry_symbol t
		LEFT JOIN x_entry_row r ON r.lineage_id = t.lineage_id AND r.row = t.row
		LEFT JOIN x_path p ON p.path_id = r.path_id`+nameJoins+", t.space_id, t.key", range_, func(r *row) {
		if e := byRow[r.number("row")]; e != nil { // else of another edition
			e.PlaceSymbols = append(e.PlaceSymbols, record.Symbol{Space: r.word("space_id"), Key: r.number("key"), Name: r.placed("name_id")})
		}
	})
	if err != nil {
		return err
	}
	err = c.each(ctx, "x_value_entry", `SELECT t.row, t.header, t.path_id, coalesce(t.name_id, t.root_id), `+nameOf+`
		FROM x_value_entry t
		LEFT JOIN x_path p ON p.path_id = t.path_id`+nameJoins, range_, func(r *row) {
		if e := byRow[r.number("row")]; e != nil {
			e.ExportsOf = &record.Package{Header: r.number("header"), Path: r.path("path_id"), Name: r.placed("name_id")}
		}
	})
	if err != nil {
		return err
	}
	return c.eachOf(ctx, "x_path_symbol", "SELECT src.a, t.space_id, t.key FROM src CROSS JOIN x_path_symbol t ON t.path_id = src.a", paths, func(r *row) {
		e := byPath[r.number("path_id")]
		e.Symbols = append(e.Symbols, record.Symbol{Space: r.word("space_id"), Key: r.number("key")})
	})
}

// placed returns the name that two columns have: an id that leads to it, and [nameOf]; "" for
// NULL.
func (r *row) placed(field string) string {
	id, ok := r.maybeNumber(field)
	name, found := maybe[string](r, field)
	if ok && !found {
		r.fail(field, "%d leads to no row", id)
	}
	return name
}
