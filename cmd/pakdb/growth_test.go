package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/unrealpak"
	"pakdb/internal/testkit"
	"pakdb/internal/testkit/schematest"
)

// TestGrowth draws two builds of each shape, small ones and others 8 times as large, and
// has commands work on them. The work is counted, not timed: steps of each statement of
// SQLite, bytes read and written, allocations. 8 times the entries may take 12 times as
// much, which n log n does and n * n does not.
//
// By default it takes one shape, with PAKDB_DEEP=all all of them. PAKDB_GROWTH=64000 takes
// builds of 8,000 and 64,000 entries of all shapes: minutes for each.
func TestGrowth(t *testing.T) {
	if testing.Short() {
		t.Skip("a hundred commands")
	}
	steps := schematest.CountSteps(t)
	entries, all := 480, shapes()
	if text := os.Getenv("PAKDB_GROWTH"); text != "" {
		var err error
		if entries, err = strconv.Atoi(text); err != nil || entries < 480 {
			t.Fatalf("PAKDB_GROWTH=%s: want a number of entries, at least 480", text)
		}
	} else {
		all = all[:testkit.Of(1, len(all))]
	}
	for _, s := range all {
		t.Run(s.name, func(t *testing.T) { s.measure(t, meter{steps: steps}, entries/8, entries) })
	}
}

// TestGrowthOfBlocks counts how often each block of the program is executed: loops that
// neither allocate nor read show there alone. It takes the usual shapes, with PAKDB_GROWTH.
func TestGrowthOfBlocks(t *testing.T) {
	if os.Getenv("PAKDB_GROWTH") == "" {
		t.Skip("PAKDB_GROWTH is not set")
	}
	counting := filepath.Join(t.TempDir(), "pakdb")
	compile := exec.Command("go", "build", "-cover", "-covermode=atomic", "-coverpkg=./...", "-o", counting, "./cmd/pakdb")
	compile.Dir = codecstest.ModuleRoot(t)
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, s := range shapes()[:usual] {
		t.Run(s.name, func(t *testing.T) { s.measure(t, meter{counting: counting}, 250, 2000) })
	}
}

// measure compares what commands take of builds of few entries with what they take of many.
func (s *shape) measure(t *testing.T, m meter, few, many int) {
	var before map[string]ledger
	for _, n := range []int{few, many} {
		m.T, m.dir, m.costs = t, t.TempDir(), map[string]ledger{}
		m.measure(s.builds(n))
		catalog, err := os.Stat(m.in("c.db"))
		if err != nil {
			t.Fatal(err)
		}
		for _, command := range slices.Sorted(maps.Keys(before)) {
			grew(t, command, n, catalog.Size(), before[command], m.costs[command])
		}
		before = m.costs
		if err := os.RemoveAll(m.dir); err != nil {
			t.Fatal(err)
		}
	}
}

// build is the files of a build by name, and in each the entries in stored order. A file
// without .pak is a loose one, of one entry.
type build map[string][]item

type item struct{ name, content string }

// shape is how two builds of n entries differ.
type shape struct {
	name   string
	builds func(n int) (old, new build)
}

// usual is how many shapes are counted by blocks, the first ones.
const usual = 3

// shapes lists all shapes.
func shapes() []shape {
	entries := func(n int, of func(i int) item) (all []item) {
		for i := range n {
			all = append(all, of(i))
		}
		return all
	}
	name := func(i int) string { return fmt.Sprintf("Folder%d/File%d.txt", i%(i/16+1), i) }
	content := func(i, version int) string { return fmt.Sprintf("file %d %d, version %d", i, i*i, version) }
	first := func(i int) item { return item{name(i), content(i, 1)} }
	second := func(i int) item { return item{name(i), content(i, 2)} }
	tenth := func(i int) item { return item{name(i), content(i, i%10/9)} }
	one := func(all []item) build { return build{"Game.pak": all} }
	loose := func(all []item) build {
		b := build{}
		for _, it := range all {
			b[it.name] = []item{it}
		}
		return b
	}
	return []shape{
		{"all changed and as many added", func(n int) (old, new build) { return one(entries(n/2, first)), one(entries(n, second)) }},
		{"all moved", func(n int) (old, new build) {
			return one(entries(n, first)), one(entries(n, func(i int) item { return item{"Elsewhere/" + name(n-1-i), content(i, 1)} }))
		}},
		{"loose files", func(n int) (old, new build) { return loose(entries(n/4, first)), loose(entries(n/4, tenth)) }},
		{"all changed", func(n int) (old, new build) { return one(entries(n, first)), one(entries(n, second)) }},
		{"every tenth changed", func(n int) (old, new build) {
			return one(entries(n, func(i int) item { return item{name(i), content(i, 0)} })), one(entries(n, tenth))
		}},
		{"nothing changed", func(n int) (old, new build) { return one(entries(n, first)), one(entries(n, first)) }},
		{"reversed", func(n int) (old, new build) {
			return one(entries(n, first)), one(entries(n, func(i int) item { return first(n - 1 - i) }))
		}},
		{"archive renamed", func(n int) (old, new build) { return one(entries(n, first)), build{"Main.pak": entries(n, tenth)} }},
		{"archive split", func(n int) (old, new build) {
			all := entries(n, first)
			return one(all), build{"A.pak": all[:n/3], "B.pak": all[n/3 : 2*n/3], "C.pak": all[2*n/3:]}
		}},
		{"copies moved", func(n int) (old, new build) {
			return one(entries(n, func(i int) item { return item{name(i), content(i%2, 1)} })),
				one(entries(n, func(i int) item { return item{"Elsewhere/" + name(i), content(i%2, 1)} }))
		}},
		{"all replaced", func(n int) (old, new build) {
			return one(entries(n, first)), one(entries(n, func(i int) item { return second(n + i) }))
		}},
		{"many archives", func(n int) (old, new build) {
			old, new = build{}, build{}
			for i := range n / 50 {
				old[fmt.Sprintf("Part%d.pak", i)] = entries(50, func(k int) item { return first(50*i + k) })
				new[fmt.Sprintf("Part%d.pak", i)] = entries(50, func(k int) item { return tenth(50*i + k) })
			}
			return old, new
		}},
	}
}

// write writes a build into a folder.
func (b build) write(t *testing.T, dir string) {
	t.Helper()
	for file, items := range b {
		at := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(file, ".pak") {
			if err := os.WriteFile(at, []byte(items[0].content), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		o := codecs.CreateOptions{Version: "11"}
		if err := codecs.WriteFile(t.Context(), at, unrealpak.Format(), &o, func(w codecs.Writer) error {
			for _, it := range items {
				if err := w.Add(t.Context(), &codecs.Entry{Name: it.name}, strings.NewReader(it.content)); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// some returns the path of an entry in the middle.
func (b build) some() string {
	files := slices.Sorted(maps.Keys(b))
	items := b[files[len(files)/2]]
	return items[len(items)/2].name
}

// ledger is what a command took, by what it is.
type ledger map[string]int64

// meter has commands work, in this process or in one whose blocks are counted.
type meter struct {
	*testing.T
	dir      string
	costs    map[string]ledger // by command
	steps    *schematest.Steps // of this process
	counting string            // a pakdb that counts the executions of its blocks; "" for this process
}

func (m *meter) in(name string) string { return filepath.Join(m.dir, name) }

// measure runs the commands on two builds.
func (m *meter) measure(old, new build) {
	old.write(m.T, m.in("old"))
	new.write(m.T, m.in("new"))
	m.run("index old", "index", "--build", "old", m.in("old"))
	m.run("index new", "index", "--build", "new", m.in("new"))
	m.run("diff", "diff", "old", "new")
	m.run("diff of folders", "diff", m.in("old"), m.in("new"))
	m.run("log", "log", old.some())
	m.run("merge", "index", m.in("c.db"), "--catalog", m.in("merged.db"))
	m.run("publish old", "publish", m.in("old"), "-o", m.in("store"))
	m.run("publish new", "publish", m.in("new"), "-o", m.in("store"))
	m.run("patch build", "patch", "build", "old", "new", "-o", m.in("patch"))
	m.explore(new.some())
	m.run("rm", "rm", "old")
}

func (m *meter) run(name string, args ...string) {
	m.Helper()
	args = append([]string{"--catalog", m.in("c.db"), "--quiet"}, args...)
	if m.counting != "" {
		m.costs[name] = m.blocks(func(program *exec.Cmd) {
			if out, err := program.CombinedOutput(); program.ProcessState.ExitCode() > cli.ExitProblems {
				m.Fatalf("%q: %v: %s", args, err, out)
			}
		}, args...)
		return
	}
	m.costs[name] = m.count(func() {
		var e bytes.Buffer
		code := execute(m.Context(), cli.New(strings.NewReader(""), io.Discard, &e, all.Registry), args)
		if code != cli.ExitOK && code != cli.ExitProblems {
			m.Fatalf("%q: exit code %d: %s", args, code, e.String())
		}
	})
}

// explore asks the explorer for its pages.
func (m *meter) explore(path string) {
	args := []string{"--catalog", m.in("c.db"), "serve", "--addr", "127.0.0.1:0"}
	r, w := io.Pipe()
	defer func() { _ = w.Close() }()
	address := make(chan string, 1)
	go func() {
		line := make([]byte, 1<<10)
		n, _ := r.Read(line)
		address <- regexp.MustCompile(`http://[^ ]+/`).FindString(string(line[:n]))
		_, _ = io.Copy(io.Discard, r)
	}()
	if m.counting != "" {
		m.costs["pages"] = m.blocks(func(program *exec.Cmd) {
			program.Stderr = w
			if err := program.Start(); err != nil {
				m.Fatal(err)
			}
			m.pages(<-address, path, func(_ string, do func()) { do() })
			_ = program.Process.Signal(os.Interrupt)
			_ = program.Wait()
		}, args...)
		return
	}
	ctx, stop := context.WithCancel(m.Context())
	ended := make(chan int, 1)
	var at string
	// Sums of folders are made from the start on, and the first page waits for them.
	m.costs["first page"] = m.count(func() {
		go func() {
			ended <- execute(ctx, cli.New(strings.NewReader(""), io.Discard, w, all.Registry), args)
		}()
		at = <-address
		m.get(at + "b/new/tree.json")
	})
	m.pages(at, path, func(page string, do func()) { m.costs[page] = m.count(do) })
	stop()
	<-ended
}

// get returns a page.
func (m *meter) get(address string) (body []byte) {
	got, err := http.Get(address)
	if err != nil {
		m.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	if body, err = io.ReadAll(got.Body); err != nil || got.StatusCode != http.StatusOK {
		m.Fatalf("%s: %s: %v: %s", address, got.Status, err, body)
	}
	return body
}

// pages asks for all pages.
func (m *meter) pages(address, path string, count func(page string, do func())) {
	var places struct {
		Places []struct {
			Archive string
			Ordinal int64
		}
	}
	if err := json.Unmarshal(m.get(address+"b/new/path/"+url.PathEscape(path)+".json"), &places); err != nil || len(places.Places) == 0 {
		m.Fatalf("%v: no place of %s", err, path)
	}
	file := fmt.Sprintf("b/new/file/%s/%d", url.PathEscape(places.Places[0].Archive), places.Places[0].Ordinal)
	for _, page := range []string{"builds.json", "b/new/tree.json?sort=-size", "b/new/treemap.json", "b/new/search.json?q=File7", "b/new/archives.json", "b/new/problems.json",
		file + ".json", file + "/history.json", file + "/refs.json", "b/new/graph.json?path=" + url.QueryEscape(path),
		"compare/old...new.json", "compare/old...new/changes.json", "compare/old...new/downloads.json", "compare/old...new/classes.json",
		"compare/old...new/impact.json", "patch/old...new.json?only=*7.txt"} {
		count("page "+regexp.MustCompile(`file/.*/[0-9]+`).ReplaceAllString(page, "file"), func() { m.get(address + page) })
	}
}

// count returns what do takes in this process.
func (m *meter) count(do func()) ledger {
	m.steps.Take()
	transferred := m.transferred()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	l := ledger{"allocations": int64(after.Mallocs - before.Mallocs), "bytes": m.transferred() - transferred}
	for statement, n := range m.steps.Take() {
		l["steps"] += n
		if strings.HasPrefix(statement, "INSERT") {
			statement, _, _ = strings.Cut(statement, "(") // what all rows of a batch share is a constant of it
		}
		l["steps of "+statement] += n
	}
	return l
}

// transferred returns how many bytes this process has read and written, 0 where no system
// says so.
func (m *meter) transferred() (sum int64) {
	b, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return 0
	}
	var read, written int64
	if _, err := fmt.Sscanf(string(b), "rchar: %d\nwchar: %d", &read, &written); err != nil {
		m.Fatal(err)
	}
	return read + written
}

// blocks returns how often each block of the program was executed while do has it run.
func (m *meter) blocks(do func(*exec.Cmd), args ...string) ledger {
	dir := m.TempDir()
	program := exec.Command(m.counting, args...)
	program.Env = append(os.Environ(), "GOCOVERDIR="+dir)
	do(program)
	text := filepath.Join(dir, "profile")
	if out, err := exec.Command("go", "tool", "covdata", "textfmt", "-i", dir, "-o", text).CombinedOutput(); err != nil {
		m.Fatalf("%v: %s", err, out)
	}
	b, err := os.ReadFile(text)
	if err != nil {
		m.Fatal(err)
	}
	l := ledger{}
	for line := range strings.Lines(string(b)) {
		fields := strings.Fields(line)
		if n, err := strconv.ParseInt(fields[len(fields)-1], 10, 64); err == nil && n > 0 {
			l["executions"] += n
			l["executions of "+fields[0]] = n
		}
	}
	return l
}

// cacheSize is that of a connection of SQLite.
const cacheSize = 8 << 20

// grew fails where a command took more than 12 times as much for 8 times the entries, and
// what caches and first calls take beside that. A statement or a block may take 16 times as
// much, since n log n of few entries does; it counts if it is a hundredth of all, and more
// than a thousandth of all of small builds. SQLite's cache has the whole of a small catalog:
// a page reads nothing of that, and may read a large one once, and of one larger than the cache
// four of its pages for each entry, as each look-up reads them from the system again.
func grew(t *testing.T, command string, entries int, catalog int64, few, many ledger) {
	for _, what := range slices.Sorted(maps.Keys(many)) {
		all, _, isPart := strings.Cut(what, " of ")
		most, beside := 12*few[what], 20_000+5*int64(entries) // a look-up may pass by none or all
		switch {
		case isPart && (few[what] <= few[all]/1000 || many[what] < many[all]/100):
			continue
		case isPart:
			most = 16 * few[what]
		case what == "bytes":
			beside = cacheSize
			if strings.HasPrefix(command, "page ") {
				beside += catalog
			}
			if catalog > cacheSize {
				beside += 4 * 4096 * int64(entries)
			}
		}
		if many[what] > most+beside {
			t.Errorf("%s of %d entries: %d, then %d %s", command, entries, few[what], many[what], what)
		}
	}
}
