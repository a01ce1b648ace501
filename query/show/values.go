package show

import (
	"context"
	"database/sql/driver"

	"pakdb/codecs"
	"pakdb/schema"
)

// AddValues adds to the tree of a package what its exports say, as rows give it: the
// number of the export from 1, its path, its class, the field, its type and the value.
// Rows without a field say why an export was not understood.
func AddValues(root *codecs.Node, rows func(write func(...driver.Value) error) error) error {
	list := exportsOf(root)
	return rows(func(row ...driver.Value) error {
		number, _ := row[0].(int64)
		field, _ := row[3].(string)
		kind, _ := row[4].(string)
		addValue(list, number-1, field, row[5]).Note = kind
		return nil
	})
}

// AddValues adds to the tree of a package of the build what its exports use: what they
// say themselves, and what they inherit, each with the file that it comes from.
func (b *Build) AddValues(ctx context.Context, root *codecs.Node, path string) error {
	list := exportsOf(root)
	read, err := b.opaque(ctx, path, func(export int64, why string) { addValue(list, export, "", why).Note = "Opaque" })
	if err != nil {
		return err
	}
	if !read {
		root.Add("values", "not read").Note = "the build was indexed without them"
	}
	return schema.EachRow(ctx, b.db, `SELECT export_ordinal, field, type, CASE WHEN text IS NOT NULL AND (number IS NULL OR typeof(value) <> 'text') THEN text ELSE value END,
			depth > 0, coalesce(origin_path, '') || ' ' || origin_export
		FROM properties_effective WHERE build = ?1 AND path = ?2 ORDER BY export_ordinal, depth, position`, []driver.Value{b.graph.Build(), path}, func(row []driver.Value) {
		ordinal, _ := row[0].(int64)
		field, _ := row[1].(string)
		n := addValue(list, ordinal, field, row[3])
		n.Note, _ = row[2].(string)
		if row[4] == int64(1) {
			n.Inherited, _ = row[5].(string)
		}
	})
}

// opaque calls each for the exports of a package that were not understood, by their numbers from
// 0, with the reason; read is false if the values of the package were not read.
func (b *Build) opaque(ctx context.Context, path string, each func(export int64, why string)) (read bool, err error) {
	return read, schema.EachRow(ctx, b.db, `SELECT x.ordinal, w.name FROM property_coverage c
		LEFT JOIN x_value_export x ON x.set_id = c.set_id AND x.status = 2 LEFT JOIN x_name w ON w.name_id = x.why_id
		WHERE c.build = ?1 AND c.path = ?2 ORDER BY x.ordinal`, []driver.Value{b.graph.Build(), path}, func(row []driver.Value) {
		read = true
		if ordinal, ok := row[0].(int64); ok {
			why, _ := row[1].(string)
			each(ordinal, why)
		}
	})
}

func exportsOf(root *codecs.Node) []*codecs.Node {
	for _, n := range root.Children {
		if n.Name == "exports" {
			return n.Children
		}
	}
	return nil
}

// addValue adds a value to an export of the list.
func addValue(list []*codecs.Node, ordinal int64, field string, value any) *codecs.Node {
	if ordinal < 0 || ordinal >= int64(len(list)) {
		return &codecs.Node{} // the catalog is of another edition of the package
	}
	if field == "" {
		field = "opaque"
	}
	return list[ordinal].Add(field, value)
}
