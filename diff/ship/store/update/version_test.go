package update_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/publish"
	"pakdb/diff/ship/store/update"
)

// What another pakdb published is refused by everyone, with what to do.
func TestOtherVersions(t *testing.T) {
	sound := t.TempDir()
	publishWith(t, sound, "1", folder{"a": []byte("a")}, &publish.Options{By: "0.9"})
	format, coder := regexp.MustCompile(`"format": \d+`), regexp.MustCompile(`"coder": "[0-9a-f]{8}"`)
	for name, tt := range map[string]struct {
		file  string
		of    *regexp.Regexp
		now   string
		hints string
	}{
		"an earlier format":       {"builds/index.json", format, `"format": 1`, "publish the builds again, into an empty folder, or use pakdb 0.9"},
		"a later format":          {"builds/index.json", format, `"format": 99`, "use pakdb 0.9, which published it, or a newer one"},
		"a build of another":      {"builds/1.json", format, `"format": 1`, "publish the builds again"},
		"another coder":           {"builds/index.json", coder, `"coder": "00000000"`, "publish the builds again"},
		"a build of another one":  {"builds/1.json", coder, `"coder": "00000000"`, "publish the builds again"},
		"before there were names": {"builds/index.json", coder, `"x": 1`, "publish the builds again"},
	} {
		t.Run(name, func(t *testing.T) {
			f := readFolder(t, sound)
			before := f[tt.file]
			if f[tt.file] = tt.of.ReplaceAll(before, []byte(tt.now)); bytes.Equal(f[tt.file], before) {
				t.Fatalf("%s has no %v", before, tt.of)
			}
			dir := f.write(t, t.TempDir())
			_, _, updated := runUpdate(t.Context(), dir, t.TempDir(), "")
			_, published := publish.Publish(t.Context(), dir, "2", []delta.Input{}, nil)
			_, pruned := publish.Prune(t.Context(), dir, 1, 0, nil, nil)
			_, checked := publish.Check(t.Context(), dir, func(string, error) {})
			for what, err := range map[string]error{"update": updated, "publish": published, "prune": pruned, "check": checked} {
				var v *store.VersionError
				if !errors.Is(err, errors.ErrUnsupported) || !errors.As(err, &v) || !strings.Contains(v.Hint(), tt.hints) {
					t.Errorf("%s: %v", what, err)
				}
			}
			same(t, "what was refused", readFolder(t, dir), withLock(f))
		})
	}
}

// withLock is a store that a publisher has looked at.
func withLock(f folder) folder {
	f[".lock"] = nil
	return f
}

// A server that is busy says for how long; that is kept, within a minute.
func TestRetryAfter(t *testing.T) {
	dir := t.TempDir()
	runPublish(t, dir, "1", folder{"a": []byte("a")})
	now := time.Date(2026, 11, 21, 18, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"0": 100 * time.Millisecond, "7": 7 * time.Second, "3600": time.Minute, "99999999999999999999": time.Minute,
		now.Add(20 * time.Second).Format(http.TimeFormat): 20 * time.Second,
		now.Add(24 * time.Hour).Format(http.TimeFormat):   time.Minute,
		now.Add(-time.Hour).Format(http.TimeFormat):       100 * time.Millisecond,
		"": 100 * time.Millisecond, "-5": 100 * time.Millisecond, "soon": 100 * time.Millisecond,
	} {
		url := failing(t, dir, func(n int64, w http.ResponseWriter, _ *http.Request) bool {
			if n > 1 {
				return false
			}
			if value != "" {
				w.Header().Set("Retry-After", value)
			}
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		})
		r, err := update.OpenRemote(url, update.RemoteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var slept []time.Duration
		r.SetClock(func() time.Time { return now }, func(_ context.Context, d time.Duration) error {
			slept = append(slept, d)
			return nil
		})
		if index, err := r.Index(t.Context()); err != nil || len(index.Builds) != 1 {
			t.Errorf("Retry-After %q: %v", value, err)
		}
		if !slices.Equal(slept, []time.Duration{want}) {
			t.Errorf("Retry-After %q: slept %v, want %v", value, slept, want)
		}
	}
}

// A server that stays busy is asked some times, with longer and longer pauses; who
// gives up while waiting does so at once.
func TestStaysBusy(t *testing.T) {
	url := failing(t, t.TempDir(), func(_ int64, w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusTooManyRequests)
		return true
	})
	r, err := update.OpenRemote(url, update.RemoteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var total time.Duration
	r.SetClock(time.Now, func(_ context.Context, d time.Duration) error {
		total += d
		return nil
	})
	if _, err := r.Index(t.Context()); err == nil || r.Requests() != 8 || total != 127*100*time.Millisecond {
		t.Errorf("%d requests, %v of pauses: %v", r.Requests(), total, err)
	}
	r.SetClock(time.Now, func(context.Context, time.Duration) error { return context.Canceled })
	if _, err := r.Index(t.Context()); !errors.Is(err, context.Canceled) || r.Requests() != 9 {
		t.Errorf("%d requests: %v", r.Requests(), err)
	}
}
