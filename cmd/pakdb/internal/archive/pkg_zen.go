package archive

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/codecs/unreal"
	"pakdb/codecs/unreal/zen"
)

// scriptObjects are what global.utoc in a folder lists, nil if there is none:
// then objects of the program go by their ids.
func scriptObjects(ctx context.Context, a *cli.App, folder string) *unreal.ScriptObjectFacts {
	path := filepath.Join(folder, "global.utoc")
	if _, err := os.Stat(path); err != nil {
		return nil
	}
	return scriptsOf(ctx, a, path)
}

// scriptsOf returns the objects of the program that a container lists, nil if it lists none.
func scriptsOf(ctx context.Context, a *cli.App, path string) *unreal.ScriptObjectFacts {
	ar, err := operand.Open(ctx, a, path)
	if err != nil {
		return nil
	}
	defer func() { _ = ar.Close() }()
	for e, err := range ar.Entries() {
		if err != nil || e.Type != "ScriptObjects" {
			continue
		}
		if content, err := readEntry(ctx, ar, e); err == nil {
			if f, err := zen.ReadScriptObjects(bytes.NewReader(content), int64(len(content))); err == nil {
				return f
			}
		}
	}
	return nil
}

func readEntry(ctx context.Context, ar codecs.Archive, e *codecs.Entry) ([]byte, error) {
	r, err := ar.Open(ctx, e)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	return io.ReadAll(codecs.ContextReader(ctx, r))
}
