package web_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pakdb/codecs/all"
	"pakdb/indexer"
	"pakdb/internal/testkit"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
	"pakdb/testdata/gen/fixture"
)

// servedCatalog is the environment variable by which the test binary serves a catalog in a
// process of its own, whose memory is that of the server alone.
const servedCatalog = "PAKDB_TEST_SERVES"

// serveAlone serves a catalog until its standard input ends.
func serveAlone(catalog string) {
	debug.SetGCPercent(50) // as pakdb serve
	if err := schema.LimitCaches(40 << 20); err != nil {
		panic(err)
	}
	server := serve(alone{}, catalog, nil)
	fmt.Println(server.URL)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// alone is a testing.TB of a process without a test: a failure ends it.
type alone struct{ testing.TB }

func (alone) Helper()                  {}
func (alone) Cleanup(func())           {}
func (alone) Context() context.Context { return context.Background() }
func (alone) Fatal(v ...any)           { panic(fmt.Sprint(v...)) }

// server is a process that serves a catalog.
type process struct {
	*exec.Cmd
	url string
}

// startAlone starts a process that serves a catalog, until the test ends.
func startAlone(t *testing.T, catalog string) *process {
	t.Helper()
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{Cmd: exec.Command(own)}
	p.Env = append(os.Environ(), servedCatalog+"="+catalog)
	p.Stderr = os.Stderr
	in, err := p.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = in.Close(), p.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	p.url = strings.TrimSpace(line)
	return p
}

// memory returns the most memory that the process had, in MB, or 0 where the system does not
// say that.
func (p *process) memory() int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid))
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kilobytes, _ := strconv.Atoi(fields[0])
	return kilobytes / 1000
}

// get returns how long an answer took, which must be 200, or 503 of a statement that takes too
// long.
func (p *process) get(t *testing.T, address string) time.Duration {
	t.Helper()
	began := time.Now()
	got, err := http.Get(p.url + address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	body, err := io.ReadAll(got.Body)
	if err != nil || got.StatusCode != http.StatusOK && got.StatusCode != http.StatusServiceUnavailable {
		t.Fatalf("%s: %s %v %.300s", address, got.Status, err, body)
	}
	return time.Since(began)
}

// request is an address of a kind, of builds 1 to 3 of [fixture.Large] with n entries.
func request(r *rand.Rand, n int) (kind, address string) {
	label := 1 + r.IntN(3)
	pair := []string{"1...2", "2...3", "1...3"}[r.IntN(3)]
	entry, group := r.IntN(n), r.IntN(499)
	folder := []string{"", "/Calligraphy", "/Calligraphy/Entity/Characters", fmt.Sprintf("/Calligraphy/Entity/Characters/Group%d/Variants", group)}[r.IntN(4)]
	build := fmt.Sprintf("/b/%d/", label)
	kinds := []struct {
		name    string
		share   int
		address string
	}{
		{"page", 10, []string{"/", "/builds.json", build + "tree" + folder, "/compare/" + pair, "/sql"}[r.IntN(5)]},
		{"folder", 25, build + "tree" + folder + ".json?sort=" + []string{"name", "-size", "stored", "type"}[r.IntN(4)]},
		{"map", 10, build + "treemap" + folder + ".json"},
		{"file", 10, fmt.Sprintf("%sfile/g%d.sip/%d.json", build, label, entry)},
		{"history", 5, fmt.Sprintf("%sfile/g%d.sip/%d/history.json", build, label, entry)},
		{"references", 5, fmt.Sprintf("%sfile/g%d.sip/%d/refs.json", build, label, entry)},
		{"meaning", 3, fmt.Sprintf("%sfile/g%d.sip/%d/meaning.json", build, label, entry)},
		{"search", 8, build + "search.json?q=" + []string{fmt.Sprint("Character", entry), "Variants", "proto"}[r.IntN(3)]},
		{"archives", 2, build + "archives.json"},
		{"problems", 2, build + "problems.json"},
		{"comparison", 4, "/compare/" + pair + ".json"},
		{"inside", 8, fmt.Sprintf("/compare/%s/inside.json?row=%d", pair, r.IntN(n/100))},
		{"classes", 2, "/compare/" + pair + "/classes.json"},
		{"changes", 2, "/compare/" + pair + "/changes.json"},
		{"choice", 1, "/compare/" + pair + "/choice.json"},
		{"impact", 1, "/compare/" + pair + "/impact.json"},
		{"SQL", 6, "/sql.json?sql=" + url.QueryEscape([]string{
			fmt.Sprintf("SELECT count(*) FROM files WHERE build = '%d'", label),
			fmt.Sprintf("SELECT path, size FROM files WHERE build = '%d' AND path LIKE '%%Character%d.%%' LIMIT 200", label, entry),
			fmt.Sprintf("SELECT count(*) FROM archives WHERE build = '%d'", label),
		}[r.IntN(3)])},
	}
	sum := 0
	for _, k := range kinds {
		sum += k.share
	}
	at := r.IntN(sum)
	for i := range kinds {
		if at -= kinds[i].share; at < 0 {
			return kinds[i].name, kinds[i].address
		}
	}
	panic("unreachable")
}

// TestMemoryOfRequests: random requests by turns to three builds take little memory, however
// large the builds are. With PAKDB_DEEP=all these are of a million entries.
func TestMemoryOfRequests(t *testing.T) {
	testkit.NotShort(t)
	n, requests, most := 10_000, 250, 65
	if testkit.All() {
		n, requests, most = 1_000_000, 1000, 150
	}
	catalog := largeBuilds(t, n)
	r := rand.New(rand.NewPCG(testkit.Seed(t), 1))
	p := startAlone(t, catalog)
	times := map[string][]time.Duration{}
	for range requests {
		kind, address := request(r, n)
		before := p.memory()
		took := p.get(t, address)
		times[kind] = append(times[kind], took)
		if now := p.memory(); now > before+5 {
			t.Logf("%d -> %d MB: %s, %s", before, now, address, took)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(times)) {
		all := times[kind]
		slices.Sort(all)
		t.Logf("%4d %-12s median %8.1f, 95 %%: %8.1f, most %8.1f ms", len(all), kind, ms(all[len(all)/2]), ms(all[len(all)*95/100]), ms(all[len(all)-1]))
	}
	if got := p.memory(); got > most {
		t.Errorf("%d requests take up to %d MB, more than %d", requests, got, most)
	} else {
		t.Logf("%d requests take up to %d MB", requests, got)
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// largeBuilds returns a catalog of three builds of n entries.
func largeBuilds(t *testing.T, n int) string {
	dir := t.TempDir()
	return schematest.Write(t, func(c *schema.Catalog) {
		for build := 1; build <= 3; build++ {
			name := filepath.Join(dir, fmt.Sprintf("g%d.sip", build))
			f, err := os.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(fixture.Large(f, n, build), f.Close()); err != nil {
				t.Fatal(err)
			}
			if _, err := indexer.Run(t.Context(), indexer.Options{Catalog: c, Registry: all.Registry(), Label: strconv.Itoa(build), Paths: []string{name}, Search: schema.SearchMade}); err != nil {
				t.Fatal(err)
			}
		}
	})
}
