package update_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/zeebo/blake3"

	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
	"pakdb/diff/ship/internal/trust"
	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/publish"
	"pakdb/diff/ship/store/update"
	"pakdb/internal/testkit"
)

// folder is what a folder holds, by path.
type folder map[string][]byte

func (f folder) write(t *testing.T, dir string) string {
	t.Helper()
	for name, b := range f {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o777), os.WriteFile(to, b, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func readFolder(t *testing.T, dir string) folder {
	t.Helper()
	f := folder{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == trust.MemoryName {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		f[filepath.ToSlash(rel)], err = os.ReadFile(p)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func same(t *testing.T, what string, got, want folder) {
	t.Helper()
	if !maps.EqualFunc(got, want, bytes.Equal) {
		t.Errorf("%s: files %v, want %v (or other contents)", what, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}

func runPublish(t *testing.T, dir, label string, f folder, deltas ...int) {
	t.Helper()
	publishWith(t, dir, label, f, &publish.Options{Registry: all.Registry(), Deltas: len(deltas)})
}

// runUpdate brings dir to a build and returns the bill.
func runUpdate(ctx context.Context, from, dir, label string) (update.Bill, *update.Remote, error) {
	ctx = quick(ctx)
	r, err := update.OpenRemote(from, update.RemoteOptions{})
	if err != nil {
		return update.Bill{}, nil, err
	}
	r.SetClock(time.Now, noSleep)
	u, plan, err := update.Prepare(ctx, r, dir, update.Options{Label: label, Registry: all.Registry()})
	if err != nil {
		return update.Bill{}, r, err
	}
	err = u.Apply(ctx, plan, nil)
	return plan.Bill, r, errors.Join(err, u.Close())
}

// builds are three builds of drawn files that change here and there.
func builds(t *testing.T) []folder {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	noise := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.IntN(40))
		}
		return b
	}
	large, small := noise(300_000), noise(3000)
	changed := slices.Concat(large[:70_000], []byte("something new"), large[70_000:200_000], large[215_000:])
	list := []folder{
		{"big.bin": large, "sub/small.bin": small, "gone.txt": []byte("gone soon"), "empty": {}},
		{"big.bin": changed, "sub/small.bin": small, "empty": {}, "sub/deep/new.txt": []byte("new")},
		{"moved/big.bin": changed, "sub/small.bin": append(small, 'x'), "sub/deep/new.txt": large[:70_000]},
	}
	for i, name := range []string{"Calligraphy.sip", "Calligraphy_next.sip", "damaged.sip"} {
		list[i]["Paks/c.sip"] = fixture(t, filepath.Join(codecstest.ModuleRoot(t), "testdata"), name)
	}
	return list
}

// addSamples adds real archives of two versions, where there are samples.
func addSamples(t *testing.T, list []folder) []folder {
	t.Helper()
	samples := os.Getenv("PAKDB_SAMPLES")
	if samples == "" {
		samples = filepath.Join(codecstest.ModuleRoot(t), "..", "shared", "samples")
	}
	if _, err := os.Stat(samples); err != nil {
		t.Logf("without Unreal paks, since there are no samples (PAKDB_SAMPLES): %v", err)
		return list
	}
	for i, names := range [][]string{
		{"unreal-pak/pairs/sandboxutilities_old_P.pak", "iostore/cue4parse-ue5.8/Zlib/CUE4ParseFixtures-Minimal-Zlib-Windows.ucas", "gpak/Calligraphy_v10_mhpaktool.sip"},
		{"unreal-pak/pairs/sandboxutilities_new_P.pak", "iostore/cue4parse-ue5.8/Oodle/CUE4ParseFixtures-Minimal-Oodle-Windows.ucas", "gpak/Calligraphy_v11_mhpaktool.sip"},
		{"unreal-pak/pairs/sandboxutilities_new_P.pak", "retro-pak/mp3_small.pak", "gpak/mu_cdata_1.6.sip"},
	} {
		for k, name := range names[:testkit.Of(1, 3)] {
			list[i][fmt.Sprintf("Paks/%d%s", k, filepath.Ext(name))] = fixture(t, samples, name)
		}
	}
	return list
}

func fixture(t *testing.T, dir, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var plainOnce sync.Once
var plainDir string

// plainStore has the three builds without a delta, and is made once.
func plainStore(t *testing.T) ([]folder, string) {
	list := builds(t)
	plainOnce.Do(func() {
		dir, err := os.MkdirTemp("", "pakdb-store")
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range list {
			runPublish(t, dir, fmt.Sprint("v", i), f)
		}
		plainDir = dir
	})
	if plainDir == "" {
		t.Fatal("no store")
	}
	return list, plainDir
}

// From any build, from nothing, and from a mix with mods to any build.
func TestAnyToAny(t *testing.T) {
	list, dir := addSamples(t, builds(t)), t.TempDir()
	if testing.Short() {
		list = list[:2]
	}
	for i, f := range list {
		runPublish(t, dir, fmt.Sprint("v", i), f, 1, 2) // with deltas from two builds
	}
	starts := map[string]folder{"nothing": {}}
	for i, f := range list {
		starts[fmt.Sprint("v", i)] = f
	}
	mix := maps.Clone(list[0])
	mix["Paks/c.sip"], mix["big.bin"] = list[1]["Paks/c.sip"], []byte("a mod's")
	starts["mix"] = mix
	for name, start := range starts {
		for i, want := range list {
			if !testkit.Deep() && name != fmt.Sprint("v", i-1) && name != fmt.Sprint("v", i) && name != "mix" {
				continue
			}
			at := start.write(t, t.TempDir())
			bill, r, err := runUpdate(t.Context(), dir, at, fmt.Sprint("v", i))
			if err != nil {
				t.Fatalf("%s to v%d: %v", name, i, err)
			}
			if _, has := want["big.bin"]; name == "mix" && !has {
				want = maps.Clone(want)
				want["big.bin"] = start["big.bin"] // nobody published this version
			}
			same(t, fmt.Sprintf("%s to v%d", name, i), readFolder(t, at), want)
			if name == fmt.Sprint("v", i-1) && bill.ByDelta == 0 && bill.Coded == 0 {
				t.Errorf("%s to v%d: no delta is used", name, i)
			}
			if got := r.Fetched() - bill.Known; got != bill.Fetch {
				t.Errorf("%s to v%d: fetched %d bytes, the bill says %d", name, i, got, bill.Fetch)
			}
			if name == fmt.Sprint("v", i) && (bill.Same != len(want) || bill.Fetch != 0 || bill.Write != 0) {
				t.Errorf("nothing to do costs %+v", bill)
			}
		}
	}
	if _, err := publish.Check(t.Context(), dir, func(name string, err error) { t.Errorf("%s: %v", name, err) }); err != nil {
		t.Error(err)
	}
}

// What nobody published stays, and is told.
func TestForeignFilesStay(t *testing.T) {
	dir, at := t.TempDir(), t.TempDir()
	runPublish(t, dir, "1", folder{"a": []byte("a"), "b": []byte("b")})
	runPublish(t, dir, "2", folder{"a": []byte("a")})
	folder{"a": []byte("a"), "b": []byte("mine"), "mods/m.txt": []byte("m")}.write(t, at)
	r, err := update.OpenRemote(dir, update.RemoteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	u, plan, err := update.Prepare(t.Context(), r, at, update.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"b", "mods/m.txt"}; !slices.Equal(plan.Keep, want) || len(plan.Remove) != 0 {
		t.Errorf("kept %v, gone %v", plan.Keep, plan.Remove)
	}
	if err := errors.Join(u.Apply(t.Context(), plan, nil), u.Close()); err != nil {
		t.Fatal(err)
	}
	same(t, "with mods", readFolder(t, at), folder{"a": []byte("a"), "b": []byte("mine"), "mods/m.txt": []byte("m")})
}

// A web server that answers badly: it breaks off, fails, forgets ranges.
func TestBadServer(t *testing.T) {
	list, dir := plainStore(t)
	files := http.FileServer(http.Dir(dir))
	var n atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		switch n.Add(1) % 5 {
		case 1:
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		case 3:
			w = &cutWriter{ResponseWriter: w, left: 3000}
		case 4:
			req.Header.Del("Range")
		}
		files.ServeHTTP(w, req)
	}))
	defer server.Close()
	at := list[0].write(t, t.TempDir())
	if _, _, err := runUpdate(t.Context(), server.URL, at, "v1"); err != nil {
		t.Fatal(err)
	}
	same(t, "through a bad server", readFolder(t, at), list[1])
}

// cutWriter breaks the connection after some bytes.
type cutWriter struct {
	http.ResponseWriter
	left int
}

func (w *cutWriter) Write(p []byte) (int, error) {
	if w.left < len(p) {
		_, _ = w.ResponseWriter.Write(p[:w.left])
		_ = http.NewResponseController(w.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
	w.left -= len(p)
	return w.ResponseWriter.Write(p)
}

// A good server is asked little, and sends what the bill says.
func TestGoodServer(t *testing.T) {
	list, dir := plainStore(t)
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	at := list[0].write(t, t.TempDir())
	bill, r, err := runUpdate(t.Context(), server.URL, at, "")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "over HTTP", readFolder(t, at), list[2])
	if r.Requests() > 40 || r.Fetched() != bill.Known+bill.Fetch {
		t.Errorf("%d requests, %d bytes, the bill says %d and %d", r.Requests(), r.Fetched(), bill.Known, bill.Fetch)
	}
	t.Logf("%d requests, %d bytes of %d", r.Requests(), r.Fetched(), bill.Write)
}

// Whatever is damaged in a store: the folder stays as it was, and Check finds it.
func TestDamagedStore(t *testing.T) {
	testkit.NotShort(t)
	list, dir := builds(t), t.TempDir()
	runPublish(t, dir, "v1", list[1])
	sound := readFolder(t, dir)
	rounds := testkit.Of(8, 40)
	names := slices.Sorted(maps.Keys(sound))
	for i := range rounds {
		r := rand.New(rand.NewPCG(uint64(i), 3))
		bad := maps.Clone(sound)
		name := names[r.IntN(len(names))]
		b := bytes.Clone(bad[name])
		if len(b) == 0 {
			continue
		}
		if i%3 == 0 {
			b = b[:r.IntN(len(b))]
		} else {
			b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		}
		bad[name] = b
		damaged := bad.write(t, t.TempDir())
		at := list[0].write(t, t.TempDir())
		_, _, err := runUpdate(t.Context(), damaged, at, "v1")
		got := readFolder(t, at)
		for p := range got {
			if strings.HasPrefix(p, ".pakdb-update/") {
				delete(got, p) // what another try would use
			}
		}
		if err == nil {
			same(t, "damage in "+name+" that does not matter", without(got, "gone.txt"), list[1])
			continue
		}
		same(t, "damage in "+name, got, list[0])
	}
	damaged := maps.Clone(sound)
	b := bytes.Clone(sound["p/000001"])
	b[len(b)/2] ^= 4
	damaged["p/000001"] = b
	found := 0
	if _, err := publish.Check(t.Context(), damaged.write(t, t.TempDir()), func(string, error) { found++ }); err != nil || found == 0 {
		t.Errorf("%d findings in a damaged store, %v", found, err)
	}
}

// An update that is interrupted leaves the folder as it was; the next one
// completes it, and fetches nothing twice.
func TestInterrupted(t *testing.T) {
	list, dir := plainStore(t)
	at := list[0].write(t, t.TempDir())
	r, err := update.OpenRemote(dir, update.RemoteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	u, plan, err := update.Prepare(ctx, r, at, update.Options{Label: "v1", Registry: all.Registry()})
	if err != nil {
		t.Fatal(err)
	}
	fetched := int64(0)
	err = u.Apply(ctx, plan, func(n int64) {
		if fetched += n; fetched == plan.Bill.Fetch {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled: %v", err)
	}
	if err := u.Close(); err != nil {
		t.Fatal(err)
	}
	before := r.Fetched()
	got := readFolder(t, at)
	for p := range got {
		if strings.HasPrefix(p, ".pakdb-update/") {
			delete(got, p)
		}
	}
	same(t, "interrupted", got, list[0])
	bill, again, err := runUpdate(t.Context(), dir, at, "v1")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "completed", readFolder(t, at), list[1])
	if n := again.Fetched() - bill.Known; n != 0 {
		t.Errorf("%d bytes fetched again, after %d", n, before)
	}
}

// Only what no build needs is removed.
func TestPrune(t *testing.T) {
	testkit.NotShort(t)
	list, dir := builds(t), t.TempDir()
	for i, f := range list {
		runPublish(t, dir, fmt.Sprint("v", i), f, 1)
	}
	before := readFolder(t, dir)
	p, err := publish.Prune(t.Context(), dir, 1, 0, nil, nil)
	if err != nil || !slices.Equal(p.Builds, []string{"v0", "v1"}) || p.Files == 0 {
		t.Fatalf("%+v, %v", p, err)
	}
	if after := readFolder(t, dir); len(after) >= len(before) {
		t.Errorf("%d files of %d are left", len(after), len(before))
	}
	if _, err := publish.Check(t.Context(), dir, func(name string, err error) { t.Errorf("%s: %v", name, err) }); err != nil {
		t.Error(err)
	}
	at := list[0].write(t, t.TempDir())
	if _, _, err := runUpdate(t.Context(), dir, at, "v0"); !errors.Is(err, store.ErrNoBuild) {
		t.Errorf("a pruned build: %v", err)
	}
	runPublish(t, dir, "v3", list[1])
	for i, label := range map[int]string{2: "v2", 1: "v3"} {
		at := list[0].write(t, t.TempDir())
		if _, _, err := runUpdate(t.Context(), dir, at, label); err != nil {
			t.Fatal(err)
		}
		same(t, label, without(readFolder(t, at), "gone.txt"), without(list[i], "gone.txt"))
	}
}

func without(f folder, names ...string) folder {
	f = maps.Clone(f)
	for _, n := range names {
		delete(f, n)
	}
	return f
}

var listName = regexp.MustCompile(`"files": "([0-9a-f]{64})"`)

func readObject(t *testing.T, dir, id string) []byte {
	t.Helper()
	d, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	b, err := d.DecodeAll(fixture(t, dir, "m/"+id), nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func writeObject(t *testing.T, dir string, b []byte) string {
	t.Helper()
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	sum := blake3.Sum256(b)
	id := hex.EncodeToString(sum[:])
	folder{"m/" + id: e.EncodeAll(b, nil)}.write(t, dir)
	return id
}
