package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The first scan may be killed at any moment: there is no catalog then, or a whole
// one, a reader says which, and the next scan works.
func TestKilledFirstScans(t *testing.T) {
	killing(t)
	n := killsOf(12)
	dir := t.TempDir()
	game := filepath.Join(dir, "game.sip")
	if err := os.WriteFile(game, kapgOf([]string{"a", "b"}, [][]byte{[]byte("a"), []byte("b")}), 0o600); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	pakdb(t, "index", "-q", "--catalog", filepath.Join(dir, "undisturbed.db"), "--build", "x", game)
	within := min(2*time.Since(start), time.Second)
	k := killer{whole: within}
	counts := map[string]int{}
	for i := range n {
		folder := filepath.Join(dir, fmt.Sprint(i))
		if err := os.Mkdir(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		catalog := filepath.Join(folder, "pakdb.db")
		if k.end(t, rand.N(within), "", []string{"index", "-q", "--catalog", catalog, "--build", "x", game}) {
			counts["killed"]++
		}
		counts[readKilled(t, catalog)]++
		pakdb(t, "index", "-q", "--catalog", catalog, "--build", "x", game)
		check(t, catalog)
		if left, _ := filepath.Glob(filepath.Join(folder, "*")); len(left) != 1 {
			t.Errorf("kill %d: %q are left", i, left)
		}
	}
	t.Logf("%d scans of %s: %v", n, within/2, counts)
}

// readKilled asks a catalog whose maker was killed, and returns what it has.
func readKilled(t *testing.T, catalog string) string {
	t.Helper()
	out, err := exec.Command("pakdb", "query", "--catalog", catalog, "--no-header", "--format", "csv", "SELECT count(*) FROM builds").CombinedOutput()
	text := strings.TrimSpace(string(out))
	switch {
	case err == nil && (text == "0" || text == "1"):
		return text + " builds"
	case strings.Contains(text, "no such file"):
		return "no catalog"
	}
	t.Errorf("the next query: %v: %s", err, text)
	return "wrong"
}
