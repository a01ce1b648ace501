package show

import (
	"bytes"
	"context"
	"database/sql/driver"
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
	"pakdb/schema"
)

// packageFile is a package of the build with the bytes of its exports.
type packageFile struct {
	*rows.Package
	whole func() []byte // the file, and the one with its exports after it
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
		return nil, errUnknown
	}
	f := &packageFile{&rows.Package{PackageFacts: p, Path: path}, func() []byte { return content }}
	exports, base := content, int64(0) // exports begin at base of the package
	if facts.Decoded != nil {
		exports = make([]byte, facts.DecodedSize)
		if _, err := io.ReadFull(io.NewSectionReader(facts.Decoded, 0, facts.DecodedSize), exports); err != nil {
			return nil, err
		}
	}
	if _, _, part := asset.Split(path); part == asset.Header && facts.Body != nil {
		_, body, err := b.content(ctx, path, ".uexp")
		if err == nil {
			exports, base = body, facts.Base
			f.whole = func() []byte { return slices.Concat(content, body) }
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	f.Bytes = func(export int) ([]byte, error) {
		x := &p.Exports[export]
		from := x.Offset - base
		if from < 0 || x.Size < 0 || from > int64(len(exports)) || x.Size > int64(len(exports))-from {
			return nil, codecs.Errorf(codecs.ErrTruncated, "%d bytes at %d of %d", x.Size, from, len(exports))
		}
		return exports[from : from+x.Size], nil
	}
	return f, nil
}

// Package returns a package of the build. The errors are those of [Build.Facts]; one of class
// [codecs.ErrUnknown] means that the file is no package.
func (b *Build) Package(ctx context.Context, path string) (*rows.Package, error) {
	f, err := b.open(ctx, path)
	if err != nil {
		return nil, err
	}
	return f.Package, nil
}

// AddCode adds to the tree of a package, or of the error in its place, the text of its functions,
// a node for each line, or why a function was not understood.
func AddCode(root *codecs.Node, p *rows.Package, err error) {
	var code *rows.Script
	if err == nil {
		code, err = rows.ReadScript(p.PackageFacts, p.Bytes)
	}
	if err != nil {
		root.Add("code", "not read").Note = err.Error()
		return
	}
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

// texts returns the texts of the functions of a package, by their paths: none of what is
// not at hand, or no package.
func (b *Build) texts(ctx context.Context, path string) (map[string]string, error) {
	p, err := b.open(ctx, path)
	var code *rows.Script
	if err == nil {
		code, err = rows.ReadScript(p.PackageFacts, p.Bytes)
	}
	if isAbsent(err) {
		return map[string]string{}, nil
	}
	if err != nil {
		return nil, err
	}
	return code.Texts(), nil
}

// Media returns the package that a file of the build is part of, such that its textures and
// sounds can be read. The errors are those of [Build.Package].
func (b *Build) Media(ctx context.Context, path string) (*media.Package, error) {
	stem, _, part := asset.Split(path)
	headers := []string{path}
	if part == asset.Body || part == asset.Bulk {
		headers = asset.Headers(stem)
	}
	var f *packageFile
	var err error
	for _, path = range headers {
		if f, err = b.open(ctx, path); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	m := &media.Package{PackageFacts: f.PackageFacts, Bytes: f.Bytes}
	if f.Zen != nil { // the objects of the program may not be known
		m.PackageFacts = zen.Resolve(f.PackageFacts, media.ScriptObjects())
	}
	_, _, part = asset.Split(path)
	m.Open = func(beside media.File) (io.ReaderAt, int64, error) {
		if beside == media.Whole {
			whole := f.whole()
			return bytes.NewReader(whole), int64(len(whole)), nil
		}
		if part != asset.Header {
			return nil, 0, media.ErrNoBytes
		}
		_, bulk, err := b.content(ctx, path, string(beside))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, 0, media.ErrNoBytes
		}
		return bytes.NewReader(bulk), int64(len(bulk)), err
	}
	return m, nil
}

// AddValues adds to the tree of a package what its exports say, as rows give it: the
// number of the export from 1, its path, its class, the field, its type and the value.
// Rows without a field say why an export was not understood.
func AddValues(root *codecs.Node, rows func(write func(...driver.Value) error) error) error {
	list := exportsOf(root)
	return rows(func(row ...driver.Value) error {
		number, _ := row[0].(int64)
		field, _ := row[3].(string)
		kind, _ := row[4].(string)
		addValue(list, number-1, field, row[5]).Note = kind
		return nil
	})
}

// addValues adds to the tree of a package of the build what its exports use: what they
// say themselves, and what they inherit, each with the file that it comes from.
func (b *Build) addValues(ctx context.Context, root *codecs.Node, path string) error {
	list := exportsOf(root)
	read, err := b.opaque(ctx, path, func(export int64, why string) { addValue(list, export, "", why).Note = "Opaque" })
	if err != nil {
		return err
	}
	if !read {
		root.Add("values", "not read").Note = "the build was indexed without them"
	}
	return schema.EachRow(ctx, b.db, `SELECT export_ordinal, field, type, CASE WHEN text IS NOT NULL AND (number IS NULL OR typeof(value) <> 'text') THEN text ELSE value END,
			depth > 0, coalesce(origin_path, '') || ' ' || origin_export
		FROM properties_effective WHERE build = ?1 AND path = ?2 ORDER BY export_ordinal, depth, position`, []driver.Value{b.graph.label, path}, func(row []driver.Value) {
		ordinal, _ := row[0].(int64)
		field, _ := row[1].(string)
		n := addValue(list, ordinal, field, row[3])
		n.Note, _ = row[2].(string)
		if row[4] == int64(1) {
			n.Inherited, _ = row[5].(string)
		}
	})
}

// opaque calls each for the exports of a package that were not understood, by their numbers from
// 0, with the reason; read is false if the values of the package were not read.
func (b *Build) opaque(ctx context.Context, path string, each func(export int64, why string)) (read bool, err error) {
	err = schema.EachRow(ctx, b.db, `SELECT x.ordinal, w.name FROM property_coverage c
		LEFT JOIN x_value_export x ON x.set_id = c.set_id AND x.status = 2 LEFT JOIN x_name w ON w.name_id = x.why_id
		WHERE c.build = ?1 AND c.path = ?2 ORDER BY x.ordinal`, []driver.Value{b.graph.label, path}, func(row []driver.Value) {
		read = true
		if ordinal, ok := row[0].(int64); ok {
			why, _ := row[1].(string)
			each(ordinal, why)
		}
	})
	return read, err
}

func exportsOf(root *codecs.Node) []*codecs.Node {
	for _, n := range root.Children {
		if n.Name == "exports" {
			return n.Children
		}
	}
	return nil
}

// addValue adds a value to an export of the list.
func addValue(list []*codecs.Node, ordinal int64, field string, value any) *codecs.Node {
	if ordinal < 0 || ordinal >= int64(len(list)) {
		return &codecs.Node{} // the catalog is of another edition of the package
	}
	if field == "" {
		field = "opaque"
	}
	return list[ordinal].Add(field, value)
}
