package update_test

import (
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/publish"
	"pakdb/internal/atomicfile/faulttest"
	"pakdb/internal/testkit"
)

const uploadToken = "0123456789abcdef"

// taker is a web server that takes files by PUT into a folder, as WebDAV does: folders
// must be there.
type taker struct {
	*httptest.Server
	dir   string
	mu    sync.Mutex
	puts  int
	stops int  // puts after which it refuses all
	half  bool // of the next one, if it is no list, it keeps the first half
}

func newTaker(t *testing.T, dir string, stops int) *taker {
	s := &taker{dir: dir, stops: stops}
	files := http.FileServer(http.Dir(dir))
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Header.Get("Authorization") != "Bearer "+uploadToken {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		at := filepath.Join(dir, filepath.FromSlash(req.URL.Path))
		switch req.Method {
		case http.MethodPut:
			w.WriteHeader(s.put(at, req.Body))
		case "MKCOL":
			switch err := os.Mkdir(at, 0o777); {
			case errors.Is(err, os.ErrExist):
				w.WriteHeader(http.StatusMethodNotAllowed)
			case err != nil:
				w.WriteHeader(http.StatusConflict)
			}
		default:
			files.ServeHTTP(w, req)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *taker) put(at string, body io.Reader) (status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, err := io.ReadAll(body)
	if err != nil {
		return http.StatusBadRequest
	}
	if s.puts >= s.stops {
		if folder := filepath.Base(filepath.Dir(at)); !s.half || folder != "p" && folder != "m" {
			return http.StatusForbidden
		}
		b, s.half = b[:len(b)/2], false
	}
	switch err := os.WriteFile(at, b, 0o666); {
	case errors.Is(err, os.ErrNotExist):
		return http.StatusConflict
	case err != nil || len(b) == 0 || s.puts >= s.stops:
		return http.StatusForbidden
	}
	s.puts++
	return http.StatusCreated
}

// TestUpload: a copy by PUT that stops anywhere leaves a state that the store had, and the next
// one goes on, also over half a file.
func TestUpload(t *testing.T) {
	key := sure(delta.GenerateKey())
	list := small(t)
	from := smallStore(t, list[:1], 0, key)
	first := faulttest.Files(t, from)
	source := t.TempDir()
	list[1].Write(t, source)
	if err := publishTree(quick(t.Context()), from, "1", source, 1, key); err != nil {
		t.Fatal(err)
	}
	look := state(key.Public(), "0", "1")
	want := look(t, from)
	for name, before := range map[string]faulttest.Tree{"first": nil, "next": first} {
		t.Run(name, func(t *testing.T) {
			whole := newTaker(t, t.TempDir(), 1<<30)
			before.Write(t, whole.dir)
			old := look(t, whole.dir)
			if _, err := publish.Copy(t.Context(), from, whole.URL, uploadToken); err != nil {
				t.Fatal(err)
			}
			puts := whole.puts
			for i := 0; i < puts; i += max(1, puts/testkit.Of(4, 60)) {
				s := newTaker(t, t.TempDir(), i)
				s.half = i%2 == 0 && before == nil // a check would find it in a store
				before.Write(t, s.dir)
				if _, err := publish.Copy(t.Context(), from, s.URL, uploadToken); err == nil {
					t.Fatalf("of %d files %d were taken, and nothing was told", puts, i)
				}
				if seen := look(t, s.dir); !maps.Equal(seen, old) && !maps.Equal(seen, want) {
					t.Errorf("after %d of %d files clients see %v", i, puts, seen["list"])
				}
				s.stops = 1 << 30
				c, err := publish.Copy(t.Context(), from, s.URL, uploadToken)
				if err != nil {
					t.Fatal(err)
				}
				if now := look(t, s.dir); !maps.Equal(now, want) {
					t.Errorf("after %d of %d files and the rest clients see %v", i, puts, now["list"])
				}
				if c.Had == 0 && i > 20 {
					t.Errorf("after %d of %d files none was there", i, puts)
				}
			}
		})
	}
}

// TestUploadRefused: the token goes to the server alone, and a server that does not take files
// is named.
func TestUploadRefused(t *testing.T) {
	from := t.TempDir()
	runPublish(t, from, "1", folder{"a": []byte("a")})
	s := newTaker(t, t.TempDir(), 1<<30)
	_, err := publish.Copy(t.Context(), from, s.URL, "another token here")
	var hint interface{ Hint() string }
	if !errors.As(err, &hint) || !strings.Contains(hint.Hint(), "--token-file") {
		t.Errorf("with another token: %v", err)
	}
	if _, err := publish.Copy(t.Context(), from, "http://example.com/game", uploadToken); !errors.Is(err, store.ErrLocation) {
		t.Errorf("a token over http: %v", err)
	}
	reader := httptest.NewServer(http.FileServer(http.Dir(t.TempDir())))
	defer reader.Close()
	if _, err := publish.Copy(t.Context(), from, reader.URL, ""); err == nil || !strings.Contains(err.Error(), "takes no files there by PUT") {
		t.Errorf("a server that gives files alone: %v", err)
	}
}
