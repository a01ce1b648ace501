package archive

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
	"pakdb/codecs/unreal"
	"pakdb/codecs/unreal/pkg"
	"pakdb/codecs/unreal/zen"
	"pakdb/internal/bin"
)

// readPackage reads a package of whatever kind: a chunk of an IoStore container
// says what it is; a file that has no tag may be such a chunk.
//
// data returns the bytes of an export; those of a split package are in its .uexp.
func readPackage(ctx context.Context, c *operand.Content, scripts func(folder string) *unreal.ScriptObjectFacts) (f *unreal.PackageFacts, data func(export int) ([]byte, error), problems []*codecs.FormatError, err error) {
	zen := func(export int) ([]byte, error) {
		e := &f.Exports[export]
		return bin.Section(c, e.Offset, e.Size, c.Size, maxExport)
	}
	if c.Chunk {
		f, problems, err = readZen(c, scripts)
		return f, zen, problems, err
	}
	p, err := pkg.Read(ctx, c, c.Size)
	if errors.Is(err, codecs.ErrUnknown) {
		if facts, found, zenErr := readZen(c, scripts); zenErr == nil {
			f = facts
			return f, zen, found, nil
		}
	}
	if err != nil {
		return nil, nil, nil, err
	}
	return &p.PackageFacts, exportsOf(p, c), p.Problems, nil
}

// maxExport bounds the bytes of an export that are read at once.
const maxExport = 1 << 30

// exportsOf returns what reads exports of a package.
func exportsOf(p *pkg.Package, c *operand.Content) func(export int) ([]byte, error) {
	var body *io.SectionReader
	if c.Exports != nil {
		body = io.NewSectionReader(c.Exports, 0, c.Exports.Size)
	}
	return func(export int) ([]byte, error) {
		r, err := p.OpenExport(export, body)
		if err != nil {
			return nil, err
		}
		return bin.Section(r, 0, r.Size(), r.Size(), maxExport)
	}
}

func readZen(c *operand.Content, scripts func(folder string) *unreal.ScriptObjectFacts) (*unreal.PackageFacts, []*codecs.FormatError, error) {
	p, err := zen.Read(c, c.Size)
	if err != nil {
		return nil, nil, err
	}
	facts := &p.PackageFacts
	if known := scripts(c.Folder); known != nil {
		facts = zen.Resolve(facts, known)
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

func readEntry(ctx context.Context, ar *operand.Archive, e *codecs.Entry) ([]byte, error) {
	r, err := ar.Open(ctx, e)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	return io.ReadAll(r)
}
