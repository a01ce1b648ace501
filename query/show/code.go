package show

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
	"pakdb/codecs/unreal/media"
	"pakdb/codecs/unreal/rows"
	"pakdb/codecs/unreal/zen"
	"pakdb/internal/asset"
)

// packageFile is a package of the build with the bytes of its exports.
type packageFile struct {
	*unreal.PackageFacts
	exports section
	whole   func() []byte // the file, and the one with its exports after it
}

// open returns a package of the build; its path is that of its tables. The errors are
// those of [Build.Facts]; one of class [codecs.ErrUnknown] means that the file is no
// package.
func (b *Build) open(ctx context.Context, path string) (*packageFile, error) {
	facts, content, err := b.read(ctx, path)
	if err != nil {
		return nil, err
	}
	p, ok := facts.Detail.(*unreal.PackageFacts)
	if !ok {
		return nil, unknownError{}
	}
	f := &packageFile{PackageFacts: p, exports: section{data: content}, whole: func() []byte { return content }}
	if facts.Decoded != nil {
		f.exports.data = make([]byte, facts.DecodedSize)
		if _, err := io.ReadFull(io.NewSectionReader(facts.Decoded, 0, facts.DecodedSize), f.exports.data); err != nil {
			return nil, err
		}
	}
	if _, _, part := asset.Split(path); part == asset.Header && facts.Body != nil {
		body, err := b.part(ctx, path, ".uexp")
		if err == nil {
			f.exports = section{data: body, base: facts.Base}
			f.whole = func() []byte { return slices.Concat(content, body) }
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return f, nil
}

// bytes returns those of an export.
func (f *packageFile) bytes(export int) ([]byte, error) {
	x := &f.Exports[export]
	return f.exports.at(x.Offset, x.Size)
}

// Code returns the code of a package of the build. The errors are those of [Build.Facts];
// one of class [codecs.ErrUnknown] means that the file is no package.
func (b *Build) Code(ctx context.Context, path string) (*rows.Script, error) {
	f, err := b.open(ctx, path)
	if err != nil {
		return nil, err
	}
	return rows.ReadScript(f.PackageFacts, f.bytes)
}

// CodeText returns the code of a package of the build as people write it: see [rows.Package.Code].
// The errors are those of [Build.Code].
func (b *Build) CodeText(ctx context.Context, path string) ([]byte, error) {
	f, err := b.open(ctx, path)
	if err != nil {
		return nil, err
	}
	return (&rows.Package{PackageFacts: f.PackageFacts, Path: path, Bytes: f.bytes}).Code()
}

// AddCode adds to the tree of a package the text of its functions, a node for each line,
// or why a function was not understood.
func AddCode(root *codecs.Node, code *rows.Script) {
	list := exportsOf(root)
	for i := range code.Functions {
		f := &code.Functions[i]
		if f.Err != nil {
			addValue(list, int64(f.Export), "code", f.Err.Error()).Note = "Opaque"
			continue
		}
		text := code.Text(f)
		if text == "" {
			continue
		}
		node := addValue(list, int64(f.Export), "code", nil)
		for line := range strings.Lines(text) {
			node.Add("", strings.TrimSuffix(line, "\n"))
		}
	}
}

// AddCode adds to the tree of a package of the build the text of its functions.
func (b *Build) AddCode(ctx context.Context, root *codecs.Node, path string) error {
	code, err := b.Code(ctx, path)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		root.Add("code", "not read").Note = err.Error()
		return nil
	}
	AddCode(root, code)
	return nil
}

// Texts returns the texts of the functions of a package, by their paths: none of what is
// not at hand, or no package.
func (b *Build) Texts(ctx context.Context, path string) (map[string]string, error) {
	code, err := b.Code(ctx, path)
	if isAbsent(err) {
		return map[string]string{}, nil
	}
	if err != nil {
		return nil, err
	}
	return code.Texts(), nil
}

// section is bytes of a package from an offset on.
type section struct {
	data []byte
	base int64
}

func (s section) at(offset, size int64) ([]byte, error) {
	from := offset - s.base
	if from < 0 || size < 0 || from > int64(len(s.data)) || size > int64(len(s.data))-from {
		return nil, codecs.Errorf(codecs.ErrTruncated, "%d bytes at %d of %d", size, from, len(s.data))
	}
	return s.data[from : from+size], nil
}

// Media returns a package of the build such that its textures and sounds can be read. The
// errors are those of [Build.Code].
func (b *Build) Media(ctx context.Context, path string) (*media.Package, error) {
	f, err := b.open(ctx, path)
	if err != nil {
		return nil, err
	}
	m := &media.Package{PackageFacts: f.PackageFacts, Bytes: f.bytes}
	if f.Zen != nil { // the objects of the program may not be known
		m.PackageFacts = zen.Resolve(f.PackageFacts, media.ScriptObjects())
	}
	_, _, part := asset.Split(path)
	m.Open = func(beside media.File) (io.ReaderAt, int64, error) {
		if beside == media.Whole {
			whole := f.whole()
			return bytes.NewReader(whole), int64(len(whole)), nil
		}
		if part != asset.Header {
			return nil, 0, media.ErrNoBytes
		}
		bulk, err := b.part(ctx, path, string(beside))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, 0, media.ErrNoBytes
		}
		return bytes.NewReader(bulk), int64(len(bulk)), err
	}
	return m, nil
}
