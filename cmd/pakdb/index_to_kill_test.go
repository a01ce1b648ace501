package main

import (
	"bufio"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pakdb/codecs/codecstest"
	"pakdb/query/clickhouse"
	"pakdb/query/portable"
)

const (
	fleetWorkers = 8
	fleetBuilds  = 10
	fleetKills   = 12 // in all
)

// fleet is workers that scan builds into one engine, and are killed at random.
type fleet struct {
	address string
	folders []string // of builds
	env     []string
	whole   time.Duration // of one scan

	mu     sync.Mutex
	r      *rand.Rand
	queue  []int
	kills  int // that are left
	killed int
}

// Eight workers scan builds into one server and are killed at random moments. Whoever is
// killed leaves nothing that is seen; builds are scanned again, and all ends in the rows
// that one worker makes.
func TestKilledFleet(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("kills processes for half a minute")
	}
	t.Parallel()
	one, oneAddress := newFakeClickHouse(t)
	many, manyAddress := newFakeClickHouse(t)
	run := newFleet(t, oneAddress, manyAddress)
	want := one.rows()
	if len(want) != fleetBuilds {
		t.Fatalf("one worker made %d builds", len(want))
	}
	got := many.rows()
	if !maps.Equal(got, want) {
		t.Errorf("after %d kills: %d builds, or other rows\ngot  %.600q\nwant %.600q", run.killed, len(got), got, want)
	}
	for _, s := range many.log {
		if s.row+"\n"+s.rows != want[s.build] {
			t.Errorf("build %s was shown with %.300q", s.build, s.rows)
		}
	}
}

// TestKilledFleetOnEngine does so with the engine of ClickHouse.
func TestKilledFleetOnEngine(t *testing.T) {
	t.Parallel()
	node := os.Getenv("PAKDB_NODE")
	if node == "" || testing.Short() {
		t.Skip("PAKDB_NODE names no folder with node_modules")
	}
	one, many := startEngine(t, node), startEngine(t, node)
	run := newFleet(t, one, many)
	want, got := engineRows(t, one), engineRows(t, many)
	for view := range want {
		if len(want[view]) == 0 && (view == "entries" || view == "builds") {
			t.Errorf("%s: no rows", view)
		}
		if !slices.Equal(got[view], want[view]) {
			t.Errorf("after %d kills %s has %d rows, want %d (or others)", run.killed, view, len(got[view]), len(want[view]))
		}
	}
}

// newFleet has one worker scan builds to one address, then many to the other.
func newFleet(t *testing.T, one, many string) *fleet {
	t.Helper()
	dir := t.TempDir()
	temp := filepath.Join(dir, "temp")
	if err := os.Mkdir(temp, 0o777); err != nil {
		t.Fatal(err)
	}
	seed := uint64(time.Now().UnixNano())
	f := &fleet{address: one, env: append(os.Environ(), "TMPDIR="+temp), r: rand.New(rand.NewPCG(seed, 0))}
	for i := range fleetBuilds {
		f.folders = append(f.folders, filepath.Join(dir, fmt.Sprintf("1.%d", i)))
		writeFleetBuild(t, f.folders[i], i)
	}
	start := time.Now()
	f.all(t, 1)
	f.whole = time.Since(start) / fleetBuilds
	t.Logf("a scan takes %s; seed %d", f.whole, seed)
	f.address, f.kills = many, killsOf(fleetKills)
	f.whole *= fleetWorkers / 2 // as many share the cores
	f.all(t, fleetWorkers)
	t.Logf("%d of them were killed", f.killed)
	if f.killed == 0 {
		t.Error("every scan ended before it was killed")
	}
	f.kills, f.queue = 0, []int{0} // which removes what the killed ones left
	if err := f.scan(0, false); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("temporary files stay: %v, %v", left, err)
	}
	return f
}

func writeFleetBuild(t *testing.T, dir string, n int) {
	t.Helper()
	writeFleetBuildOf(t, dir, n, 1500)
}

// writeFleetBuildOf writes build n: two archives of so many entries each.
func writeFleetBuildOf(t *testing.T, dir string, n, entries int) {
	t.Helper()
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for archive := range 2 {
		names := make([]string, entries)
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

// all scans all builds by workers, until each is done.
func (f *fleet) all(t *testing.T, workers int) {
	t.Helper()
	f.queue = f.r.Perm(fleetBuilds)
	var left sync.WaitGroup
	left.Add(fleetBuilds)
	done := make(chan struct{})
	go func() { left.Wait(); close(done) }()
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				build, kill, ok := f.next()
				if !ok {
					select {
					case <-done:
						return
					case <-time.After(5 * time.Millisecond): // another one may be killed
						continue
					}
				}
				switch err := f.scan(build, kill); {
				case errors.Is(err, errKilled):
					f.mu.Lock()
					f.queue = append(f.queue, build)
					f.killed++
					f.mu.Unlock()
					continue
				case err != nil:
					t.Error(err)
				}
				left.Done()
			}
		})
	}
	wg.Wait()
}

// next returns a build that is to be scanned, and whether its worker is to be killed.
func (f *fleet) next() (build int, kill, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.queue) == 0 {
		return 0, false, false
	}
	build, f.queue = f.queue[0], f.queue[1:]
	if kill = f.kills > 0 && f.r.IntN(3) > 0; kill {
		f.kills--
	}
	return build, kill, true
}

var errKilled = errors.New("killed")

// scan starts a worker for one build, and kills it some time later if it is to be.
func (f *fleet) scan(build int, kill bool) error {
	cmd := exec.Command("pakdb", "index", "-q", "--to", f.address, "--created", fmt.Sprintf("2026-01-%02d", build+1), f.folders[build])
	cmd.Env = f.env
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	if kill {
		f.mu.Lock()
		after := time.Duration(f.r.Float64() * float64(f.whole))
		f.mu.Unlock()
		timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		defer timer.Stop()
	}
	err := cmd.Wait()
	if err != nil && cmd.ProcessState.ExitCode() == -1 {
		return errKilled
	}
	if err != nil {
		return fmt.Errorf("build %d: %w: %s", build, err, stderr.String())
	}
	return nil
}

// startEngine starts the engine of ClickHouse, and returns its address.
func startEngine(t *testing.T, node string) string {
	t.Helper()
	cmd := exec.Command("node", filepath.Join(codecstest.ModuleRoot(t), "query", "clickhouse", "testdata", "shim.js"), t.TempDir())
	cmd.Env = append(os.Environ(), "NODE_PATH="+filepath.Join(node, "node_modules"))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	port, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return "clickhouse://127.0.0.1:" + strings.TrimSpace(port) + "/game"
}

// engineRows returns all rows of all views, sorted.
func engineRows(t *testing.T, address string) map[string][]string {
	t.Helper()
	at, err := clickhouse.ParseAddress(address)
	if err != nil {
		t.Fatal(err)
	}
	c := clickhouse.NewClient(at)
	defer c.Close()
	all := map[string][]string{}
	for _, v := range portable.Views() {
		err := c.Ask(t.Context(), "SELECT * FROM "+v.Name, nil, func([]string) error { return nil }, func(row []driver.Value) error {
			all[v.Name] = append(all[v.Name], fmt.Sprint(row))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(all[v.Name])
	}
	return all
}
