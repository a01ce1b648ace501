package schema_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/indexer"
	"pakdb/internal/testkit"
	"pakdb/schema"
)

// tryMerge merges a catalog into one and returns the error, which may come at any step.
func tryMerge(ctx context.Context, t *testing.T, into, from string) error {
	t.Helper()
	o, err := schema.OpenOther(ctx, from)
	if err != nil {
		return err
	}
	defer func() { _ = o.Close() }()
	c, err := schema.Open(t.Context(), into)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	steps, err := schema.PlanMerge(ctx, c, []*schema.Other{o}, false)
	for i := range steps {
		if err == nil && !steps[i].Same {
			_, err = schema.Merge(ctx, c, &steps[i], schema.MergeOptions{Continues: indexer.Continues, Alike: indexer.Alike})
		}
	}
	return err
}

// TestMergeHostile: a catalog that is damaged, or made to do harm, is one error that names
// it and what is wrong, and nothing of it stays.
func TestMergeHostile(t *testing.T) {
	sound := fixtureFile(t)
	before := filepath.Join(t.TempDir(), "into.db")
	scanFolders(t, before, gameFolders(t), 3)
	want := viewRows(t, readDB(t, before))
	image, err := os.ReadFile(sound)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range testkit.Some([]struct{ statement, want string }{
		{"", "malformed"},
		{"DROP TABLE x_package_import", "table x_package_import is missing"},
		{"PRAGMA user_version = 999", "layout 999"},
		{"PRAGMA application_id = 1", "another program"},
		{"UPDATE x_build SET created_at = 'yesterday'", "x_build.created_at"},
		{"DELETE FROM x_archive", "leads to no row"},
		{"DELETE FROM x_path", "x_entry_row.path_id"},
		{"DELETE FROM x_dir", "x_entry_row.path_id"},
		{"DELETE FROM x_content", "x_entry_row.content_id"},
		{"DELETE FROM x_word", "leads to no row"},
		{"DELETE FROM x_name", "leads to no row"},
		{"UPDATE x_content SET hash = zeroblob(31)", "hash: 31 bytes"},
		{"UPDATE x_content SET inspected_id = NULL", "that nothing inspected"},
		{"UPDATE x_entry_row SET padded = x'00'", "x_entry_row.padded: 1 bytes"},
		{"UPDATE x_entry_row SET row = -row", "x_entry_row.row"},
		{"UPDATE x_archive_place SET step = 0", "x_archive_place.step: 0"},
		{"UPDATE x_package_digest SET essence = x''", "x_package_digest.essence: 0 bytes"},
		{"UPDATE x_package_digest SET exports = zeroblob(15)", "x_package_digest.exports: 15 bytes"},
		{"UPDATE x_archive SET quick = x'00'", "x_archive.quick: 1 bytes"},
		{"UPDATE x_archive SET digest = x'00'", "x_archive.digest: 1 bytes"},
		{"ALTER TABLE x_symbol RENAME TO old; CREATE TABLE x_symbol AS SELECT content_id, seq, space_id, 'key' AS key, path_id, name_id FROM old", `table "x_symbol" is not`},
		{"ALTER TABLE x_package_name RENAME TO old; CREATE TABLE x_package_name AS SELECT * FROM old UNION ALL SELECT * FROM old", "package_name"},
		{"ALTER TABLE x_word RENAME TO old; CREATE VIEW x_word AS SELECT word_id, randomblob(100) AS word FROM old", `view "x_word" is not`},
	}, 2) {
		from := filepath.Join(t.TempDir(), "from.db")
		part := image
		if tt.statement == "" {
			part = image[:len(image)/2]
		}
		if err := os.WriteFile(from, part, 0o600); err != nil {
			t.Fatal(err)
		}
		if tt.statement != "" {
			alter(t, from, "PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON; "+tt.statement)
		}
		into := filepath.Join(t.TempDir(), "into.db")
		if err := schema.Copy(t.Context(), before, into); err != nil {
			t.Fatal(err)
		}
		err := tryMerge(t.Context(), t, into, from)
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), from) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one line with %q that names the file", tt.statement, err, tt.want)
		}
		db := readDB(t, into)
		labels := scan[string](t, db, "SELECT group_concat(label) FROM x_build")
		if labels != "1.3" && !strings.HasPrefix(labels, "1.3,") {
			t.Errorf("%s: builds %s", tt.statement, labels)
		}
		if n := scan[int](t, db, "SELECT count(*) FROM x_archive a WHERE NOT EXISTS (SELECT 1 FROM x_build_archive ba WHERE ba.archive_id = a.archive_id)"); n > 0 {
			t.Errorf("%s: %d archives of no build stay", tt.statement, n)
		}
		if labels == "1.3" {
			sameViews(t, tt.statement, viewRows(t, db), want)
		}
		_, err = schema.Check(t.Context(), into, func(f schema.Finding) { t.Errorf("%s: %+v", tt.statement, f) }, func(string) {})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestMergeCancelled: what is cancelled is not seen, and the next time completes it.
func TestMergeCancelled(t *testing.T) {
	from := fixtureFile(t)
	into := filepath.Join(t.TempDir(), "into.db")
	ctx, cancel := context.WithCancel(t.Context())
	o, err := schema.OpenOther(ctx, from)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = o.Close() }()
	c, err := schema.Open(t.Context(), into)
	if err != nil {
		t.Fatal(err)
	}
	steps, err := schema.PlanMerge(ctx, c, []*schema.Other{o}, false)
	if err != nil {
		t.Fatal(err)
	}
	_, err = schema.Merge(ctx, c, &steps[2], schema.MergeOptions{Progress: func(archives, _, _ int64) {
		if archives > 0 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was cancelled", err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if n := scan[int](t, readDB(t, into), "SELECT count(*) FROM builds"); n != 0 {
		t.Errorf("%d builds are seen", n)
	}
	mergeInto(t, into, false, from)
	sameViews(t, "merged again", viewRows(t, readDB(t, into)), rowsOfFixture(t))
}

// TestMergeSameLabel: another build of a label is refused, or replaces the first.
func TestMergeSameLabel(t *testing.T) {
	folders := gameFolders(t)
	dir := t.TempDir()
	same := filepath.Join(dir, "x")
	paths := []string{filepath.Join(dir, "0.db"), filepath.Join(dir, "1.db")}
	for n, path := range paths {
		if err := os.Rename(folders[n], same); err != nil {
			t.Fatal(err)
		}
		scanFolders(t, path, []string{same}, 0)
		if err := os.Rename(same, folders[n]); err != nil {
			t.Fatal(err)
		}
	}
	into := filepath.Join(dir, "into.db")
	mergeInto(t, into, false, paths[0])
	err := tryMerge(t.Context(), t, into, paths[1])
	if !errors.Is(err, schema.ErrOtherBuild) || !strings.Contains(err.Error(), `"x"`) {
		t.Errorf("%v, want that there is another build", err)
	}
	sameViews(t, "refused", viewRows(t, readDB(t, into)), viewRows(t, readDB(t, paths[0])))
	if steps := mergeInto(t, into, true, paths[1]); len(steps) != 1 || !steps[0].Replaces {
		t.Errorf("%+v", steps)
	}
	if n := scan[int](t, readDB(t, into), "SELECT count(*) FROM builds"); n != 1 {
		t.Errorf("%d builds, want 1", n)
	}
	const entries = "SELECT count(*) FROM entries"
	if got, want := scan[int](t, readDB(t, into), entries), scan[int](t, readDB(t, paths[1]), entries); got != want {
		t.Errorf("%d entries, want %d", got, want)
	}
}
