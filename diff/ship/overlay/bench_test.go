package overlay_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"strings"

	"pakdb/codecs"
	"pakdb/codecs/all"
	"pakdb/diff"
	"pakdb/diff/ship/overlay"
)

// BenchmarkPlan loads two builds of 20,000 entries, of which one in a hundred
// differs, and plans the patch.
func BenchmarkPlan(b *testing.B) {
	dir := b.TempDir()
	for _, label := range []string{"old", "new"} {
		writePak(b, filepath.Join(dir, label, "Game.pak"), &codecs.CreateOptions{MountPoint: "../../../Game/Content/"}, func(w codecs.Writer) error {
			for i := range 20_000 {
				text := fmt.Sprint("content of ", i)
				if i%100 == 0 {
					text += label
				}
				name := fmt.Sprintf("Maps/Region%03d/Actors/SM_Building_%06d.uasset", i/500, i)
				if err := w.Add(context.Background(), &codecs.Entry{Name: name}, strings.NewReader(text)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	db := catalog(b, filepath.Join(dir, "old"), filepath.Join(dir, "new"))
	b.ReportAllocs()
	for b.Loop() {
		stacks, err := diff.LoadStacks(context.Background(), db, all.Registry(), "old", "new")
		if err != nil {
			b.Fatal(err)
		}
		p, err := overlay.Make(stacks[0], stacks[1], all.Registry(), overlay.Options{Number: -1})
		if err != nil || len(p.Items) != 200 {
			b.Fatal(len(p.Items), err)
		}
	}
}
