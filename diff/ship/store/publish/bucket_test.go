package publish_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"pakdb/codecs/all"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/trust"
	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/publish"
	"pakdb/diff/ship/store/update"
)

// service is a service of S3 in this process, and what it was asked.
type service struct {
	url    string
	mu     sync.Mutex
	asked  []*http.Request
	before func(*http.Request) // what else happens
}

// newService starts a service with one bucket, "game", and returns the location of a
// store in it.
func newService(t *testing.T) (s *service, location string) {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("game"); err != nil {
		t.Fatal(err)
	}
	h := gofakes3.New(backend).Server()
	s = &service{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r)
		before := s.before
		s.mu.Unlock()
		if before != nil {
			before(r)
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("AWS_SESSION_TOKEN", "")
	t.Setenv("AWS_REGION", "")
	return s, "s3://game/a/store?endpoint=" + url.QueryEscape(server.URL)
}

// count returns how many requests were as which says.
func (s *service) count(which func(*http.Request) bool) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.asked {
		if which(r) {
			n++
		}
	}
	return n
}

func noise(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.IntN(40))
	}
	return b
}

// tree is files by path.
type tree map[string][]byte

func (f tree) write(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, b := range f {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o777), os.WriteFile(to, b, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func read(t *testing.T, dir string) tree {
	t.Helper()
	f := tree{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == trust.MemoryName {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err == nil {
			f[filepath.ToSlash(rel)], err = os.ReadFile(p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// files returns what a store in a bucket consists of.
func files(t *testing.T, location string) tree {
	t.Helper()
	b, err := publish.OpenBucket(location, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	f, r := tree{}, store.NewReader(t.Context(), b)
	err = b.List(t.Context(), "", func(in store.Info) (err error) {
		f[in.Name], _, err = r.File(in.Name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func publishTo(t *testing.T, location, label string, f tree, opt publish.Options) error {
	t.Helper()
	files, err := delta.OpenFiles([]string{f.write(t)})
	if err != nil {
		return err
	}
	opt.Registry, opt.Deltas = all.Registry(), 1
	_, err = publish.Publish(t.Context(), location, label, files.Inputs, &opt)
	return errors.Join(err, files.Close())
}

func updateFrom(t *testing.T, location, dir, label string, key *delta.PublicKey) error {
	t.Helper()
	r, err := update.OpenRemote(location, update.RemoteOptions{Key: key})
	if err != nil {
		return err
	}
	u, plan, err := update.Prepare(t.Context(), r, dir, update.Options{Label: label, Registry: all.Registry()})
	if err != nil {
		return err
	}
	return errors.Join(u.Apply(t.Context(), plan, nil), u.Close())
}

func mustBe(t *testing.T, location, label string, want tree, key *delta.PublicKey) {
	t.Helper()
	dir := t.TempDir()
	if err := updateFrom(t, location, dir, label, key); err != nil {
		t.Fatalf("update to %s: %v", label, err)
	}
	if got := read(t, dir); !maps.EqualFunc(got, want, bytes.Equal) {
		t.Errorf("update to %s: files %v, want %v (or other contents)", label, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}

func mustBeSound(t *testing.T, location string) {
	t.Helper()
	if _, err := publish.Check(t.Context(), location, func(name string, err error) { t.Errorf("%s: %v", name, err) }); err != nil {
		t.Error(err)
	}
}

// fixed are builds that follow one another.
func fixed(n int) (list []tree) {
	large := noise(1, 360_000)
	for i := range n {
		large = slices.Concat(large[:20_000*(i+1)], []byte(fmt.Sprint("new in ", i)), large[20_000*(i+1)+100:])
		list = append(list, tree{"big.bin": large, "small.txt": noise(uint64(i), 5000), fmt.Sprintf("only/%d", i): noise(100, 100_000)})
	}
	return list
}

// contents returns the kinds and hashes of what a store keeps. Names of packs, and so what
// names them, are left out: publishers to a bucket take theirs sixteen at a time. Packs are told by their sizes alone.
func contents(f tree) (list []string) {
	for name, b := range f {
		switch kind, _, _ := strings.Cut(name, "/"); kind {
		case "p":
			list = append(list, fmt.Sprintf("%s of %d bytes", kind, len(b)))
		case "d", "n":
			list = append(list, fmt.Sprintf("%s %x", kind, sha256.Sum256(b)))
		case "m", "builds":
			list = append(list, kind)
		}
	}
	slices.Sort(list)
	return list
}

// TestBucketIsAsFolder publishes the same builds to a folder and to a bucket: patches
// and lists of both have the same bytes, packs the same sizes.
func TestBucketIsAsFolder(t *testing.T) {
	_, location := newService(t)
	dir := t.TempDir()
	at := time.Date(2026, 11, 21, 18, 0, 0, 0, time.UTC)
	for i, f := range fixed(3) {
		for _, to := range []string{dir, location} {
			if err := publishTo(t, to, fmt.Sprint(i), f, publish.Options{Now: at}); err != nil {
				t.Fatal(err)
			}
		}
	}
	mustBeSound(t, location)
	if got, want := contents(files(t, location)), contents(read(t, dir)); !slices.Equal(got, want) {
		t.Errorf("the bucket has %q, the folder %q", got, want)
	}
	for i, f := range fixed(3) {
		mustBe(t, location, fmt.Sprint(i), f, nil)
	}
	listed, err := publish.List(t.Context(), location)
	if err != nil || len(listed) != 3 {
		t.Errorf("list: %v, %v", listed, err)
	}
	want, err := publish.List(t.Context(), dir)
	if err != nil || len(want) != 3 {
		t.Fatalf("list: %v, %v", want, err)
	}
	for i := range min(len(listed), len(want)) {
		if listed[i].Size != want[i].Size || listed[i].Files != want[i].Files {
			t.Errorf("build %d: %+v, in the folder %+v", i, listed[i], want[i])
		}
	}
}

// TestPublishersAtOnce has many publishers write to one bucket, signed: no build is lost,
// and all are right.
func TestPublishersAtOnce(t *testing.T) {
	_, location := newService(t)
	secret, err := delta.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	public := secret.Public()
	const n = 6
	builds := fixed(n)
	var wg sync.WaitGroup
	errs := make([]error, n)
	errs[0] = publishTo(t, location, "0", builds[0], publish.Options{Key: secret})
	for i := 1; i < n; i++ {
		wg.Go(func() { errs[i] = publishTo(t, location, fmt.Sprint(i), builds[i], publish.Options{Key: secret}) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	mustBeSound(t, location)
	for i, f := range builds {
		mustBe(t, location, fmt.Sprint(i), f, public)
	}
	if listed, err := publish.List(t.Context(), location); err != nil || len(listed) != n {
		t.Errorf("list: %d builds, %v", len(listed), err)
	}
	r, err := update.OpenRemote(location, update.RemoteOptions{Key: public})
	if err != nil {
		t.Fatal(err)
	}
	index, err := r.Index(t.Context())
	if err != nil || len(index.Builds) != n {
		t.Fatalf("builds %v, %v", index, err)
	}
	// What each earlier build had and the last has not may be removed.
	last, err := r.Build(t.Context(), "")
	if err != nil || last.Past == "" {
		t.Fatalf("the last build knows no earlier files: %v", err)
	}
	dir := t.TempDir()
	for _, label := range index.Builds {
		if err := updateFrom(t, location, dir, label, public); err != nil {
			t.Fatal(err)
		}
	}
	if got := read(t, dir); len(got) != 3 {
		t.Errorf("after all updates: %v", slices.Sorted(maps.Keys(got)))
	}
}

// TestUpdateReadsRanges: what is asked of a bucket are ranges, without keys no signature.
func TestUpdateReadsRanges(t *testing.T) {
	s, location := newService(t)
	builds := fixed(2)
	for i, f := range builds {
		if err := publishTo(t, location, fmt.Sprint(i), f, publish.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, keys := range []bool{true, false} {
		if !keys {
			t.Setenv("AWS_ACCESS_KEY_ID", "")
			t.Setenv("AWS_SECRET_ACCESS_KEY", "")
		}
		s.mu.Lock()
		s.asked = nil
		s.mu.Unlock()
		mustBe(t, location, "1", builds[1], nil)
		all := s.count(func(*http.Request) bool { return true })
		if n := s.count(func(r *http.Request) bool { return (r.Header.Get("Authorization") != "") == keys }); n != all {
			t.Errorf("keys %v: %d of %d requests are as they should be", keys, n, all)
		}
		packs := func(r *http.Request) bool { return strings.Contains(r.URL.Path, "/p/") }
		if n := s.count(func(r *http.Request) bool { return packs(r) && r.Header.Get("Range") != "" }); n == 0 || n != s.count(packs) {
			t.Errorf("%d of %d requests for packs are ranges", n, s.count(packs))
		}
	}
}

// TestPruneBesidePublishers prunes with a grace time and without.
func TestPruneBesidePublishers(t *testing.T) {
	s, location := newService(t)
	builds := fixed(4)
	for i, f := range builds[:3] {
		if err := publishTo(t, location, fmt.Sprint(i), f, publish.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	p, err := publish.Prune(t.Context(), location, 2, time.Hour, nil, nil)
	if err != nil || p.Files > 0 || p.Waiting == 0 || !slices.Equal(p.Builds, []string{"0"}) {
		t.Fatalf("with a grace time: %+v, %v; files are not needed and must wait", p, err)
	}
	mustBeSound(t, location)

	// A publisher that has begun sees what it uses go, and says so.
	var once sync.Once
	s.mu.Lock()
	s.before = func(r *http.Request) {
		if r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/n/") {
			once.Do(func() {
				p, err := publish.Prune(context.Background(), location, 1, 0, nil, nil)
				if err != nil || p.Files == 0 {
					t.Errorf("without a grace time: %+v, %v", p, err)
				}
			})
		}
	}
	s.mu.Unlock()
	err = publishTo(t, location, "3", builds[0], publish.Options{}) // of what only build 0 and 1 had
	s.mu.Lock()
	s.before = nil
	s.mu.Unlock()
	if err == nil {
		mustBe(t, location, "3", builds[0], nil)
	} else if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a publisher whose files were pruned: %v", err)
	}
	mustBeSound(t, location)
	if err := publishTo(t, location, "3", builds[3], publish.Options{}); err != nil {
		t.Fatal(err)
	}
	mustBeSound(t, location)
	mustBe(t, location, "2", builds[2], nil)
	mustBe(t, location, "3", builds[3], nil)
}

// TestPut: names that are taken, versions that have changed.
func TestPut(t *testing.T) {
	_, location := newService(t)
	b, err := publish.OpenBucket(location, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	put := func(text, version string) (string, error) {
		return b.Put(t.Context(), "x", strings.NewReader(text), int64(len(text)), version)
	}
	first, err := put("one", store.Absent)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := put("two", store.Absent); !errors.Is(err, store.ErrRaced) {
		t.Errorf("a name that is taken: %v", err)
	}
	if _, err := put("two", first); err != nil {
		t.Errorf("the version that is there: %v", err)
	}
	if _, err := put("three", first); !errors.Is(err, store.ErrRaced) {
		t.Errorf("a version that was: %v", err)
	}
	text, version, err := store.NewReader(t.Context(), b).File("x")
	if err != nil || string(text) != "two" || version == "" {
		t.Errorf("read %q, version %q, %v", text, version, err)
	}
	if _, err := put("four", version); err != nil {
		t.Errorf("the version that was read: %v", err)
	}
	if _, _, err := store.NewReader(t.Context(), b).File("y"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// TestNoBucket: a bucket that is not there is no empty store, whatever is done with it.
func TestNoBucket(t *testing.T) {
	_, location := newService(t)
	location = strings.Replace(location, "s3://game", "s3://other", 1)
	_, listed := publish.List(t.Context(), location)
	_, checked := publish.Check(t.Context(), location, func(string, error) {})
	for what, err := range map[string]error{
		"list": listed, "check": checked,
		"update":  updateFrom(t, location, t.TempDir(), "", nil),
		"publish": publishTo(t, location, "1", tree{"a": []byte("a")}, publish.Options{}),
	} {
		if err == nil || errors.Is(err, store.ErrNoStore) || !strings.Contains(err.Error(), "NoSuchBucket") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestLocations(t *testing.T) {
	env := map[string]string{}
	get := func(name string) string { return env[name] }
	for _, bad := range []string{
		"s3://", "s3://UPPER/x", "s3://game?endpoint=ftp://x", "s3://game?endpoint=https://x/path", "s3://key:secret@game/x",
		"s3://game/x?endpont=https://x", "s3://game/x#y", "s3://game?endpoint=https://a:b@x",
	} {
		if _, err := publish.OpenBucket(bad, get); !errors.Is(err, store.ErrLocation) {
			t.Errorf("%s: %v", bad, err)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error shows the key: %v", bad, err)
		}
	}
	b, err := publish.OpenBucket("s3://game/some/where", get)
	if err != nil || b.At("builds/index.json") != "s3://game/some/where/builds/index.json" {
		t.Errorf("%v, %v", b, err)
	}
	env["AWS_ACCESS_KEY_ID"] = "x"
	if _, err := publish.OpenBucket("s3://game", get); err == nil {
		t.Error("half of a pair of keys is taken")
	}
}
