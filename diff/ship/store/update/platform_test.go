package update_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/codecs/all"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/trust"
	"pakdb/diff/ship/store/publish"
	"pakdb/diff/ship/store/update"
	"pakdb/internal/testkit"
)

// onPlatform brings a folder to the build of a platform.
func onPlatform(t *testing.T, from, dir, platform string) (string, error) {
	t.Helper()
	ctx := quick(t.Context())
	r := sure(update.OpenRemote(from, update.RemoteOptions{Platform: platform}))
	u, plan, err := update.Prepare(ctx, r, dir, update.Options{Registry: all.Registry()})
	if err != nil {
		return "", err
	}
	return plan.Build, errors.Join(u.Apply(ctx, plan, nil), u.Close())
}

// TestPlatforms: contents are there once, deltas are from the build before of the platform.
func TestPlatforms(t *testing.T) {
	testkit.NotShort(t)
	t.Parallel()
	dir, win, ps5 := t.TempDir(), t.TempDir(), t.TempDir()
	build := func(platform string, version uint64) folder {
		f := only(partsOf(1, 200_000), "Game.bin", "Text/fr.bin")
		f[platform+".exe"] = partsOf(version+uint64(len(platform))<<4, 50_000)["a.txt"]
		return f
	}
	for v := range uint64(2) {
		for _, p := range []string{"win", "ps5x"} {
			publishWith(t, dir, fmt.Sprint(v+1, "@", p), build(p, v), &publish.Options{Registry: all.Registry(), Deltas: 1})
		}
		for at, p := range map[string]string{win: "win", ps5: "ps5x"} {
			if got, err := onPlatform(t, dir, at, p); err != nil || got != fmt.Sprint(v+1, "@", p) {
				t.Fatalf("%s: %q, %v", p, got, err)
			}
			has(t, p, at, build(p, v))
		}
	}
	if n := sizeOfFolder(t, dir); n > 2*200_000+4*50_000+2*50_000+50_000 {
		t.Errorf("a store of %d bytes", n)
	}
	for _, l := range sure(publish.List(t.Context(), dir)) {
		before := map[string]string{"2@win": "1@win", "2@ps5x": "1@ps5x"}[l.Label]
		if l.From != before {
			t.Errorf("%s is after %q, want %q", l.Label, l.From, before)
		}
		b := string(sure(os.ReadFile(filepath.Join(dir, "builds", l.Label+".json"))))
		if !strings.Contains(b, `"format": 4`) || before != "" && !strings.Contains(b, `"from": "`+before+`"`) {
			t.Errorf("%s: %s", l.Label, b)
		}
	}
}

// TestWrongPlatform: a store cannot give a client the build of another platform.
func TestWrongPlatform(t *testing.T) {
	t.Parallel()
	key := sure(delta.GenerateKey())
	dir, at := t.TempDir(), t.TempDir()
	for _, p := range []string{"win", "ps5"} {
		publishWith(t, dir, "1@"+p, folder{p: []byte(p)}, &publish.Options{Key: key})
	}
	if _, err := onPlatform(t, dir, at, "win"); err != nil {
		t.Fatal(err)
	}
	publishWith(t, dir, "2@ps5", folder{"ps5": []byte("2")}, &publish.Options{Key: key})
	if err := publish.Promote(t.Context(), dir, "2@ps5", publish.Rollout{}, key, nil, 0); err != nil {
		t.Fatal(err)
	}
	if got, err := onPlatform(t, dir, at, ""); err != nil || got != "1@win" {
		t.Errorf("%q, %v", got, err)
	}
	publishWith(t, dir, "2@win", folder{"win": []byte("2")}, &publish.Options{Key: key})
	named := func(label string) []string {
		return append(sure(filepath.Glob(filepath.Join(dir, "trust/builds/*."+label+".json"))), filepath.Join(dir, "builds", label+".json"))
	}
	from := sure(os.ReadFile(named("2@ps5")[0]))
	for _, name := range named("2@win") {
		if err := os.WriteFile(name, from, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := onPlatform(t, dir, at, ""); !errors.Is(err, trust.ErrMixed) {
		t.Errorf("the manifest of another platform: %v", err)
	}
	has(t, "refused", at, folder{"win": []byte("win")})
}
