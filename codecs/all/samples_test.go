package all_test

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
)

// TestDetectSamples: no two formats claim one file, whoever made it, and the
// usual extensions lead to their formats.
func TestDetectSamples(t *testing.T) {
	root := filepath.Dir(codecstest.Sample(t, "README.md"))
	byExt := map[string]string{".umod": "umod", ".u": "loose", ".upk": "loose", ".uasset": "loose", ".json": "loose", ".sip": "gpak"}
	registry := all.Registry()
	seen := map[string]int{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		f, err := registry.Detect(codecstest.OpenFile(t, path))
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return nil
		}
		seen[f.Name]++
		want := byExt[filepath.Ext(path)]
		if want != "" && want != f.Name && !strings.HasPrefix(d.Name(), "BROKEN_") {
			t.Errorf("%s: %s, want %s", path, f.Name, want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"gpak", "retropak", "unrealpak", "umod", "loose"} {
		if seen[name] == 0 {
			t.Errorf("no sample of %s", name)
		}
	}
	t.Log(seen)
}
