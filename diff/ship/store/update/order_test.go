package update_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pakdb/diff/ship/internal/trust"
	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/publish"
	"pakdb/diff/ship/store/update"
	"pakdb/internal/testkit"
)

// TestListOfOthers: who can write to a signed store changes its list of builds, which
// nobody signs. What its owner does next does not sign an earlier build as the last one.
func TestListOfOthers(t *testing.T) {
	testkit.NotShort(t)
	key, pub := newKey(t)
	dir, _ := signedStore(t, key, 3)
	rewrite := func(from, to string) string {
		from, to = strings.ReplaceAll(from, ",", ",\n  "), strings.ReplaceAll(to, ",", ",\n  ")
		t.Helper()
		other := copyOf(t, dir)
		b := read(t, other, store.IndexName)
		changed := bytes.Replace(b, []byte(from), []byte(to), 1)
		if bytes.Equal(b, changed) {
			t.Fatalf("no %q in %s", from, b)
		}
		if err := os.WriteFile(filepath.Join(other, filepath.FromSlash(store.IndexName)), changed, 0o666); err != nil {
			t.Fatal(err)
		}
		return other
	}
	for name, do := range map[string]func(dir string) error{
		"prune": func(dir string) error { _, err := publish.Prune(t.Context(), dir, 5, 0, key, nil); return err },
		"promote": func(dir string) error {
			return publish.Promote(t.Context(), dir, "2", publish.Rollout{Channel: "beta"}, key, nil, 0)
		},
	} {
		turned := rewrite(`"1","2","3"`, `"3","2","1"`)
		wantErr(t, name+", another order", do(turned), nil)
		at := t.TempDir()
		wantErr(t, "a client", takes(t, turned, at, "", update.RemoteOptions{Key: pub}, time.Time{}), nil)
		wantFile(t, at, "build 3")

		short := rewrite(`"1","2","3"`, `"1","2"`)
		wantErr(t, name+", without the last", do(short), trust.ErrMixed)
		at = t.TempDir()
		wantErr(t, "a client", takes(t, short, at, "", update.RemoteOptions{Key: pub}, time.Time{}), nil)
		wantFile(t, at, "build 3")
	}
	// Who publishes a build again means it to be the last one.
	publishWith(t, dir, "1", folder{"a": []byte("build 1 again")}, &publish.Options{Key: key})
	at := t.TempDir()
	wantErr(t, "published again", takes(t, dir, at, "", update.RemoteOptions{Key: pub}, time.Time{}), nil)
	wantFile(t, at, "build 1 again")
	signed, err := publish.ReadTrust(t.Context(), dir, nil)
	if err != nil || strings.Join(signed.Builds, " ") != "2 3 1" {
		t.Errorf("%v, %v", signed, err)
	}
}
