package show

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
	"pakdb/diff"
	"pakdb/query"
	"pakdb/schema"
)

// Build is the files of a build as the game sees them, for one of them and for what it
// refers to. It is a [codecs.Files]. It is not safe for concurrent use.
type Build struct {
	ctx      context.Context // of Name
	db       *sql.DB
	graph    *Graph
	contents *query.Contents
	registry *codecs.Registry
}

// InBuild returns the files of the build with that label. The database and the contents
// stay open as long as they are used.
func InBuild(ctx context.Context, db *sql.DB, label string, contents *query.Contents, r *codecs.Registry) (*Build, error) {
	g, err := OpenGraph(ctx, db, label)
	if err != nil {
		return nil, err
	}
	return &Build{ctx, db, g, contents, r}, nil
}

// Facts returns what a file of the build says. The error is of class fs.ErrNotExist if
// the build has none of that path, and of class [query.ErrNoContent] if its bytes are
// not at hand.
func (b *Build) Facts(ctx context.Context, path string) (*codecs.Facts, error) {
	facts, _, err := b.read(ctx, path)
	return facts, err
}

// Meaning returns what a file of the build means, as a tree; of an Unreal package, for which
// isPackage is set, with the values of its exports. The errors are those of [Build.Facts]; what
// is wrong with the content is in the tree.
func (b *Build) Meaning(ctx context.Context, path string) (root *codecs.Node, isPackage bool, err error) {
	facts, err := b.Facts(ctx, path)
	if root, err = Explain(ctx, path, facts, b, err); err != nil {
		return nil, false, err
	}
	if _, isPackage = facts.Detail.(*unreal.PackageFacts); isPackage {
		err = b.AddValues(ctx, root, path)
	}
	return root, isPackage, err
}

// read returns the bytes of a file, too.
func (b *Build) read(ctx context.Context, path string) (*codecs.Facts, []byte, error) {
	f, content, err := b.content(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	e := &codecs.Entry{Name: path, Type: f.Type, Size: f.Size}
	if e.ID, err = b.id(ctx, f); err != nil {
		return nil, nil, err
	}
	facts, err := Inspect(ctx, b.registry, e, bytes.NewReader(content), b.scripts)
	return facts, content, err
}

// content returns the bytes of a file of the build.
func (b *Build) content(ctx context.Context, path string) (f *diff.File, content []byte, err error) {
	f, err = diff.Find(ctx, b.db, b.graph.Build(), path)
	if errors.Is(err, diff.ErrNoFile) {
		err = fmt.Errorf("%w: %w", err, fs.ErrNotExist)
	}
	if err != nil {
		return nil, nil, err
	}
	var digest [32]byte
	if n, err := hex.Decode(digest[:], []byte(f.Content)); err != nil || n != len(digest) {
		return nil, nil, fmt.Errorf("%s: %w: it was listed, and not read", path, query.ErrNoContent)
	}
	content, err = b.contents.Bytes(ctx, digest, largest)
	return f, content, err
}

// part returns the content of a file of the asset that a path is of, by its extension. The
// errors are those of content.
func (b *Build) part(ctx context.Context, path, ext string) ([]byte, error) {
	asked := schema.NewStatements(b.db)
	f, err := diff.FindPart(ctx, asked, b.graph.Build(), path, ext)
	if err = errors.Join(err, asked.Close()); errors.Is(err, diff.ErrNoFile) {
		return nil, fmt.Errorf("%w: %w", err, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	_, content, err := b.content(ctx, f.Path)
	return content, err
}

// id returns the id that an entry of that path and content has itself: some inspectors
// recognise contents by it.
func (b *Build) id(ctx context.Context, f *diff.File) (codecs.ID, error) {
	var bits uint8
	var high, low int64
	err := b.db.QueryRowContext(ctx, `SELECT coalesce(id_bits, 0), coalesce(id_hi, 0), coalesce(id_lo, 0)
		FROM x_entry WHERE path_id = ? AND content_id = ? LIMIT 1`, f.PathID, f.ContentID).Scan(&bits, &high, &low)
	if errors.Is(err, sql.ErrNoRows) { // what hides the path under another of its own
		return codecs.ID{}, nil
	}
	return codecs.ID{Hi: uint64(high), Lo: uint64(low), Bits: bits}, err
}

// scripts are the objects of the program that packages of containers refer to, as the
// catalog lists them; nil if there are none.
func (b *Build) scripts(ctx context.Context, kind *codecs.Dictionary) (any, error) {
	named := map[uint64]string{}
	err := schema.EachRow(ctx, b.db, "SELECT id_key, object FROM script_objects WHERE build = ?", []driver.Value{b.graph.Build()}, func(row []driver.Value) {
		id, _ := row[0].(int64)
		named[uint64(id)], _ = row[1].(string)
	})
	if err != nil {
		return nil, err
	}
	if len(named) == 0 {
		return b.mappedScripts(ctx)
	}
	return kind.Named(maps.All(named)), nil
}

// mappedScripts are those that mappings name which the catalog keeps, nil if there are
// none.
func (b *Build) mappedScripts(ctx context.Context) (any, error) {
	if b.registry.Values == nil {
		return nil, nil
	}
	all, err := schema.LatestMappings(ctx, b.db)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	m, err := b.registry.Values.Mappings(all[0].Name, all[0].Data)
	if err != nil || m.Names == nil {
		return nil, err
	}
	return m.Names(), nil
}

// Name returns the path of the file that an id means, if there is one alone.
func (b *Build) Name(_ codecs.Space, id codecs.ID) string {
	nodes, err := b.graph.Resolve(b.ctx, id.String())
	if err != nil || len(nodes) != 1 {
		return ""
	}
	return nodes[0].Path
}

var _ codecs.Files = (*Build)(nil)
