// Package show finds contents and what they refer to in builds of a catalog, and compares
// the insides of contents of two builds. It also walks the references between the entries
// of a build: what an entry needs, and what needs it. The view "dependencies" shows the same
// graph; here a step costs what its edges cost, whatever the size of the build.
//
// Reading order:
//
//   - show.go: what a content says; contents of a build, and of all builds
//   - code.go: what packages add to the tree of their meaning
//   - graph_functions.go: SQL functions
//   - graph.go, graph_*.go: references
//   - comparer.go: insides of files of two builds compared
package show

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"strings"
	"sync"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
	"pakdb/diff"
	"pakdb/internal/asset"
	"pakdb/query"
	"pakdb/schema"
)

// Dictionary returns the meaning of ids in contents, as Resolve of the
// kind takes it; nil if there is nothing.
type Dictionary func(ctx context.Context, kind *codecs.Dictionary) (any, error)

// Inspect returns what the content of e says, with what its family of formats finds in
// the dictionary. An error of class [codecs.ErrUnknown] means that no inspector takes
// it.
func Inspect(ctx context.Context, r *codecs.Registry, e *codecs.Entry, content io.ReaderAt, names Dictionary) (*codecs.Facts, error) {
	head := make([]byte, min(e.Size, codecs.HeadSize))
	if n, err := content.ReadAt(head, 0); n < len(head) {
		return nil, err
	}
	in := r.Inspector(e, head)
	if in == nil {
		return nil, errUnknown
	}
	facts, err := in.Inspect(ctx, content, e.Size, e)
	if err != nil || in.Dictionary == nil {
		return facts, err
	}
	known, err := names(ctx, in.Dictionary)
	if err != nil || known == nil {
		return facts, err
	}
	return in.Dictionary.Resolve(facts, known), nil
}

// errUnknown says that no inspector takes a content.
var errUnknown = query.Hinted(codecs.ErrUnknown, fmt.Errorf("%w: nothing here knows what it means", codecs.ErrUnknown),
	`"pakdb formats" lists the inspectors; "pakdb cat" writes the content`)

// Explain returns the tree of a content of that name, whose facts, or the error in their
// place, are given. files may be nil.
func Explain(ctx context.Context, name string, facts *codecs.Facts, files codecs.Files, err error) (*codecs.Node, error) {
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	root, err := codecs.Meaning(ctx, facts, files)
	if err != nil {
		return nil, err
	}
	root.Name = name
	return root, nil
}

// Largest bounds contents that are shown, which are held in memory.
const Largest = 1 << 30

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
		err = b.addValues(ctx, root, path)
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

// content returns the bytes of a file of the build, or where extensions are given of the file of
// its asset that has one of these.
func (b *Build) content(ctx context.Context, path string, exts ...string) (f *diff.File, content []byte, err error) {
	if len(exts) == 0 {
		f, err = diff.Find(ctx, b.db, b.graph.label, path)
	} else {
		asked := schema.NewStatements(b.db)
		f, err = diff.FindPart(ctx, asked, b.graph.label, path, exts...)
		err = errors.Join(err, asked.Close())
	}
	if errors.Is(err, diff.ErrNoFile) {
		err = fmt.Errorf("%w: %w", err, fs.ErrNotExist)
	}
	if err != nil {
		return nil, nil, err
	}
	var digest [32]byte
	if n, err := hex.Decode(digest[:], []byte(f.Content)); err != nil || n != len(digest) {
		return nil, nil, fmt.Errorf("%s: %w: it was listed, and not read", f.Path, query.ErrNoContent)
	}
	content, err = b.contents.Bytes(ctx, digest, Largest)
	return f, content, err
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
	err := schema.EachRow(ctx, b.db, "SELECT id_key, object FROM script_objects WHERE build = ?", []driver.Value{b.graph.label}, func(row []driver.Value) {
		id, _ := row[0].(int64)
		named[uint64(id)], _ = row[1].(string)
	})
	if err != nil {
		return nil, err
	}
	if len(named) > 0 {
		return kind.Named(maps.All(named)), nil
	}
	if b.registry.Values == nil {
		return nil, nil
	}
	all, err := schema.LatestMappings(ctx, b.db) // of the program, the names of its classes
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

// Functions returns the SQL functions that show contents of a catalog. They keep the package that
// was asked for last: statements ask for one function after the other.
func Functions(catalog *sql.DB, contents *query.Contents, r *codecs.Registry) []schema.Function {
	var mu sync.Mutex
	var build, path string
	var texts map[string]string
	return []schema.Function{query.NewFunction("function_text(build, path, function)",
		"code of a function of an Unreal package; NULL: not at hand", false, func(ctx context.Context, args []driver.Value) (driver.Value, error) {
			label, ok1 := args[0].(string)
			file, ok2 := args[1].(string)
			function, ok3 := args[2].(string)
			if !ok1 || !ok2 || !ok3 {
				return nil, nil
			}
			mu.Lock()
			defer mu.Unlock()
			if texts == nil || build != label || path != file {
				if contents == nil {
					return nil, errors.New("contents are not available here")
				}
				b, err := InBuild(ctx, catalog, label, contents, r)
				if err != nil {
					return nil, err
				}
				if texts, err = b.texts(ctx, file); err != nil {
					return nil, err
				}
				build, path = label, file
			}
			for name, text := range texts {
				if strings.EqualFold(name, function) { // as statements compare names
					return text, nil
				}
			}
			return nil, nil
		})}
}

// Of the objects in a package the one counts that is marked as its asset, then the largest that
// lies in no other. A class of its own says what it inherits from.
const classSQL = `SELECT x.content_id, coalesce(s.name, n.name),
		max((x.export_flags & 16) << 44 | (n.name <> 'MetaData') << 41 | (x.outer = 0) << 40 | min(x.size, 1 << 39))
	FROM json_each(?1) j
	CROSS JOIN x_package_export x ON x.content_id = j.value
	CROSS JOIN x_name n ON n.name_id = x.class_id
	LEFT JOIN x_name s ON s.name_id = x.super_id AND x.class = 0
	GROUP BY x.content_id`

// Placed is a file of a build, by the label of that.
type Placed struct {
	Build string
	*diff.File
}

// NewerSide returns the file of a change that the new build has, or the old one if it has none.
func NewerSide(old, new string, c *diff.Change) Placed {
	if c.New != nil {
		return Placed{new, c.New}
	}
	return Placed{old, c.Old}
}

// ClassesOf returns the class of the object that each file is for ("Texture2D"), "" of what is
// no package. A .uexp or .ubulk is of the class of its .uasset; so is a file that is known by
// its path alone.
func ClassesOf(ctx context.Context, db *sql.DB, files []Placed) ([]string, error) {
	contents := make([]int64, len(files))
	asked := schema.NewStatements(db)
	defer func() { _ = asked.Close() }()
	for i, f := range files {
		contents[i] = f.ContentID
		stem, ext, part := asset.Split(f.Path)
		if part == asset.None || part == asset.Header && f.ContentID != 0 {
			continue
		}
		headers := asset.Headers("")
		if part == asset.Header {
			headers = []string{ext}
		}
		header, err := diff.FindPart(ctx, asked, f.Build, stem+ext, headers...)
		if err == nil {
			contents[i] = header.ContentID
		} else if !errors.Is(err, diff.ErrNoFile) {
			return nil, err
		}
	}
	ids, err := json.Marshal(contents)
	if err != nil {
		return nil, err
	}
	found := map[int64]string{}
	err = schema.EachRow(ctx, db, classSQL, []driver.Value{string(ids)}, func(v []driver.Value) {
		id, _ := v[0].(int64)
		found[id], _ = v[1].(string)
	})
	classes := make([]string, len(files))
	for i, id := range contents {
		classes[i] = found[id]
	}
	return classes, err
}
