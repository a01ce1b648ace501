package update_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"pakdb/codecs/all"
	"pakdb/diff/ship/store/update"
)

// TestHeldFiles: a file that the game holds open ends the update before anything has
// changed, and the next one goes on from what was made. One that is let go in time does
// not matter.
func TestHeldFiles(t *testing.T) {
	from := t.TempDir()
	runPublish(t, from, "1", folder{"a": []byte("old a"), "b": []byte("old b"), "gone": []byte("x")})
	runPublish(t, from, "2", folder{"a": []byte("new a"), "b": []byte("new b")})
	errOpen := errors.New("sharing violation")
	for _, name := range []string{"a", "b", "gone"} {
		at := t.TempDir()
		if _, _, err := runUpdate(t.Context(), from, at, "1"); err != nil {
			t.Fatal(err)
		}
		old := readFolder(t, at)
		tries := 0
		run := func(most int) error {
			r, err := update.OpenRemote(from, update.RemoteOptions{})
			if err != nil {
				return err
			}
			u, plan, err := update.Prepare(t.Context(), r, at, update.Options{Registry: all.Registry()})
			if err != nil {
				return err
			}
			u.Hold(func(file string) error {
				if file == name && tries < most {
					tries++
					return errOpen
				}
				return nil
			}, func(err error) bool { return errors.Is(err, errOpen) })
			return errors.Join(u.Apply(t.Context(), plan, nil), u.Close())
		}
		if err := run(1000); !errors.Is(err, update.ErrHeld) {
			t.Errorf("%s is held: %v", name, err)
		}
		got := readFolder(t, at)
		for file, text := range old {
			if string(got[file]) != string(text) {
				t.Errorf("%s is held, and %s has changed", name, file)
			}
		}
		tries = 0
		if err := run(3); err != nil {
			t.Errorf("%s is let go: %v", name, err)
		}
		same(t, name+" was let go", readFolder(t, at), folder{"a": []byte("new a"), "b": []byte("new b")})
	}
}

// TestPause: nothing is asked for in a pause, and it is no silence of the server.
func TestPause(t *testing.T) {
	from := t.TempDir()
	runPublish(t, from, "1", folder{"a": []byte("some bytes")})
	asked := make(chan string, 100)
	files := http.FileServer(http.Dir(from))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.Path
		files.ServeHTTP(w, r)
	}))
	defer server.Close()
	r, err := update.OpenRemote(server.URL, update.RemoteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r.Pause()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := r.Build(ctx, "")
		done <- err
	}()
	select {
	case name := <-asked:
		t.Fatalf("%s was asked for in the pause", name)
	case <-time.After(100 * time.Millisecond):
	}
	r.Resume()
	if err := <-done; err != nil {
		t.Error(err)
	}
	r.Pause()
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := r.Build(stopped, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("a pause that is given up: %v", err)
	}
}
