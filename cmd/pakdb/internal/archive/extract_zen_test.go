package archive

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"testing"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/iostore"
)

// Chunks without a path are called by the names in the headers of their packages.
func TestUnnamedPackages(t *testing.T) {
	ctx := context.Background()
	a := cli.New(nil, nil, nil, all.Registry)
	named, err := operand.Open(ctx, a, codecstest.Sample(t, "iostore", "cue4parse-ue5.8", "Zlib", "CUE4ParseFixtures-Minimal-Zlib-Windows.utoc"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = named.Close() }()
	out := filepath.Join(t.TempDir(), "Game.utoc")
	wanted := []string{"Audio/SW_Inline.uasset", "Audio/SW_Inline.ubulk", "Maps/Empty.umap"}
	err = codecs.WriteFile(ctx, out, iostore.Format(), nil, func(w codecs.Writer) error {
		for e, err := range named.Entries() {
			if err != nil || !slices.Contains(wanted, e.Name) {
				continue
			}
			content, err := readEntry(ctx, named, e)
			if err != nil {
				return err
			}
			if err := w.Add(ctx, &codecs.Entry{ID: e.ID, Type: e.Type}, bytes.NewReader(content)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	ar, err := operand.Open(ctx, a, out)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ar.Close() }()
	names := unnamedPackages(ctx, ar)
	var got []string
	for e, err := range ar.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, names.file(e))
	}
	slices.Sort(got)
	want := []string{"Game/Fixtures/Audio/SW_Inline.uasset", "Game/Fixtures/Audio/SW_Inline.ubulk", "Game/Fixtures/Maps/Empty.umap"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
