package update_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pakdb/codecs/all"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/trust"
	"pakdb/diff/ship/store/publish"
	"pakdb/diff/ship/store/update"
	"pakdb/internal/testkit"
)

// quickly updates without waiting, and returns how many answers were wrong.
func quickly(t *testing.T, at, dir string, opt update.RemoteOptions) (wrong, vain int64, err error) {
	t.Helper()
	r, err := update.OpenRemote(at, opt)
	if err != nil {
		t.Fatal(err)
	}
	r.SetClock(time.Now, noSleep)
	ctx := quick(t.Context())
	u, plan, err := update.Prepare(ctx, r, dir, update.Options{Registry: all.Registry()})
	if err == nil {
		err = errors.Join(u.Apply(ctx, plan, nil), u.Close())
	}
	wrong, vain = r.Wrong()
	return wrong, vain, err
}

// changed sends what a handler would, changed.
func changed(h http.Handler, w http.ResponseWriter, req *http.Request, change func(code int, b []byte) (int, []byte)) {
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, req)
	code, b := change(rec.Code, rec.Body.Bytes())
	for name, v := range rec.Header() {
		if name != "Content-Length" {
			w.Header()[name] = v
		}
	}
	w.WriteHeader(code)
	_, _ = w.Write(b)
}

const page = "<!doctype html><title>Log in</title>"

// wrongs are ways in which a body is not what was asked for.
func wrongs() map[string]func(code int, b []byte) (int, []byte) {
	return map[string]func(code int, b []byte) (int, []byte){
		"a bit":         func(code int, b []byte) (int, []byte) { b[len(b)/2] ^= 4; return code, b },
		"the first bit": func(code int, b []byte) (int, []byte) { b[0] ^= 1; return code, b },
		"zeros":         func(code int, b []byte) (int, []byte) { clear(b); return code, b },
		"a login page":  func(int, []byte) (int, []byte) { return http.StatusOK, []byte(page) },
		"a page of the right size": func(code int, b []byte) (int, []byte) {
			return code, append([]byte(page), bytes.Repeat([]byte{' '}, len(b))...)[:len(b)]
		},
		"not there":  func(int, []byte) (int, []byte) { return http.StatusNotFound, []byte("no") },
		"short":      func(code int, b []byte) (int, []byte) { return code, b[:len(b)/2] },
		"forbidden":  func(int, []byte) (int, []byte) { return http.StatusForbidden, nil },
		"no range":   func(int, []byte) (int, []byte) { return http.StatusRequestedRangeNotSatisfiable, nil },
		"overloaded": func(int, []byte) (int, []byte) { return http.StatusBadGateway, []byte(page) },
	}
}

// A server that answers wrongly now and then: the update finishes, from nothing
// and from another version, with and without signatures.
func TestWrongNowAndThen(t *testing.T) {
	testkit.NotShort(t)
	p := mixedPair(t)
	key, pub := newKey(t)
	signed := t.TempDir()
	publishWith(t, signed, "1", p.mod, &publish.Options{Registry: all.Registry(), Key: key})
	publishWith(t, signed, "2", p.new, &publish.Options{Registry: all.Registry(), Key: key, Deltas: 1})
	for name, change := range testkit.SomeOf(wrongs(), 3) {
		for every := range int64(2) {
			every += 2
			for which, c := range map[string]struct {
				dir  string
				have folder
				opt  update.RemoteOptions
			}{
				"from another version": {p.store, p.mod, update.RemoteOptions{}},
				"from nothing, signed": {signed, nil, update.RemoteOptions{Key: pub}},
			} {
				if (every == 2) != (c.have == nil) && name != "a bit" || testing.Short() && name != "a bit" { // one of each kind
					continue
				}
				t.Run(fmt.Sprintf("%s/%d/%s", name, every, which), func(t *testing.T) {
					t.Parallel()
					files := http.FileServer(http.Dir(c.dir))
					url := failing(t, c.dir, func(n int64, w http.ResponseWriter, req *http.Request) bool {
						if n%every == 0 {
							changed(files, w, req, change)
						}
						return n%every == 0
					})
					at := c.have.write(t, t.TempDir())
					wrong, vain, err := quickly(t, url, at, c.opt)
					if err != nil {
						t.Fatal(err)
					}
					same(t, name, readFolder(t, at), p.new)
					if wrong == 0 && name != "overloaded" && name != "short" {
						t.Error("no answer counts as wrong")
					}
					t.Logf("%d wrong answers, %d bytes in vain", wrong, vain)
				})
			}
		}
	}
}

// A server that always answers wrongly, wherever: an error that names the URL, what
// was wanted and what came, soon; the folder stays as it was, and the right store
// completes it.
func TestAlwaysWrong(t *testing.T) {
	testkit.NotShort(t)
	p, n := mixedPair(t), 0
	for name, change := range testkit.SomeOf(wrongs(), len(wrongs())) {
		if name == "overloaded" || name == "short" { // which are asked for as long as something comes
			continue
		}
		for _, below := range []string{"/", "/p/"} {
			if name == "a bit" && below == "/" { // which says that it is another version's
				continue
			}
			if n++; n%testkit.Of(3, 1) != 0 {
				continue
			}
			t.Run(name+below, func(t *testing.T) {
				t.Parallel()
				files := http.FileServer(http.Dir(p.store))
				url := failing(t, p.store, func(_ int64, w http.ResponseWriter, req *http.Request) bool {
					if strings.HasPrefix(req.URL.Path, below) {
						changed(files, w, req, change)
						return true
					}
					return false
				})
				at := p.mod.write(t, t.TempDir())
				wrong, vain, err := quickly(t, url, at, update.RemoteOptions{})
				var hint interface{ Hint() string }
				if err == nil || !strings.Contains(err.Error(), url+below) || !strings.Contains(err.Error(), "wanted") || !strings.Contains(err.Error(), "got") ||
					!errors.As(err, &hint) || !strings.Contains(hint.Hint(), "--from") {
					t.Fatalf("%v", err)
				}
				if wrong > 60 || vain > 64<<20 {
					t.Errorf("%d wrong answers, %d bytes in vain", wrong, vain)
				}
				got := readFolder(t, at)
				for name := range got {
					if strings.HasPrefix(name, ".pakdb-update/") {
						delete(got, name)
					}
				}
				same(t, name, got, p.mod)
				if _, _, err := runUpdate(t.Context(), p.store, at, ""); err != nil {
					t.Fatalf("the right store afterwards: %v", err)
				}
				same(t, name, readFolder(t, at), p.new)
			})
		}
	}
}

// What one delivery does not give another one does: chunks in place of deltas, a
// whole pack in place of ranges, contents in place of a patch, another copy of the
// store.
func TestElsewhere(t *testing.T) {
	p := mixedPair(t)
	damaged := func(b []byte) []byte {
		for i := 100; i < len(b); i += 200 {
			b[i] ^= 8
		}
		return b
	}
	n := 0
	for name, c := range testkit.SomeOf(map[string]struct {
		get    func(w http.ResponseWriter, req *http.Request) bool
		others []string
	}{
		"damaged deltas": {serving(p.store, "/d/", damaged), nil},
		"no deltas":      {serving(p.store, "/d/", func([]byte) []byte { return nil }), nil},
		"wrong ranges of packs": {func(w http.ResponseWriter, req *http.Request) bool {
			return req.Header.Get("Range") != "" && serving(p.store, "/p/", damaged)(w, req)
		}, nil},
		"a mirror":     {func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(http.StatusForbidden); return true }, []string{p.store}},
		"a page":       {func(w http.ResponseWriter, _ *http.Request) bool { _, _ = w.Write([]byte(page)); return true }, []string{p.store}},
		"a bad mirror": {serving(p.store, "/p/", damaged), []string{p.store}},
	}, 6) {
		n++
		turn := n % 3
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, have := range []folder{p.mod, p.old, nil} {
				if !testkit.Deep() && i != turn {
					continue
				}
				which := []string{"mod", "old", "nothing"}[i]
				at := have.write(t, t.TempDir())
				url := failing(t, p.store, func(_ int64, w http.ResponseWriter, req *http.Request) bool { return c.get(w, req) })
				if _, _, err := quickly(t, url, at, update.RemoteOptions{Others: c.others}); err != nil {
					t.Fatalf("%s: %v", which, err)
				}
				same(t, which, readFolder(t, at), p.new)
			}
		})
	}
}

// A manifest that its owner did not sign is looked for elsewhere too; where there
// is no elsewhere, the error says what came.
func TestSignedElsewhere(t *testing.T) {
	key, pub := newKey(t)
	dir := t.TempDir()
	publishWith(t, dir, "1", folder{"a": []byte("a")}, &publish.Options{Key: key})
	url := failing(t, dir, func(_ int64, w http.ResponseWriter, _ *http.Request) bool { _, _ = w.Write([]byte(page)); return true })
	to := t.TempDir()
	if _, _, err := quickly(t, url, to, update.RemoteOptions{Key: pub, Others: []string{dir}}); err != nil {
		t.Error(err)
	}
	same(t, "from a mirror", readFolder(t, to), folder{"a": []byte("a")})
	_, _, err := quickly(t, url, t.TempDir(), update.RemoteOptions{Key: pub})
	if !errors.Is(err, trust.ErrMetadata) || !strings.Contains(err.Error(), url+"/trust/1.root.json") || !strings.Contains(err.Error(), "doctype") {
		t.Error(err)
	}
}

// Where a server sends sound frames of another place, and where what an earlier
// try kept is wrong, the chunks tell.
func TestSoundButOther(t *testing.T) {
	testkit.NotShort(t)
	p := mixedPair(t)
	at := p.mod.write(t, t.TempDir())
	r, err := update.OpenRemote(p.store, update.RemoteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	u, plan, err := update.Prepare(t.Context(), r, at, update.Options{Registry: all.Registry()})
	if err != nil {
		t.Fatal(err)
	}
	var n atomic.Int64
	if err := errors.Join(u.FetchRanges(t.Context(), plan), u.Close()); err != nil {
		t.Fatal(err)
	}
	for name, b := range readFolder(t, at) {
		if strings.HasPrefix(name, ".pakdb-update/") {
			n.Add(1)
			if err := os.WriteFile(filepath.Join(at, filepath.FromSlash(name)), bytes.Repeat([]byte{7}, len(b)), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n.Load() == 0 {
		t.Fatal("nothing was kept")
	}
	if _, _, err := runUpdate(t.Context(), p.store, at, ""); err != nil {
		t.Fatal(err)
	}
	same(t, "kept wrongly", readFolder(t, at), p.new)
}

func newKey(t *testing.T) (*delta.SecretKey, *delta.PublicKey) {
	t.Helper()
	key, err := delta.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	pub := key.Public()
	return key, pub
}

// noSleep is a pause that takes no time.
func noSleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }
