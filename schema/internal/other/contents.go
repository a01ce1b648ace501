package other

import (
	"context"
	"database/sql/driver"
	"encoding/binary"

	"pakdb/schema/internal/record"
)

// Content is what is known of a content.
type Content struct {
	Facts   *record.Facts // nil when nothing was inspected
	Sketch  []byte        // nil for none
	Digests []record.PackageDigest
}

// Inspected returns what inspected contents, by their ids in this catalog; none for those
// that nothing did.
func (c *Catalog) Inspected(ctx context.Context, ids []int64) (map[int64]string, error) {
	by := make(map[int64]string, len(ids))
	err := c.eachOf(ctx, "x_content", "SELECT c.content_id, c.inspected_id FROM src CROSS JOIN x_content c ON c.content_id = src.a WHERE c.inspected_id IS NOT NULL",
		ids, func(r *row) { by[r.number("content_id")] = r.word("inspected_id") })
	return by, err
}

// Marks returns what contents are compared by, sketches and digests, by their ids in this
// catalog.
func (c *Catalog) Marks(ctx context.Context, ids []int64) (map[int64]*Content, error) {
	all := make(map[int64]*Content, len(ids))
	for _, id := range ids {
		all[id] = &Content{}
	}
	return all, c.read(ctx, ids, []query{
		{"x_content_sketch", "t.sketch", "", func(id int64, r *row) { all[id].Sketch = r.need("sketch") }},
		{"x_package_digest", "t.header, t.essence, t.exports", "", func(id int64, r *row) {
			all[id].Digests = append(all[id].Digests, packageDigest(r))
		}},
	})
}

// query reads columns of a table t for contents, of the rows for which a condition holds.
type query struct {
	table, columns, where string
	take                  func(content int64, r *row)
}

func (c *reader) read(ctx context.Context, ids []int64, queries []query) error {
	for _, q := range queries {
		sql := "SELECT src.a, " + q.columns + " FROM src CROSS JOIN " + q.table + " t ON t.content_id = src.a" + q.where
		if err := c.eachOf(ctx, q.table, sql, ids, func(r *row) { q.take(r.number("content_id"), r) }); err != nil {
			return err
		}
	}
	return nil
}

// Contents returns all that is known of contents, by their ids in this catalog, but values.
func (c *Catalog) Contents(ctx context.Context, ids []int64) (map[int64]*Content, error) {
	all, err := c.Marks(ctx, ids)
	if err != nil {
		return nil, err
	}
	facts := func(id int64, r *row) *record.Facts {
		f := all[id].Facts
		if f == nil {
			r.fail("content_id", "a content that nothing inspected")
			f = &record.Facts{}
		}
		return f
	}
	err = c.read(ctx, ids, []query{
		{"x_content", "t.inspected_id, t.kind_id", " WHERE t.inspected_id IS NOT NULL", func(id int64, r *row) {
			all[id].Facts = &record.Facts{Inspector: r.word("inspected_id"), Kind: r.word("kind_id")}
		}},
		{"x_content_problem", "t.field, t.offset, t.cause", "", func(id int64, r *row) {
			f := facts(id, r)
			f.Problems = append(f.Problems, record.Problem{Field: r.text("field"), Offset: r.place("offset"), Cause: r.text("cause")})
		}},
		{"x_symbol", "t.space_id, t.key, t.path_id, t.name_id", "", func(id int64, r *row) {
			f := facts(id, r)
			f.Symbols = append(f.Symbols, record.Symbol{Space: r.word("space_id"), Key: r.number("key"), Path: r.path("path_id"), Name: r.name("name_id")})
		}},
		{"x_content_scan", "t.spec_id, t.known", "", func(id int64, r *row) {
			f := facts(id, r)
			f.Scan, f.Known = r.word("spec_id"), r.number("known")
		}},
		{"x_ref", "t.seq >> 32, t.kind_id, t.space_id, t.key, t.flags, t.name_id", " WHERE t.seq < 2 << 32", func(id int64, r *row) {
			f := facts(id, r)
			into := &f.Refs
			if r.flag("seq") {
				into = &f.Scanned
			}
			*into = append(*into, r.ref())
		}},
	})
	if err != nil {
		return nil, err
	}
	batches, err := c.batches(ctx, "content_id", ids)
	for id, b := range batches {
		if all[id].Facts != nil {
			all[id].Facts.Family = b
		}
	}
	return all, err
}

func (r *row) ref() record.Ref {
	return record.Ref{Kind: r.word("kind_id"), Space: r.word("space_id"), Key: r.number("key"), Flags: r.number("flags"), Name: r.name("name_id")}
}

// packageDigest reads one; only the print of its header is known.
func packageDigest(r *row) (d record.PackageDigest) {
	binary.LittleEndian.PutUint64(d.Header[:], uint64(r.number("header")))
	copy(d.Essence[:], r.need("essence", len(d.Essence)))
	exports := r.blob("exports")
	if len(exports)%8 != 0 {
		r.fail("exports", "%d bytes", len(exports))
	}
	for ; len(exports) >= 8; exports = exports[8:] {
		d.Exports = append(d.Exports, binary.LittleEndian.Uint64(exports))
	}
	return d
}

// Searched is a content that was searched for ids that are known.
type Searched struct {
	Content int64
	Hash
	Known int64 // hash of the ids
	Refs  []record.Ref
}

// Searched returns the contents of a build that were searched, and what that found.
func (c *Catalog) Searched(ctx context.Context, build int64) ([]Searched, error) {
	var ids []int64
	err := c.each(ctx, "x_content_scan", `SELECT s.content_id FROM x_content_scan s
		WHERE s.known <> 0 AND EXISTS (SELECT 1 FROM x_entry_row r
			CROSS JOIN x_archive a ON a.lineage_id = r.lineage_id AND r.since <= a.edition AND (r.until = 0 OR r.until > a.edition)
			CROSS JOIN x_build_archive ba ON ba.archive_id = a.archive_id AND ba.build_id = ?
			WHERE r.content_id = s.content_id)
		ORDER BY s.content_id`, []driver.Value{build}, func(r *row) { ids = append(ids, r.number("content_id")) })
	if err != nil {
		return nil, err
	}
	return c.SearchedOf(ctx, ids)
}

// SearchedOf returns what was found in those contents that were searched. Contents whose
// bytes nobody has read are not among them.
func (c *Catalog) SearchedOf(ctx context.Context, ids []int64) (all []Searched, err error) {
	at := map[int64]int{}
	err = c.eachOf(ctx, "x_content_scan", `SELECT s.content_id, c.hash, c.size, s.known FROM src
		CROSS JOIN x_content_scan s ON s.content_id = src.a CROSS JOIN x_content c ON c.content_id = s.content_id WHERE length(c.hash) = 32`,
		ids, func(r *row) {
			s := Searched{Content: r.number("content_id"), Hash: r.hash(), Known: r.number("known")}
			at[s.Content], all = len(all), append(all, s)
		})
	if err != nil {
		return nil, err
	}
	return all, c.read(ctx, ids, []query{
		{"x_ref", "t.kind_id, t.space_id, t.key, t.flags, t.name_id", " AND t.seq >= 1 << 32 AND t.seq < 2 << 32", func(id int64, r *row) {
			if i, ok := at[id]; ok {
				all[i].Refs = append(all[i].Refs, r.ref())
			}
		}},
	})
}

// Hash is what a content is known by in all catalogs.
type Hash struct {
	Hash record.Digest
	Size int64
}

func (r *row) hash() Hash { return Hash{r.digest("hash"), r.number("size")} }
