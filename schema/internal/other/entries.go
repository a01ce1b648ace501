package other

import (
	"context"
	"database/sql/driver"
	"fmt"
	"math"

	"pakdb/schema/internal/record"
)

// entryQuery reads the entries of an edition after a row. Words and folders are looked up
// in memory.
const entryQuery = `SELECT r.row, r.stored, r.size, r.method_id, r.flags, r.mtime, r.path_hash, r.type_id, r.id_hi, r.id_lo, r.id_bits,
	r.sum, r.padded, r.print, r.path_id, p.dir_id, p.name, r.content_id, c.hash, c.size
FROM x_entry_row r
LEFT JOIN x_path p ON p.path_id = r.path_id
LEFT JOIN x_content c ON c.content_id = r.content_id
WHERE r.lineage_id = ?1 AND r.row > ?2 AND r.since <= ?3 AND (r.until = 0 OR r.until > ?3)
ORDER BY r.row
LIMIT ?4`

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
	places, err := c.places(ctx, a)
	if err != nil {
		return err
	}
	after, ordinal := int64(math.MinInt64), int64(-1)
	for {
		chunk := make([]Entry, 0, min(a.Entries+1, perChunk))
		err := c.each(ctx, "x_entry_row", entryQuery, []driver.Value{a.lineage, after, a.edition, int64(perChunk)}, func(r *row) {
			e := c.entry(r)
			if err := places.apply(&e); err != nil {
				r.fail("row", "%v", err)
			}
			if e.Ordinal <= ordinal || e.Ordinal > maxOrdinal {
				r.fail("row", "ordinal %d after %d", e.Ordinal, ordinal)
			}
			ordinal = e.Ordinal
			chunk = append(chunk, e)
		})
		if err != nil || len(chunk) == 0 {
			return err
		}
		after = chunk[len(chunk)-1].row
		if err := c.addPlaces(ctx, a, chunk); err != nil {
			return err
		}
		if err := take(chunk); err != nil {
			return err
		}
	}
}

// Sample returns some of the entries of an archive.
func (c *Catalog) Sample(ctx context.Context, a *Archive) (*record.Sample, error) {
	type place struct{ path, stored, size int64 }
	var chosen record.Sampler[place]
	err := c.each(ctx, "x_entry_row", `SELECT path_id, stored, size FROM x_entry_row
		WHERE lineage_id = ?1 AND since <= ?2 AND (until = 0 OR until > ?2) ORDER BY row`, []driver.Value{a.lineage, a.edition}, func(r *row) {
		path, _ := r.maybeNumber("path_id")
		chosen.Add(place{path, r.number("stored"), r.number("size")})
	})
	if err != nil {
		return nil, err
	}
	var ids []int64
	for _, p := range chosen.Some {
		ids = append(ids, p.path)
	}
	names := map[int64]string{}
	err = c.eachOf(ctx, "x_entry_row", "SELECT path_id, path_id, dir_id, name FROM src CROSS JOIN x_path ON path_id = src.a", ids, func(r *row) {
		names[r.number("path_id")] = c.path(r, "path_id")
	})
	s := &record.Sample{Entries: chosen.Given}
	for _, p := range chosen.Some {
		s.Some = append(s.Some, record.Outline{Name: names[p.path], Stored: p.stored, Size: p.size})
	}
	return s, err
}

// maxOrdinal is far above what any archive has, and below what rows of editions can tell.
const maxOrdinal = 1 << 40

func (c *Catalog) entry(r *row) (e Entry) {
	e.row, e.Stored, e.Size = r.number("row"), r.number("stored"), r.number("size")
	e.Method, e.Flags = c.word(r, "method_id"), r.number("flags")
	e.ModTime, e.HasTime = r.maybeNumber("mtime")
	hash, ok := r.maybeNumber("path_hash")
	e.PathHash, e.HasPathHash = uint64(hash), ok
	e.Type = c.word(r, "type_id")
	high, _ := r.maybeNumber("id_hi")
	low, _ := r.maybeNumber("id_lo")
	e.IDBits, _ = r.maybeNumber("id_bits")
	e.ID = [2]uint64{uint64(high), uint64(low)}
	e.Copied = &record.Copied{}
	e.Sum = r.blob("sum")
	if padded := r.blob("padded", 32); len(padded) == 32 {
		e.Padded, e.HasPadded = record.Digest(padded), true
	}
	e.Copied.Print = r.number("print")
	e.pathID, _ = peek(r)
	e.Name = c.path(r, "path_id")
	content, ok := r.maybeNumber("content_id")
	known, size := r.blob("hash", record.StatedSize, 32), r.next()
	e.ContentID = content
	switch size, isNumber := size.(int64); {
	case !ok: // of an entry whose checksum stands for a content another scan may tell it
		e.Claimed = len(e.Sum) > 0
	case known == nil || !isNumber || content <= 0:
		r.fail("content_id", "%d leads to no row", content)
	default:
		e.ContentSize = size
		e.HasContent = len(known) == 32
		e.Stated = !e.HasContent
		copy(e.Content[:], known)
	}
	return e
}

// peek returns the next column, a number, and does not take it.
func peek(r *row) (int64, bool) {
	n, ok := r.v[0].(int64)
	return n, ok
}

// located is a row of archive_place.
type located struct {
	row, ordinal, step int64
	offsets            []byte
}

// places are those of an archive that were not passed yet.
type places struct {
	all     []located
	now     located
	offsets record.Offsets
}

func (c *Catalog) places(ctx context.Context, a *Archive) (*places, error) {
	p := &places{}
	err := c.each(ctx, "x_archive_place", "SELECT row, ordinal, step, offsets FROM x_archive_place WHERE archive_id = ? ORDER BY row",
		[]driver.Value{a.ID}, func(r *row) {
			l := located{r.number("row"), r.number("ordinal"), r.number("step"), r.blob("offsets")}
			if l.step < 1 {
				r.fail("step", "%d", l.step)
			}
			p.all = append(p.all, l)
		})
	return p, err
}

// apply sets where an entry lies. Entries come in the order of rows.
func (p *places) apply(e *Entry) (err error) {
	for len(p.all) > 0 && p.all[0].row <= e.row {
		p.now = p.all[0]
		if err := p.offsets.Reset(p.all[0].offsets); err != nil {
			return err
		}
		p.all = p.all[1:]
	}
	if p.now.step < 1 {
		return fmt.Errorf("no place of row %d", e.row)
	}
	e.Ordinal = p.now.ordinal + (e.row-p.now.row)/p.now.step
	e.Offset, err = p.offsets.Next(e.Stored)
	return err
}

// nameOf is an expression for a name: that of a text, or the rest of a path after a root.
const nameOf = `CASE WHEN t.root_id IS NULL THEN n.name
	ELSE root.word || substr(d.prefix || p.name, t.start, length(d.prefix || p.name) - length(px.word) - t.start) END`

const nameJoins = ` LEFT JOIN x_dir d ON d.dir_id = p.dir_id
	LEFT JOIN x_word px ON px.word_id = p.ext_id
	LEFT JOIN x_name n ON n.name_id = t.name_id
	LEFT JOIN x_word root ON root.word_id = t.root_id`

// addPlaces adds what entries are called by where they lie, and by their names, and the
// packages whose exports they hold.
func (c *Catalog) addPlaces(ctx context.Context, a *Archive, chunk []Entry) error {
	range_ := []driver.Value{a.lineage, chunk[0].row, chunk[len(chunk)-1].row}
	at := 0
	find := func(row int64) *Entry {
		for at < len(chunk) && chunk[at].row < row {
			at++
		}
		if at < len(chunk) && chunk[at].row == row {
			return &chunk[at]
		}
		return nil // of another edition
	}
	err := c.each(ctx, "x_entry_symbol", `SELECT t.row, t.space_id, t.key, coalesce(t.name_id, t.root_id), `+nameOf+`
		FROM x_entry_symbol t
		LEFT JOIN x_entry_row r ON r.lineage_id = t.lineage_id AND r.row = t.row
		LEFT JOIN x_path p ON p.path_id = r.path_id`+nameJoins+`
		WHERE t.lineage_id = ?1 AND t.row BETWEEN ?2 AND ?3 ORDER BY t.row, t.space_id, t.key`, range_, func(r *row) {
		if e := find(r.number("row")); e != nil {
			e.PlaceSymbols = append(e.PlaceSymbols, record.Symbol{Space: c.word(r, "space_id"), Key: r.number("key"), Name: r.looked("name_id")})
		}
	})
	if err != nil {
		return err
	}
	at = 0
	err = c.each(ctx, "x_value_entry", `SELECT t.row, t.header, t.path_id, p.dir_id, p.name, coalesce(t.name_id, t.root_id), `+nameOf+`
		FROM x_value_entry t
		LEFT JOIN x_path p ON p.path_id = t.path_id`+nameJoins+`
		WHERE t.lineage_id = ?1 AND t.row BETWEEN ?2 AND ?3 ORDER BY t.row`, range_, func(r *row) {
		if e := find(r.number("row")); e != nil {
			e.ExportsOf = &record.Package{Header: r.number("header"), Path: c.path(r, "path_id"), Name: r.looked("name_id")}
		}
	})
	if err != nil {
		return err
	}
	return c.addPathSymbols(ctx, chunk)
}

// addPathSymbols adds what the names of entries define by themselves.
func (c *Catalog) addPathSymbols(ctx context.Context, chunk []Entry) error {
	if !c.tables.filled["x_path_symbol"] {
		return nil
	}
	at := map[int64]*Entry{}
	var ids []int64
	for i := range chunk {
		if e := &chunk[i]; e.pathID != 0 && at[e.pathID] == nil {
			at[e.pathID], ids = e, append(ids, e.pathID)
		}
	}
	return c.eachOf(ctx, "x_path_symbol", "SELECT src.a, t.space_id, t.key FROM src CROSS JOIN x_path_symbol t ON t.path_id = src.a", ids, func(r *row) {
		e := at[r.number("path_id")]
		e.Symbols = append(e.Symbols, record.Symbol{Space: c.word(r, "space_id"), Key: r.number("key")})
	})
}
