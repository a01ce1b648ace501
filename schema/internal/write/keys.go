package write

import (
	"context"
	"database/sql"
	_ "embed"
	"slices"

	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/layout"
)

//go:embed rekey.sql
var rekey string

//go:embed sums.sql
var sums string

// keyTable returns a key table. Its rows come sorted: each page of the tree is touched
// once.
func keyTable(name, id, verb string) table[*Key] {
	return table[*Key]{name: name, verb: verb, columns: []column[*Key]{
		number("key", func(k *Key) int64 { return k.Key }),
		number(id, func(k *Key) int64 { return k.ID }),
	}}
}

var (
	pathKeys    = keyTable("x_path_key", "path_id", "INSERT OR FAIL")
	contentKeys = keyTable("x_content_key", "content_id", "INSERT OR FAIL")
	nameKeys    = keyTable("x_name_key", "name_id", "INSERT OR FAIL")
	refKeys     = keyTable("x_ref_key", "content_id", "INSERT OR IGNORE")
)

// insertKeys adds the keys that have waited long enough.
func insertKeys(t *tx, b *Batch) error {
	keys := b.Keys
	if keys == nil {
		keys = &keySet{}
	}
	for _, k := range []struct {
		into *table[*Key]
		rows []Key
	}{
		{&pathKeys, keys.Paths},
		{&contentKeys, keys.Contents},
		{&nameKeys, keys.Texts},
		{&refKeys, slices.Compact(keys.Refs)},
		{&refKeys, slices.Compact(b.Refs)},
	} {
		if err := k.into.insert(t, pointers(k.rows)); err != nil {
			return err
		}
	}
	return nil
}

// AddMissingKeys completes indexes and key tables after a run that was interrupted.
func AddMissingKeys(ctx context.Context, tx *sql.Tx) error {
	var interrupted bool
	err := tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM x_build WHERE complete = 0)").Scan(&interrupted)
	if err != nil || !interrupted {
		return err
	}
	var statements []string
	for _, x := range layout.Indexes() {
		statements = append(statements, x.Create())
	}
	return conn.ExecAll(ctx, tx, append(statements, rekey)...)
}

// addSums completes the table that finds contents by checksums. Scans that read all
// contents never ask it: its keys would be a twentieth of a catalog.
func addSums(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, sums)
	return err
}
