package main

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pakdb/internal/testkit"
	"pakdb/internal/testkit/schematest"
)

// Eight workers scanned builds into catalogs of their own. Merging these is killed at
// random moments: the catalog stays sound, no build is seen by half, and merging again, in
// whatever order, ends with the rows of one machine that scanned all.
func TestKilledMerges(t *testing.T) {
	killing(t)
	dir := t.TempDir()
	one := filepath.Join(dir, "one.db")
	var parts []string
	for n := range 8 {
		folder := filepath.Join(dir, fmt.Sprintf("1.%d", n))
		writeWorkersBuild(t, folder, n)
		parts = append(parts, filepath.Join(dir, fmt.Sprintf("%d.db", n)))
		for _, catalog := range []string{one, parts[n]} {
			pakdb(t, "index", "-q", "--catalog", catalog, "--created", fmt.Sprintf("2026-01-%02d", n+1), folder)
		}
	}
	want := rowsOfBuilds(t, one)
	seed := testkit.Seed(t)
	r := rand.New(rand.NewPCG(seed, 0))
	into := filepath.Join(dir, "into.db")
	merge := func() []string {
		args := []string{"index", "-q", "--catalog", into}
		for _, n := range r.Perm(len(parts)) {
			args = append(args, parts[n])
		}
		return args
	}
	start := time.Now()
	pakdb(t, merge()...)
	k := &killer{r: r, whole: time.Since(start)}
	t.Logf("merging takes %s; seed %d", k.whole, seed)
	for range 2 {
		if err := os.Remove(into); err != nil {
			t.Fatal(err)
		}
		for i := 0; k.goesOn(i, killsOf(4)); i++ {
			k.kill(t, 0, merge()...)
			if _, err := os.Stat(into); err != nil {
				continue // it was killed before there was one
			}
			check(t, into)
			for build, rows := range rowsOfBuilds(t, into) {
				if rows != want[build] {
					t.Fatalf("half of build %s is seen: %s, want %s", build, rows, want[build])
				}
			}
		}
		pakdb(t, merge()...)
		check(t, into)
		if got := rowsOfBuilds(t, into); !maps.Equal(got, want) {
			t.Errorf("after %d kills: %v, want %v", k.killed, got, want)
		}
	}
	if k.killed == 0 {
		t.Error("every merge ended before it was killed")
	}
	if got, want := sizeOf(t, into), sizeOf(t, one); got > want*5/4 {
		t.Errorf("%d bytes, one machine makes %d", got, want)
	}
	for n, part := range parts {
		if left, err := filepath.Glob(part + "*"); err != nil || len(left) != 1 {
			t.Errorf("beside the catalog of worker %d: %v, %v", n, left, err)
		}
	}
}

func sizeOf(t *testing.T, path string) int64 {
	t.Helper()
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return st.Size()
}

// rowsOfBuilds is a digest of all that the catalog shows of the entries of each build.
func rowsOfBuilds(t *testing.T, catalog string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, row := range schematest.Ask(t, catalog, `SELECT b.build, b.created_at, b.archive_count, e.archive, e.ordinal, e.path, e.offset, e.stored, e.size, e.method, e.content
		FROM builds b LEFT JOIN entries e ON e.build = b.build ORDER BY 1, 4, 5`) {
		build := fmt.Sprint(row[0])
		h := sha256.Sum256(fmt.Appendf(nil, "%s%q", all[build], row[1:]))
		all[build] = fmt.Sprintf("%x", h[:8])
	}
	return all
}

// writeWorkersBuild writes two archives, most of whose contents other builds have too.
func writeWorkersBuild(t *testing.T, dir string, n int) {
	t.Helper()
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for archive := range 2 {
		names := make([]string, 1500)
		contents := make([][]byte, len(names))
		for i := range names {
			names[i] = fmt.Sprintf("archive%d/dir%03d/%06d.bin", archive, i/500, i)
			contents[i] = fmt.Appendf(nil, "content %d of %d", i, archive+(i+n)%97)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.sip", archive)), kapgOf(names, contents), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
