package main

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pakdb/internal/testkit"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

const (
	killArchives = 4
	killEntries  = 10_000 // of each: three batches in all, so that some kills fall between commits
	kills        = 12
)

// A scan may be killed at any moment. The catalog stays sound, the build that
// was there stays visible until the new one replaces it as a whole, and the
// next scan ends with the rows of an undisturbed one.
func TestKilledScans(t *testing.T) {
	killing(t)
	dir := t.TempDir()
	game := filepath.Join(dir, "game")
	if err := os.Mkdir(game, 0o777); err != nil {
		t.Fatal(err)
	}
	for i := range killArchives {
		writeKillArchive(t, filepath.Join(game, fmt.Sprintf("%d.sip", i)), i)
	}
	old := filepath.Join(dir, "old.sip")
	if err := os.WriteFile(old, kapgOf([]string{"old"}, [][]byte{[]byte("old")}), 0o600); err != nil {
		t.Fatal(err)
	}

	undisturbed := filepath.Join(dir, "undisturbed.db")
	start := time.Now()
	scan(t, undisturbed, game)
	whole := time.Since(start)
	want := rowsOf(t, undisturbed)

	catalog := filepath.Join(dir, "pakdb.db")
	scan(t, catalog, old)
	before := rowsOf(t, catalog)
	seed := testkit.Seed(t)
	t.Logf("a scan takes %s; seed %d", whole, seed)
	k := &killer{r: rand.New(rand.NewPCG(seed, 0)), whole: whole}
	for i := 0; k.goesOn(i, killsOf(kills)); i++ {
		args := []string{"index", "-q", "--catalog", catalog, "--build", "x", game}
		if i%2 == 0 {
			args = append(args, "--force") // reads everything; the others go on where the last one stopped
		}
		k.kill(t, 0, args...)
		check(t, catalog)
		if got := rowsOf(t, catalog); got != want && got != before {
			t.Fatalf("kill %d: half a build is visible: %s", i, got)
		}
	}
	if k.killed == 0 {
		t.Error("every scan ended before it was killed")
	}
	scan(t, catalog, game)
	check(t, catalog)
	if got := rowsOf(t, catalog); got != want {
		t.Errorf("after %d kills the rows are %s, undisturbed they are %s", k.killed, got, want)
	}
	for _, left := range []string{"-wal", "-shm", ".lock"} {
		if _, err := os.Stat(catalog + left); err == nil {
			t.Errorf("%s stays beside the catalog", left)
		}
	}
}

func writeKillArchive(t *testing.T, path string, n int) {
	t.Helper()
	names := make([]string, killEntries)
	contents := make([][]byte, killEntries)
	for i := range names {
		names[i] = fmt.Sprintf("archive%d/dir%03d/%06d.bin", n, i/500, i)
		contents[i] = fmt.Appendf(nil, "content %d of %d, and of none else", i%7_500, n%2)
	}
	if err := os.WriteFile(path, kapgOf(names, contents), 0o600); err != nil {
		t.Fatal(err)
	}
}

func scan(t *testing.T, catalog, path string) {
	t.Helper()
	pakdb(t, "index", "-q", "--catalog", catalog, "--build", "x", path)
}

func openCatalog(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := schema.OpenReadOnly(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// check is what SQLite says about the file.
func check(t *testing.T, catalog string) {
	t.Helper()
	db := openCatalog(t, catalog)
	defer func() { _ = db.Close() }()
	var result string
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&result); err != nil || result != "ok" {
		t.Fatalf("integrity_check: %s, %v", result, err)
	}
}

// rowsOf is a digest of all that the catalog shows of its entries.
func rowsOf(t *testing.T, catalog string) string {
	t.Helper()
	h, n := sha256.New(), 0
	for _, row := range schematest.Ask(t, catalog, `SELECT build, archive, ordinal, path, offset, stored, size, method, content
		FROM entries ORDER BY build, archive, ordinal`) {
		n++
		_, _ = fmt.Fprintf(h, "%q\n", row)
	}
	return fmt.Sprintf("%d rows, %x", n, h.Sum(nil)[:8])
}
