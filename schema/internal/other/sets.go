package other

import (
	"context"
	"database/sql/driver"
	"fmt"

	"pakdb/schema/internal/record"
)

// Set is the values of a content.
type Set struct {
	Content, Header int64
	Hash            // of the content
	Values          *record.Values
	mapping         int64
}

const setColumns = `SELECT v.set_id, coalesce(v.content_id, 0), coalesce(v.mapping_id, 0), v.header, v.context, v.reader_id, v.engine, v.traits,
	v.exports, v.exact, v.tailed, v.lost, v.fields, v.opaque, v.guessed, v.bytes, v.opaque_bytes, v.tail_bytes, v.missing, v.missing_id, c.hash, c.size
FROM src CROSS JOIN x_value_set v ON %s LEFT JOIN x_content c ON c.content_id = v.content_id`

// setsWhere returns the sets for which a condition with ids holds, and their rows.
func (c *Catalog) setsWhere(ctx context.Context, condition string, ids []int64) ([]Set, error) {
	var sets []Set
	var numbers []int64
	err := c.eachOf(ctx, "x_value_set", fmt.Sprintf(setColumns, condition), ids, func(r *row) {
		numbers = append(numbers, r.number("set_id"))
		s := Set{Content: r.number("content_id"), mapping: r.number("mapping_id"), Header: r.number("header"), Values: &record.Values{}}
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
			s.Hash = r.hash()
		}
		sets = append(sets, s)
	})
	if err != nil {
		return nil, err
	}
	batches, err := c.batches(ctx, "set_id", numbers)
	for i := range sets {
		sets[i].Values.Rows = batches[numbers[i]]
	}
	return sets, err
}

// SetKey identifies sets of values that follow from a content and its package alone.
type SetKey struct {
	Set, Content, Header int64
	Reader               string // what made it
}

// OwnSets lists the sets of contents that follow from these and their packages alone.
func (c *Catalog) OwnSets(ctx context.Context, contents []int64) (all []SetKey, err error) {
	err = c.eachOf(ctx, "x_value_set", "SELECT v.set_id, v.content_id, v.header, v.reader_id FROM src CROSS JOIN x_value_set v ON v.content_id = src.a AND v.context = 0",
		contents, func(r *row) {
			all = append(all, SetKey{r.number("set_id"), r.number("content_id"), r.number("header"), r.word("reader_id")})
		})
	return all, err
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
	for len(ids) > 0 && err == nil {
		var sets []Set
		n := min(len(ids), setsAtOnce)
		if sets, err = c.Sets(ctx, ids[:n]); err == nil {
			err = take(sets)
		}
		ids = ids[n:]
	}
	return err
}
