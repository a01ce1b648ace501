package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// A push is killed at random moments, 200 times with PAKDB_KILLS=4, and made again. Two builds of one name take
// each other's place: views show one or the other, all of it and nothing else.
func TestKilledPushes(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("kills processes for half a minute")
	}
	t.Parallel()
	f, address := newFakeClickHouse(t)
	killPushes(t, 50, address, func() string { return fmt.Sprint(f.rows()) })
}

// TestKilledPushesOnEngine does so with the engine of ClickHouse: 200 times with
// PAKDB_KILLS=20.
func TestKilledPushesOnEngine(t *testing.T) {
	t.Parallel()
	node := os.Getenv("PAKDB_NODE")
	if node == "" || testing.Short() {
		t.Skip("PAKDB_NODE names no folder with node_modules")
	}
	address := startEngine(t, node)
	killPushes(t, 10, address, func() string { return fmt.Sprint(engineRows(t, address)) })
}

// killPushes kills pushes to an address. look returns what its views show.
func killPushes(t *testing.T, kills int, address string, look func() string) {
	t.Helper()
	dir := t.TempDir()
	var args [2][]string
	var shows [2]string
	seed := uint64(time.Now().UnixNano())
	k := &killer{r: rand.New(rand.NewPCG(seed, 0))}
	for i := range args {
		folder, catalog := filepath.Join(dir, fmt.Sprint(i)), filepath.Join(dir, fmt.Sprintf("%d.db", i))
		writeFleetBuildOf(t, folder, i, 200) // few: what is killed at random is many small steps
		pakdb(t, "index", "-q", "--catalog", catalog, "--build", "1", "--created", "2026-01-01", folder)
		args[i] = []string{"push", "-q", "--catalog", catalog, "1", "--to", address}
		start := time.Now()
		pakdb(t, args[i]...)
		k.whole = time.Since(start)
		shows[i] = look()
	}
	if shows[0] == shows[1] {
		t.Fatal("both builds show the same")
	}
	t.Logf("a push takes %s; seed %d", k.whole, seed)
	now, through := 1, 0
	for n := range killsOf(kills) {
		next := 1 - now
		k.kill(t, 0, args[next]...)
		switch look() {
		case shows[now]:
		case shows[next]:
			through++
		default:
			t.Fatalf("kill %d: neither build is seen whole", n)
		}
		pakdb(t, args[next]...)
		if look() != shows[next] {
			t.Fatalf("kill %d: other rows after another push", n)
		}
		now = next
	}
	t.Logf("%d of them were killed; %d had come through", k.killed, through)
	if k.killed < killsOf(kills)/2 {
		t.Errorf("%d of %d pushes were killed", k.killed, killsOf(kills))
	}
}
