package semantic_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pakdb/codecs/all"
	"pakdb/diff"
	"pakdb/diff/semantic"
	"pakdb/indexer"
	"pakdb/schema"
)

// writeLocres writes a .locres of version 0 with the namespace UI: of each text its
// key, the text, and the hash of its source.
func writeLocres(t *testing.T, file string, texts ...[3]string) {
	t.Helper()
	text := func(b []byte, s string) []byte {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(s)+1))
		return append(append(b, s...), 0)
	}
	b := text(binary.LittleEndian.AppendUint32(nil, 1), "UI")
	b = binary.LittleEndian.AppendUint32(b, uint32(len(texts)))
	for _, x := range texts {
		b = append(text(b, x[0]), x[2]...)
		b = text(b, x[1])
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestLocalizedTexts(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	const path = "Localization/Game/de/Game.locres"
	writeLocres(t, filepath.Join(dir, "1", path), [3]string{"Quit", "Beenden", "1111"}, [3]string{"Back", "Zurueck", "2222"}, [3]string{"Old", "Alt", "3333"})
	writeLocres(t, filepath.Join(dir, "2", path), [3]string{"Quit", "Spiel \"beenden\"", "4444"}, [3]string{"Back", "Zurueck", "2222"}, [3]string{"New", "Neu", "3333"})
	file := filepath.Join(dir, "a.db")
	c, err := schema.Open(ctx, file)
	if err != nil {
		t.Fatal(err)
	}
	for _, label := range []string{"1", "2"} {
		_, err := indexer.Run(ctx, indexer.Options{Catalog: c, Registry: all.Registry(), Label: label, Paths: []string{filepath.Join(dir, label)}})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := schema.OpenReadOnly(ctx, file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	s := &semantic.Comparer{DB: db, OldBuild: "1", NewBuild: "2"}
	change := &diff.Change{}
	for label, side := range map[string]**diff.File{"1": &change.Old, "2": &change.New} {
		if *side, err = diff.Find(ctx, db, label, path); err != nil {
			t.Fatal(err)
		}
	}
	in, err := s.Compare(ctx, change)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range in.Fields {
		row := f.Row()
		got = append(got, fmt.Sprint(row[0], " ", row[1], " -> ", row[2]))
	}
	want := []string{
		`[de] UI,Quit "Beenden" -> "Spiel \"beenden\""`,
		`[de] UI,Quit source 31313131 -> 34343434`,
		`[de] UI,Old "Alt" -> <nil>`,
		`[de] UI,New <nil> -> "Neu"`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
