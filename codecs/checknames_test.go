package codecs_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/all"
)

// TestCheckNames: in each format that is written, and each version, names are refused before
// anything is written as they are when their turn comes, with the same words.
func TestCheckNames(t *testing.T) {
	lists := [][]string{
		{"a/b.txt", "c.txt"}, {"a/b.txt", "a\\c.txt"}, {"a/b.txt", "A/B.TXT"}, {"a.txt", "/abs.txt"}, {"a.txt", "../up.txt"},
		{"x\x00y"}, {"ß.txt", "日本.txt"}, {strings.Repeat("d/", 200) + "x"}, {strings.Repeat("n", 5000)}, {"\xff\xfe"},
		{"TXTR/7b2ea5b1", "TXTR/7b2ea5b1"}, {"TXTR/7b2ea5b1aabbccdd"}, {"a.uasset", "b.umap"}, {""}, nil,
	}
	refused := map[string]bool{}
	for _, f := range all.Registry().Formats {
		if f.Create == nil {
			continue
		}
		for _, version := range f.Versions {
			for i, names := range lists {
				o := &codecs.CreateOptions{Version: version}
				path := filepath.Join(t.TempDir(), "out"+append(f.Exts, "")[0])
				late := codecs.WriteFile(t.Context(), path, f, o, func(w codecs.Writer) error {
					for _, name := range names {
						if err := w.Add(t.Context(), &codecs.Entry{Name: name}, strings.NewReader("content of "+name)); err != nil {
							return err
						}
					}
					return nil
				})
				early := codecs.CheckNames(t.Context(), f, o, slices.Values(names))
				switch {
				case errors.Is(late, codecs.ErrName):
					refused[f.Name] = true
					if fmt.Sprint(early) != fmt.Sprint(late) {
						t.Errorf("%s %s, list %d: %v before, %v when it is written", f.Name, version, i, early, late)
					}
				case early != nil:
					t.Errorf("%s %s, list %d: %v before, %v when it is written", f.Name, version, i, early, late)
				}
			}
		}
	}
	if len(refused) < 5 {
		t.Errorf("only %v refused a name", refused)
	}
}
