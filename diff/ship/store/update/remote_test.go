package update_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"pakdb/diff/ship/internal/trust"
	"pakdb/diff/ship/store/publish"
	"pakdb/diff/ship/store/update"
)

// TestOneTrust: all manifests that an update asks for count by the word of those whom the
// folder trusts. By the store's own word a server could name any file of the player's as
// one of another build, which an update removes.
func TestOneTrust(t *testing.T) {
	key, pub := newKey(t)
	thief, _ := newKey(t)
	dir, _ := signedStore(t, key, 2)
	at, evil := t.TempDir(), t.TempDir()
	wantErr(t, "first", takes(t, dir, at, "2", update.RemoteOptions{Key: pub}, time.Time{}), nil)
	saved := []byte("what the player made")
	if err := os.WriteFile(filepath.Join(at, "save"), saved, 0o666); err != nil {
		t.Fatal(err)
	}
	publishWith(t, evil, "9", folder{"save": saved}, &publish.Options{Key: thief})
	var turned atomic.Bool // when the client asks for whom to trust
	url := failing(t, dir, func(_ int64, w http.ResponseWriter, req *http.Request) bool {
		if req.URL.Path == "/trust/1.root.json" {
			turned.Store(true)
		}
		_, err := os.Stat(filepath.Join(evil, filepath.FromSlash(req.URL.Path)))
		if err != nil || !turned.Load() {
			return false
		}
		http.FileServer(http.Dir(evil)).ServeHTTP(w, req)
		return true
	})
	wantErr(t, "a build that is not the last", takes(t, url, at, "1", update.RemoteOptions{}, time.Time{}), nil)
	wantFile(t, at, "build 1")
	if b, err := os.ReadFile(filepath.Join(at, "save")); err != nil || !bytes.Equal(b, saved) {
		t.Errorf("the player's file: %q, %v", b, err)
	}
}

// TestSameRemote: who asks again with the same Remote sees what was published since, and
// takes nothing older or expired, whether the folder remembers anything yet or not.
func TestSameRemote(t *testing.T) {
	key, pub := newKey(t)
	for _, opt := range []update.RemoteOptions{{Key: pub}, {}} {
		dir, after := signedStore(t, key, 2)
		served, now := copyOf(t, after[0]), time.Now()
		r, err := update.OpenRemote(served, opt)
		if err != nil {
			t.Fatal(err)
		}
		r.SetClock(func() time.Time { return now }, noSleep)
		serve := func(state string) {
			t.Helper()
			if err := os.RemoveAll(served); err != nil {
				t.Fatal(err)
			}
			if err := os.CopyFS(served, os.DirFS(state)); err != nil {
				t.Fatal(err)
			}
		}
		for _, at := range []string{"", t.TempDir()} {
			ask := func() (label string, err error) {
				target, err := update.OpenFor(t.Context(), r, at, "")
				if err == nil {
					label = target.Build.Label
				}
				return label, err
			}
			serve(after[0])
			if label, err := ask(); err != nil || label != "1" {
				t.Errorf("first: %q, %v", label, err)
			}
			serve(dir)
			if label, err := ask(); err != nil || label != "2" {
				t.Errorf("after a publication: %q, %v", label, err)
			}
			serve(after[0])
			_, err = ask()
			wantErr(t, "back", err, trust.ErrRollback)
			serve(dir)
			now = now.Add(publish.DefaultExpiry + time.Hour)
			_, err = ask()
			wantErr(t, "expired meanwhile", err, trust.ErrExpired)
			now = time.Now()
		}
		if n := len(r.Doubts()); n > 1 {
			t.Errorf("%d doubts: %q", n, r.Doubts())
		}
	}
}
