package update_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pakdb/codecs/all"
	"pakdb/diff/ship/store/update"
	"pakdb/internal/testkit"
)

// What a failed try left counts: as bytes that need not be fetched, or as free, and
// is removed. The error's hint names the folder.
func TestLeft(t *testing.T) {
	testkit.NotShort(t)
	p := mixedPair(t)
	at := p.mod.write(t, t.TempDir())
	var n atomic.Int64
	url := failing(t, p.store, func(_ int64, w http.ResponseWriter, req *http.Request) bool {
		if strings.HasPrefix(req.URL.Path, "/p/") || strings.HasPrefix(req.URL.Path, "/d/") {
			n.Add(1)
		}
		w.Header().Set("Retry-After", "0")
		busy := n.Load() > 6
		if busy {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return busy
	})
	_, _, err := quickly(t, url, at, update.RemoteOptions{})
	work := filepath.Join(at, ".pakdb-update")
	if _, statErr := os.Stat(work); statErr != nil {
		t.Skip("the update failed before it fetched")
	}
	var hint interface{ Hint() string }
	if !errors.As(err, &hint) || !strings.Contains(hint.Hint(), work) {
		t.Errorf("%v", err)
	}
	if err := os.WriteFile(filepath.Join(work, "stale"), make([]byte, 12345), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := update.OpenRemote(p.store, update.RemoteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r.SetClock(time.Now, noSleep)
	u, plan, err := update.Prepare(quick(t.Context()), r, at, update.Options{Registry: all.Registry()})
	if err != nil {
		t.Fatal(err)
	}
	if plan.Bill.Stale < 12345 {
		t.Errorf("%+v", plan.Bill)
	}
	t.Logf("%d bytes reused, %d stale", plan.Bill.Reused, plan.Bill.Stale)
	if err := errors.Join(u.Apply(quick(t.Context()), plan, nil), u.Close()); err != nil {
		t.Fatal(err)
	}
	same(t, "in the end", readFolder(t, at), p.new)
}
