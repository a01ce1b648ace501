package ship

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pakdb/codecs"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/store/publish"
	"pakdb/diff/ship/store/update"
)

func TestExpiring(t *testing.T) {
	now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	in := func(days int) time.Time { return now.AddDate(0, 0, days) }
	for _, tt := range []struct {
		root, targets int
		want          string
	}{
		{300, 300, ""},
		{59, 300, "the signed root expires on 2026-12-30T00:00:00Z, and clients stop then; the keys of the root renew it: pakdb store keys change --sign KEY"},
		{300, -1, "the signed targets expires on 2026-10-31T00:00:00Z, and clients stop then; a key that may publish renews it: pakdb store sign --sign KEY"},
	} {
		got := strings.Join(expiring(map[string]time.Time{publish.RoleRoot: in(tt.root), publish.RoleTargets: in(tt.targets), publish.RoleTimestamp: in(1)}, now), "\n")
		if got != tt.want {
			t.Errorf("root %d, targets %d: %q", tt.root, tt.targets, got)
		}
	}
}

// TestFindExpired: what clients refuse is a finding, also if all else is sound.
func TestFindExpired(t *testing.T) {
	from, dir := t.TempDir(), t.TempDir()
	key, err := delta.GenerateKey()
	if err = errors.Join(err, os.WriteFile(filepath.Join(from, "a"), []byte("text"), 0o666)); err != nil {
		t.Fatal(err)
	}
	files, err := delta.OpenFiles([]string{from})
	if err != nil {
		t.Fatal(err)
	}
	_, err = publish.Publish(t.Context(), dir, "1", files.Inputs, &publish.Options{Registry: &codecs.Registry{}, Key: key})
	if err = errors.Join(err, files.Close()); err != nil {
		t.Fatal(err)
	}
	var found []string
	find := func() []string {
		found = nil
		if err := findExpired(t.Context(), dir, func(name string, err error) {
			if errors.Is(err, update.ErrExpired) {
				found = append(found, name)
			}
		}); err != nil {
			t.Error(err)
		}
		return found
	}
	if len(find()) > 0 {
		t.Error(found)
	}
	if err := publish.Renew(t.Context(), dir, key, publish.SignOptions{Expiry: time.Nanosecond}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(find(), " "); got != publish.TimestampName {
		t.Errorf("%q", got)
	}
}
