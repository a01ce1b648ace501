package update_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pakdb/codecs/all"
	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/update"
	"pakdb/internal/testkit"
)

// failing serves a store and gets in the way of some requests.
func failing(t *testing.T, dir string, get func(n int64, w http.ResponseWriter, req *http.Request) bool) string {
	t.Helper()
	files := http.FileServer(http.Dir(dir))
	var n atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if !get(n.Add(1), w, req) {
			files.ServeHTTP(w, req)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// Servers that answer late, in parts, or with too much: bit for bit all the same.
func TestFailingServers(t *testing.T) {
	p := mixedPair(t)
	files := http.FileServer(http.Dir(p.store))
	for name, get := range map[string]func(n int64, w http.ResponseWriter, req *http.Request) bool{
		"breaks off": func(n int64, w http.ResponseWriter, req *http.Request) bool {
			files.ServeHTTP(&cutWriter{ResponseWriter: w, left: 20_000}, req)
			return true
		},
		"is busy": func(n int64, w http.ResponseWriter, _ *http.Request) bool {
			codes := []int{http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusTooManyRequests, http.StatusBadGateway}
			if n%3 != 1 {
				return false
			}
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(codes[n/3%4])
			return true
		},
		"knows no ranges": func(_ int64, _ http.ResponseWriter, req *http.Request) bool {
			req.Header.Del("Range")
			return false
		},
		"sends less than was asked for": func(n int64, w http.ResponseWriter, req *http.Request) bool {
			var from, to int
			if _, err := fmt.Sscanf(req.Header.Get("Range"), "bytes=%d-%d", &from, &to); err != nil || n%2 == 0 {
				return false
			}
			req.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", from, from+(to-from)/2))
			return false
		},
		"sends another range now and then": func(n int64, w http.ResponseWriter, req *http.Request) bool {
			if n%2 == 0 && req.Header.Get("Range") != "" {
				req.Header.Set("Range", "bytes=1-5")
			}
			return false
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := p.mod.write(t, t.TempDir())
			if _, _, err := runUpdate(t.Context(), failing(t, p.store, get), at, ""); err != nil {
				t.Fatal(err)
			}
			same(t, name, readFolder(t, at), p.new)
		})
	}
}

// Servers that do not have the store, or another's: an error, soon, and the folder
// as it was, which the right store then completes.
func TestWrongServers(t *testing.T) {
	testkit.NotShort(t)
	p := mixedPair(t)
	for name, tt := range map[string]struct {
		get  func(w http.ResponseWriter, req *http.Request) bool
		want error
	}{
		"a damaged pack": {serving(p.store, "/p/", func(b []byte) []byte { b[len(b)/3] ^= 1; b[2*len(b)/3] ^= 1; return b }), store.ErrCorrupt},
		"zeros":          {serving(p.store, "/p/", func(b []byte) []byte { clear(b); return b }), store.ErrCorrupt},
		"a pack cut off": {serving(p.store, "/p/", func(b []byte) []byte { return b[:40] }), store.ErrCorrupt},
		"no packs":       {serving(p.store, "/p/", func([]byte) []byte { return nil }), nil},
		"no entry":       {func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(http.StatusForbidden); return true }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := p.mod.write(t, t.TempDir())
			_, _, err := runUpdate(t.Context(), failing(t, p.store, func(_ int64, w http.ResponseWriter, req *http.Request) bool { return tt.get(w, req) }), at, "")
			if err == nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Fatalf("%v, want %v", err, tt.want)
			}
			t.Log(err)
			got := readFolder(t, at)
			maps.DeleteFunc(got, func(name string, _ []byte) bool { return strings.HasPrefix(name, ".pakdb-update/") })
			same(t, name, got, p.mod)
			if _, _, err := runUpdate(t.Context(), p.store, at, ""); err != nil {
				t.Fatalf("the right store afterwards: %v", err)
			}
			same(t, name, readFolder(t, at), p.new)
		})
	}
}

// serving serves files below a path as bad makes them; not at all if it is nil.
func serving(dir, below string, bad func([]byte) []byte) func(w http.ResponseWriter, req *http.Request) bool {
	return func(w http.ResponseWriter, req *http.Request) bool {
		if !strings.HasPrefix(req.URL.Path, below) {
			return false
		}
		b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(req.URL.Path)))
		if err == nil {
			b = bad(b)
		}
		if b == nil {
			http.NotFound(w, req)
			return true
		}
		http.ServeContent(w, req, "", time.Time{}, bytes.NewReader(b))
		return true
	}
}

// Servers that send the wrong thing well: a range that is compressed is told as
// what it is, and asked not to be; what is passed over for want of ranges counts.
func TestCodedRanges(t *testing.T) {
	testkit.NotShort(t)
	t.Parallel() // most of the time it waits
	p := mixedPair(t)
	files := http.FileServer(http.Dir(p.store))
	for name, c := range map[string]struct {
		get  func(n int64, w http.ResponseWriter, req *http.Request) bool
		want string
	}{
		"where nothing is said": {func(_ int64, w http.ResponseWriter, req *http.Request) bool {
			if req.Header.Get("Accept-Encoding") == "" {
				w = &zipWriter{ResponseWriter: w}
			}
			files.ServeHTTP(w, req)
			return true
		}, ""},
		"always": {func(_ int64, w http.ResponseWriter, req *http.Request) bool {
			files.ServeHTTP(&zipWriter{ResponseWriter: w}, req)
			return true
		}, "Content-Encoding"},
		"ranges alone": {func(_ int64, w http.ResponseWriter, req *http.Request) bool {
			if req.Header.Get("Range") != "" && strings.HasPrefix(req.URL.Path, "/p/") {
				w = &zipWriter{ResponseWriter: w}
			}
			files.ServeHTTP(w, req)
			return true
		}, ""},
	} {
		at := p.mod.write(t, t.TempDir())
		_, _, err := runUpdate(t.Context(), failing(t, p.store, c.get), at, "")
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	rangeless := func(_ int64, _ http.ResponseWriter, req *http.Request) bool {
		req.Header.Del("Range")
		return false
	}
	bill, r, err := runUpdate(t.Context(), failing(t, p.store, rangeless), p.mod.write(t, t.TempDir()), "")
	if err != nil || r.Fetched() <= bill.Known+bill.Fetch {
		t.Errorf("%d bytes came, of which %d were wanted, %v", r.Fetched(), bill.Known+bill.Fetch, err)
	}
}

// zipWriter compresses what is written at once.
type zipWriter struct {
	http.ResponseWriter
	z *gzip.Writer
}

func (w *zipWriter) WriteHeader(code int) {
	w.Header().Set("Content-Encoding", "gzip")
	w.Header().Del("Content-Length")
	w.ResponseWriter.WriteHeader(code)
	w.z = gzip.NewWriter(w.ResponseWriter)
}

func (w *zipWriter) Write(p []byte) (int, error) {
	n, err := w.z.Write(p)
	return n, errors.Join(err, w.z.Flush())
}

// A limit of the rate is kept.
func TestRate(t *testing.T) {
	p := mixedPair(t)
	r, err := update.OpenRemote(failing(t, p.store, func(int64, http.ResponseWriter, *http.Request) bool { return false }), update.RemoteOptions{Rate: 400_000})
	if err != nil {
		t.Fatal(err)
	}
	at := p.mod.write(t, t.TempDir())
	start := time.Now()
	u, plan, err := update.Prepare(t.Context(), r, at, update.Options{Registry: all.Registry()})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(u.Apply(t.Context(), plan, nil), u.Close()); err != nil {
		t.Fatal(err)
	}
	same(t, "slowly", readFolder(t, at), p.new)
	if took, least := time.Since(start), time.Duration(float64(r.Fetched())/400_000*0.9*float64(time.Second)); took < least {
		t.Errorf("%d bytes in %v", r.Fetched(), took)
	}
}

// An update ends with its context, also while a server is silent.
func TestSilentServer(t *testing.T) {
	p := mixedPair(t)
	ctx, cancel := context.WithCancel(t.Context())
	url := failing(t, p.store, func(_ int64, w http.ResponseWriter, req *http.Request) bool {
		if !strings.HasPrefix(req.URL.Path, "/p/") {
			return false
		}
		cancel()
		<-req.Context().Done()
		return true
	})
	at := p.mod.write(t, t.TempDir())
	if _, _, err := runUpdate(ctx, url, at, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
