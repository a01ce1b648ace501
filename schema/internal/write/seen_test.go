package write

import (
	"database/sql"
	"path/filepath"
	"testing"

	"pakdb/internal/family"
	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/file"
)

// TestSeenAgain: a text that the catalog has keeps its id, in whatever batches it comes.
func TestSeenAgain(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "c.db")
	if err := file.CreateIfAbsent(ctx, path); err != nil {
		t.Fatal(err)
	}
	w := conn.OpenWriter(path)
	defer func() { _ = w.DB.Close() }()
	var s seen
	err := w.InTx(ctx, func(tx *sql.Tx) error {
		for id, name := range []string{"a", "b", "c"} {
			if _, err := tx.Exec("INSERT INTO x_name (name_id, name) VALUES (?, ?)", id+1, name); err != nil {
				return err
			}
			if _, err := tx.Exec("INSERT INTO x_name_key (key, name_id) VALUES (?, ?)", family.NameKey(name), id+1); err != nil {
				return err
			}
		}
		return s.start(ctx, tx, nameTable)
	})
	if err != nil {
		t.Fatal(err)
	}
	finder := conn.NewFinder(path)
	defer func() { _ = finder.Close() }()
	for _, batch := range [][]string{{"a"}, {"a", "b"}, {"c", "b"}, {"a", "b", "c"}} {
		all := make([]wanted, len(batch))
		ids := make([]int64, len(batch))
		for i, name := range batch {
			all[i] = wanted{name, textIdent(name), &ids[i]}
		}
		if err := s.assign(ctx, finder, all, identifyText, func(i int) { t.Errorf("%v: %s is new", batch, batch[i]) }); err != nil {
			t.Fatal(err)
		}
		for i, name := range batch {
			if ids[i] != int64(name[0]-'a')+1 {
				t.Errorf("%v: %s has id %d", batch, name, ids[i])
			}
		}
	}
}
