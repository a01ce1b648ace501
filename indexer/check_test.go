package indexer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/unrealpak"
	"pakdb/indexer"
)

// A check of an archive finds what a scan of it stores as problems.
func TestCheckFindsWhatAScanDoes(t *testing.T) {
	registry := all.Registry()
	for name, samples := range map[string]string{
		"unrealpak":  "bugs/wrong-sha1.pak",
		"iostore":    "bugs/header.utoc",
		"no methods": "bugs/no-method-names.pak",
	} {
		t.Run(name, func(t *testing.T) {
			sample := codecstest.Sample(t, samples)
			compareFindings(t, registry, sample)
		})
	}
	t.Run("gpak", func(t *testing.T) {
		compareFindings(t, registry, filepath.Join(codecstest.ModuleRoot(t), "testdata", "damaged.sip"))
	})
	t.Run("values", func(t *testing.T) {
		b, err := os.ReadFile(codecstest.Sample(t, "unreal-package", "compressed", "BioD_PrsCvA.pcc"))
		if err != nil {
			t.Fatal(err)
		}
		b[38027] = 0
		path := filepath.Join(t.TempDir(), "values.pak")
		if err := codecs.WriteFile(t.Context(), path, unrealpak.Format(), nil, func(w codecs.Writer) error {
			return w.Add(t.Context(), &codecs.Entry{Name: "BioD_PrsCvA.pcc", Size: int64(len(b))}, bytes.NewReader(b))
		}); err != nil {
			t.Fatal(err)
		}
		compareFindings(t, registry, path)
	})
	t.Run("flipped", func(t *testing.T) {
		b, err := os.ReadFile(filepath.Join(codecstest.ModuleRoot(t), "testdata", "Calligraphy.sip"))
		if err != nil {
			t.Fatal(err)
		}
		for at := len(b) / 11; at < len(b); at += len(b) / 11 {
			b[at] ^= 0x55
		}
		path := filepath.Join(t.TempDir(), "flipped.sip")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		compareFindings(t, registry, path)
	})
}

func compareFindings(t *testing.T, registry *codecs.Registry, path string) {
	t.Helper()
	c := newCatalog(t)
	c.mustScan(indexer.Options{Label: "b", Paths: []string{path}})
	stored := c.rows("SELECT coalesce(path, ''), field, cause FROM problems")
	slices.Sort(stored)
	var found []string
	file, err := codecs.OpenFile(context.Background(), path, registry, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	entries := 0
	err = indexer.Check(context.Background(), file, &indexer.Checking{Registry: registry, Format: file.Format, Path: path, Progress: &indexer.Progress{},
		Entry: func(*codecs.Entry) { entries++ },
		Found: func(e *codecs.Entry, err error) error {
			var fe *codecs.FormatError
			if !errors.As(err, &fe) || fe.File == "" {
				t.Errorf("%v names no file", err)
				return nil
			}
			found = append(found, fmt.Sprintf("%s|%s|%s", fe.Entry, fe.Field, fe.Err))
			return nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	if d := cmp.Diff(stored, found); d != "" || len(found) == 0 || entries == 0 {
		t.Errorf("%d entries: (-scan +check)\n%s", entries, d)
	}
}
