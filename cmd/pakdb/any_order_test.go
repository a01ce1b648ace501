package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// Eight workers scan builds at once. Their contents go to one bucket, where the builds are
// published too; their rows to one engine and into one catalog, each in an order that is drawn.
// All ends in the rows of one machine.
func TestWorkersInAnyOrder(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("runs some 60 processes")
	}
	t.Parallel()
	one, oneAddress := newFakeClickHouse(t)
	many, manyAddress := newFakeClickHouse(t)
	workInAnyOrder(t, oneAddress, manyAddress)
	if want, got := one.rows(), many.rows(); len(want) != fleetWorkers || !maps.Equal(got, want) {
		t.Errorf("%d builds of %d, or other rows\ngot  %.600q\nwant %.600q", len(got), len(want), got, want)
	}
}

// TestWorkersInAnyOrderOnEngine does so with the engine of ClickHouse.
func TestWorkersInAnyOrderOnEngine(t *testing.T) {
	t.Parallel()
	node := os.Getenv("PAKDB_NODE")
	if node == "" || testing.Short() {
		t.Skip("PAKDB_NODE names no folder with node_modules")
	}
	one, many := startEngine(t, node), startEngine(t, node)
	workInAnyOrder(t, one, many)
	if got, want := fmt.Sprint(engineRows(t, many)), fmt.Sprint(engineRows(t, one)); got != want || len(want) < 1000 {
		t.Errorf("other rows: %d bytes, want %d", len(got), len(want))
	}
}

// crew is workers, and where their work goes.
type crew struct {
	dir, bucket, address string
	env                  []string
	merging              sync.Mutex // a catalog has one writer
}

func (c *crew) run(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("pakdb", args...)
	cmd.Env = c.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("pakdb %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (c *crew) folder(n int) string { return filepath.Join(c.dir, fmt.Sprintf("1.%d", n)) }

// workInAnyOrder has one machine push to an address, and a crew to the other.
func workInAnyOrder(t *testing.T, one, many string) {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("game"); err != nil {
		t.Fatal(err)
	}
	service := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(service.Close)
	c := &crew{dir: t.TempDir(), address: many, bucket: "s3://game/x?endpoint=" + url.QueryEscape(service.URL)}
	c.env = append(os.Environ(), "AWS_ACCESS_KEY_ID=key", "AWS_SECRET_ACCESS_KEY=secret", "PAKDB_STORE="+c.bucket)
	alone, merged := filepath.Join(c.dir, "alone.db"), filepath.Join(c.dir, "merged.db")
	var labels []string
	for n := range fleetWorkers {
		labels = append(labels, fmt.Sprintf("1.%d", n))
		writeFleetBuildOf(t, c.folder(n), n, 200)
		pakdb(t, "index", "-q", "--catalog", alone, "--created", created(n), c.folder(n))
	}
	pakdb(t, append([]string{"push", "-q", "--catalog", alone, "--to", one}, labels...)...)

	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	var wg sync.WaitGroup
	for n := range fleetWorkers {
		order, direct := r.Perm(3), r.IntN(2) == 0
		wg.Go(func() { c.work(t, n, order, direct, merged) })
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	pakdb(t, "catalog", "check", "--catalog", merged)
	if got, want := rowsOfBuilds(t, merged), rowsOfBuilds(t, alone); !maps.Equal(got, want) {
		t.Errorf("the merged catalog has %v, want %v", got, want)
	}
	said := c.run(t, append([]string{"push", "--catalog", merged, "--to", many}, labels...)...)
	if strings.Count(said, "already there") != fleetWorkers {
		t.Errorf("the merged catalog has other rows than the engine:\n%s", said)
	}
	c.contents(t, merged)
}

func created(n int) string { return fmt.Sprintf("2026-01-%02d", n+1) }

// work is what one worker does with build n. direct: it copies without a catalog of its own.
func (c *crew) work(t *testing.T, n int, order []int, direct bool, merged string) {
	catalog := filepath.Join(c.dir, fmt.Sprintf("worker%d.db", n))
	c.run(t, "index", "-q", "--catalog", catalog, "--created", created(n), "--store", c.bucket, c.folder(n))
	for _, step := range order {
		switch {
		case step == 0 && direct:
			c.run(t, "index", "-q", "--created", created(n), "--to", c.address, c.folder(n))
		case step == 0:
			c.run(t, "push", "-q", "--catalog", catalog, fmt.Sprintf("1.%d", n), "--to", c.address)
		case step == 1:
			c.merging.Lock()
			c.run(t, "merge", "-q", catalog, "--into", merged)
			c.merging.Unlock()
		default:
			c.run(t, "publish", "-q", c.folder(n), "-o", c.bucket)
		}
	}
}

// contents reads one of each build from the bucket, without the archives, before and after what
// is not needed was pruned.
func (c *crew) contents(t *testing.T, catalog string) {
	t.Helper()
	for n := range fleetWorkers {
		if err := os.RemoveAll(c.folder(n)); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if said := c.run(t, "store", "check", c.bucket); !strings.Contains(said, fmt.Sprintf("sound: %d builds", fleetWorkers)) {
			t.Errorf("the bucket: %s", said)
		}
		for n := range fleetWorkers {
			if got, want := c.run(t, "cat", "--catalog", catalog, fmt.Sprintf("1.%d:archive1/dir000/000101.bin", n)), fmt.Sprintf("content 101 of %d", 1+(101+n)%97); got != want {
				t.Errorf("build 1.%d: %q, want %q", n, got, want)
			}
		}
		if said := c.run(t, "store", "prune", c.bucket, "--keep", fmt.Sprint(fleetWorkers), "--grace", "0s"); !strings.Contains(said, "removed 0 contents") {
			t.Errorf("pruned: %s", said)
		}
	}
}
