package read

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/codecs/family/unreal"
	"pakdb/codecs/unrealpkg"
	"pakdb/codecs/zenpkg"
)

// readPackage reads a package of whatever kind: a chunk of an IoStore container
// says what it is; a file that has no tag may be such a chunk.
func readPackage(ctx context.Context, a *cli.App, c *operand.Content) (*unreal.PackageFacts, []*codecs.FormatError, error) {
	if c.Chunk {
		return readZen(ctx, a, c)
	}
	p, err := unrealpkg.Read(ctx, c, c.Size)
	if errors.Is(err, codecs.ErrUnknown) {
		if facts, problems, zenErr := readZen(ctx, a, c); zenErr == nil {
			return facts, problems, nil
		}
	}
	if err != nil {
		return nil, nil, err
	}
	return &p.PackageFacts, p.Problems, nil
}

func readZen(ctx context.Context, a *cli.App, c *operand.Content) (*unreal.PackageFacts, []*codecs.FormatError, error) {
	p, err := zenpkg.Read(c, c.Size)
	if err != nil {
		return nil, nil, err
	}
	facts := &p.PackageFacts
	if scripts := scriptObjects(ctx, a, c.Folder); scripts != nil {
		facts = zenpkg.Resolve(facts, scripts)
	}
	return facts, p.Problems, nil
}

// scriptObjects are what global.utoc in a folder lists, nil if there is none:
// then objects of the program go by their ids.
func scriptObjects(ctx context.Context, a *cli.App, folder string) *unreal.ScriptObjectFacts {
	path := filepath.Join(folder, "global.utoc")
	if _, err := os.Stat(path); err != nil {
		return nil
	}
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
			if f, err := zenpkg.ReadScriptObjects(bytes.NewReader(content), int64(len(content))); err == nil {
				return f
			}
		}
	}
	return nil
}

func readEntry(ctx context.Context, ar *operand.Archive, e *codecs.Entry) ([]byte, error) {
	r, err := ar.Open(ctx, e)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	return io.ReadAll(r)
}
