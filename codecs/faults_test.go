package codecs_test

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/gpak"
	"pakdb/codecs/iostore"
	"pakdb/codecs/unrealpak"
	"pakdb/internal/atomicfile/faulttest"
)

// Every operation of writing an archive is killed, and fails: the one that was there
// before stays, or the new one is there, of several files the first one last.
func TestFaultsWriteFile(t *testing.T) {
	for name, c := range map[string]struct {
		format *codecs.Format
		before faulttest.Tree
		mixed  bool
	}{
		"x.pak":  {unrealpak.Format(), faulttest.Tree{"x.pak": "older"}, false},
		"x.sip":  {gpak.Format(), faulttest.Tree{"other": "stays"}, false},
		"x.utoc": {iostore.Format(), faulttest.Tree{"x.utoc": "older", "x.ucas": "older content"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			faulttest.Sweep(t, faulttest.Command{
				Prepare: func(t *testing.T) string {
					dir := t.TempDir()
					c.before.Write(t, dir)
					return dir
				},
				Run: func(ctx context.Context, dir string) error {
					return codecs.WriteFile(ctx, filepath.Join(dir, name), c.format, nil, func(w codecs.Writer) error {
						for _, e := range []string{"Game/Content/a.uasset", "Game/Content/b.uasset"} {
							if err := w.Add(ctx, &codecs.Entry{Name: e}, bytes.NewReader([]byte(e))); err != nil {
								return err
							}
						}
						return nil
					})
				},
				Mixed: c.mixed,
			}, 200)
		})
	}
}
