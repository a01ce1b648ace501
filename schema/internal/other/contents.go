package other

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"

	"pakdb/internal/family"
	"pakdb/schema/internal/layout"
	"pakdb/schema/internal/record"
)

// Content is what a content is compared by, and what inspected it.
type Content struct {
	Inspector string // "" when nothing did
	Sketch    []byte // nil for none
	Digests   []record.PackageDigest
	Sets      []SetKey // of values that follow from the content and its package alone
}

// SetKey identifies a set of values of a content.
type SetKey struct {
	Set, Header int64
	Reader      string // what made it
}

// Contents returns contents by their ids in this catalog.
func (c *Catalog) Contents(ctx context.Context, ids []int64) (map[int64]*Content, error) {
	all := make(map[int64]*Content, len(ids))
	for _, id := range ids {
		all[id] = &Content{}
	}
	return all, c.read(ctx, ids, []query{
		{"x_content", "t.inspected_id", "", func(id int64, r *row) { all[id].Inspector = r.word("inspected_id") }},
		{"x_content_sketch", "t.sketch", "", func(id int64, r *row) { all[id].Sketch = r.need("sketch") }},
		{"x_package_digest", "t.header, t.essence, t.exports", "", func(id int64, r *row) {
			all[id].Digests = append(all[id].Digests, packageDigest(r))
		}},
		{"x_value_set", "t.set_id, t.header, t.reader_id", " AND t.context = 0", func(id int64, r *row) {
			all[id].Sets = append(all[id].Sets, SetKey{r.number("set_id"), r.number("header"), r.word("reader_id")})
		}},
	})
}

// query reads columns of a table t for contents, of the rows for which a condition holds.
type query struct {
	table, columns, where string
	take                  func(content int64, r *row)
}

func (c *Catalog) read(ctx context.Context, ids []int64, queries []query) error {
	for _, q := range queries {
		sql := "SELECT src.a, " + q.columns + " FROM src CROSS JOIN " + q.table + " t ON t.content_id = src.a" + q.where
		if err := c.eachOf(ctx, q.table, sql, ids, func(r *row) { q.take(r.number("content_id"), r) }); err != nil {
			return err
		}
	}
	return nil
}

// Facts returns what inspectors found in contents, by their ids in this catalog; nil where none did.
func (c *Catalog) Facts(ctx context.Context, ids []int64) (map[int64]*record.Facts, error) {
	all := make(map[int64]*record.Facts, len(ids))
	facts := func(id int64, r *row) *record.Facts {
		f := all[id]
		if f == nil {
			r.fail("content_id", "a content that nothing inspected")
			f = &record.Facts{}
		}
		return f
	}
	err := c.read(ctx, ids, []query{
		{"x_content", "t.inspected_id, t.kind_id", " WHERE t.inspected_id IS NOT NULL", func(id int64, r *row) {
			all[id] = &record.Facts{Inspector: r.word("inspected_id"), Kind: r.word("kind_id")}
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
		if all[id] != nil {
			all[id].Family = b
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

// Searched is a content that was searched for ids.
type Searched struct {
	Content, Known int64         // Known is a hash of the ids
	Hash           record.Digest // of the content
}

// Searched returns the contents of a build that were searched. Those whose bytes nobody has read
// are not among them.
func (c *Catalog) Searched(ctx context.Context, build int64) (all []Searched, err error) {
	err = c.each(ctx, "x_content_scan", `SELECT s.content_id, s.known, c.hash FROM x_content_scan s
		JOIN x_content c ON c.content_id = s.content_id AND length(c.hash) = 32
		WHERE s.known <> 0 AND EXISTS (SELECT 1 FROM x_entry_row r
			CROSS JOIN x_archive a ON a.lineage_id = r.lineage_id AND r.since <= a.edition AND (r.until = 0 OR r.until > a.edition)
			CROSS JOIN x_build_archive ba ON ba.archive_id = a.archive_id AND ba.build_id = ?
			WHERE r.content_id = s.content_id)
		ORDER BY s.content_id`, []driver.Value{build}, func(r *row) {
		all = append(all, Searched{r.number("content_id"), r.number("known"), r.digest("hash")})
	})
	return all, err
}

// Set is the values of a content.
type Set struct {
	ID, Content, Header int64
	Hash                record.Digest // of the content
	Values              *record.Values
	mapping             int64
}

const setColumns = `SELECT v.set_id, coalesce(v.content_id, 0), coalesce(v.mapping_id, 0), v.header, v.context, v.reader_id, v.engine, v.traits,
	v.exports, v.exact, v.tailed, v.lost, v.fields, v.opaque, v.guessed, v.bytes, v.opaque_bytes, v.tail_bytes, v.missing, v.missing_id, c.hash
FROM src CROSS JOIN x_value_set v ON %s LEFT JOIN x_content c ON c.content_id = v.content_id`

// setsWhere returns the sets for which a condition with ids holds, and their rows.
func (c *Catalog) setsWhere(ctx context.Context, condition string, ids []int64) ([]Set, error) {
	var sets []Set
	var numbers []int64
	err := c.eachOf(ctx, "x_value_set", fmt.Sprintf(setColumns, condition), ids, func(r *row) {
		s := Set{ID: r.number("set_id"), Content: r.number("content_id"), mapping: r.number("mapping_id"), Header: r.number("header"), Values: &record.Values{}}
		v := s.Values
		v.Context, v.Reader, v.Engine, v.Traits = r.number("context"), r.word("reader_id"), r.number("engine"), r.number("traits")
		for _, f := range []struct {
			name string
			into *int64
		}{
			{"exports", &v.Exports}, {"exact", &v.Exact}, {"tailed", &v.Tailed}, {"lost", &v.Lost}, {"fields", &v.Fields}, {"opaque", &v.Opaque},
			{"guessed", &v.Guessed}, {"bytes", &v.Bytes}, {"opaque_bytes", &v.OpaqueBytes}, {"tail_bytes", &v.TailBytes}, {"missing", &v.Missing},
		} {
			*f.into = r.number(f.name)
		}
		v.MissingClass = r.name("missing_id")
		if s.Content != 0 {
			s.Hash = r.digest("hash")
		}
		sets, numbers = append(sets, s), append(numbers, s.ID)
	})
	if err != nil {
		return nil, err
	}
	batches, err := c.batches(ctx, "set_id", numbers)
	for i := range sets {
		sets[i].Values.Rows = batches[sets[i].ID]
	}
	return sets, err
}

// Sets returns sets of values of contents by their ids.
func (c *Catalog) Sets(ctx context.Context, ids []int64) ([]Set, error) {
	return c.setsWhere(ctx, "v.set_id = src.a AND v.content_id IS NOT NULL", ids)
}

// setsAtOnce is how many sets are read at once: of packages that are read once more.
const setsAtOnce = 64

// BuildSets calls take for the values that hold in a build alone, many at a time.
func (c *Catalog) BuildSets(ctx context.Context, build int64, take func([]Set) error) error {
	var ids []int64
	err := c.each(ctx, "x_build_value", "SELECT set_id FROM x_build_value WHERE build_id = ? ORDER BY set_id", []driver.Value{build}, func(r *row) {
		ids = append(ids, r.number("set_id"))
	})
	for part := range slices.Chunk(ids, setsAtOnce) {
		var sets []Set
		if err == nil {
			sets, err = c.Sets(ctx, part)
		}
		if err == nil {
			err = take(sets)
		}
	}
	return err
}

// kinds are what columns hold, by the table that they refer to; those that refer to none hold values.
var kinds = map[string]family.Kind{"x_word": family.Word, "x_name": family.Text, "x_path": family.Path}

// apart are tables whose rows belong to contents and sets of values, and that have readers of
// their own or follow from others.
var apart = []string{"x_entry_row", "x_content_key", "x_sum_key", "x_ref_key", "x_build_value", "x_content_sketch", "x_package_digest",
	"x_content_scan", "x_ref", "x_value_set"}

// families are the tables of families of formats, by the column that says whose rows they are, which
// is their first.
var families = sync.OnceValue(func() map[string][]*family.Layout {
	all := map[string][]*family.Layout{}
	last := &family.Layout{}
	for _, c := range layout.Columns() {
		switch {
		case slices.Contains(apart, c.Table):
		case c.Name == "content_id" && c.To == "x_content", c.Name == "set_id" && c.To == "x_value_set":
			last = &family.Layout{Table: c.Table, OfSet: c.Name == "set_id"}
			all[c.Name] = append(all[c.Name], last)
		case c.Table == last.Table:
			last.Columns = append(last.Columns, family.ColumnLayout{Name: c.Name, Kind: kinds[c.To]})
		}
	}
	return all
})

// batches returns the rows of families that owners have, by owner; nil for those without any. Their
// ids are in the column owner of tables.
func (c *Catalog) batches(ctx context.Context, owner string, ids []int64) (map[int64]*family.Batch, error) {
	all := map[int64]*family.Batch{}
	makers := map[int64]*maker{}
	for _, l := range families()[owner] {
		columns := []string{"src.a"}
		for _, column := range l.Columns {
			columns = append(columns, "t."+column.Name)
		}
		query := "SELECT " + strings.Join(columns, ", ") + " FROM src CROSS JOIN " + l.Table + " t ON t." + owner + " = src.a"
		err := c.eachOf(ctx, l.Table, query, ids, func(r *row) {
			id := r.number(owner)
			if all[id] == nil {
				all[id] = &family.Batch{}
				makers[id] = &maker{batch: all[id], places: map[place]int32{}}
			}
			makers[id].add(l, r)
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// maker makes the batch of one owner.
type maker struct {
	batch  *family.Batch
	places map[place]int32 // where texts are in the batch
	last   *tableRows
}

// place is a text in one of the lists of a batch.
type place struct {
	kind family.Kind
	text string
}

// add adds a row of a table.
func (m *maker) add(l *family.Layout, r *row) {
	if m.last == nil || m.last.layout != l {
		m.last = &tableRows{layout: l}
		m.batch.Rows = append(m.batch.Rows, m.last)
	}
	for _, column := range l.Columns {
		var v any // NULL
		switch {
		case column.Kind == family.Value:
			v = r.next()
			if b, ok := v.([]byte); ok {
				v = append([]byte{}, b...) // an empty one is not NULL
			}
		case r.v[0] == nil:
			r.next()
		case column.Kind == family.Word:
			v = m.place(&m.batch.Words, place{column.Kind, r.word(column.Name)})
		case column.Kind == family.Text:
			v = m.place(&m.batch.Texts, place{column.Kind, r.name(column.Name)})
		case column.Kind == family.Path:
			v = m.place(&m.batch.Paths, place{column.Kind, r.path(column.Name)})
		}
		m.last.cells = append(m.last.cells, v)
	}
}

// place returns where a text is in a list, which it is added to.
func (m *maker) place(list *[]string, text place) int32 {
	at, ok := m.places[text]
	if !ok {
		at = int32(len(*list))
		m.places[text], *list = at, append(*list, text.text)
	}
	return at
}

// tableRows are rows of a table, as [family.Rows].
type tableRows struct {
	layout *family.Layout
	cells  []any // values, or positions of other columns as int32; nil for NULL
}

func (r *tableRows) Layout() *family.Layout    { return r.layout }
func (r *tableRows) Len() int                  { return len(r.cells) / len(r.layout.Columns) }
func (r *tableRows) Value(row, column int) any { return r.cells[row*len(r.layout.Columns)+column] }

func (r *tableRows) Position(row, column int) int32 {
	if at, ok := r.Value(row, column).(int32); ok {
		return at
	}
	return -1
}
