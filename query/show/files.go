package show

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"sync"

	"pakdb/codecs"
	"pakdb/codecs/unreal/media"
	"pakdb/diff"
	"pakdb/diff/semantic"
	"pakdb/internal/asset"
	"pakdb/query"
	"pakdb/schema"
)

// Files are the files of builds of a catalog, as the game sees them. It is not safe for
// concurrent use.
type Files struct {
	db       *sql.DB
	contents *query.Contents
	registry *codecs.Registry
	open     map[string]*Build // by label
}

// NewFiles returns the files of all builds of a catalog. What is given stays the caller's.
func NewFiles(db *sql.DB, contents *query.Contents, r *codecs.Registry) *Files {
	return &Files{db: db, contents: contents, registry: r, open: map[string]*Build{}}
}

// Of returns the files of a build.
func (f *Files) Of(ctx context.Context, build string) (b *Build, err error) {
	if f.open[build] == nil {
		if f.open[build], err = InBuild(ctx, f.db, build, f.contents, f.registry); err != nil {
			return nil, err
		}
	}
	return f.open[build], nil
}

// Code returns the text of functions of a package, by their paths. Of contents that are not
// at hand, or damaged, there is none. It is a semantic.Code.
func (f *Files) Code(ctx context.Context, build, path string) (map[string]string, error) {
	b, err := f.Of(ctx, build)
	if err != nil {
		return nil, err
	}
	texts, err := b.Texts(ctx, path)
	if IsDamage(err) { // a problem of the content, which the catalog has
		return nil, nil
	}
	return texts, err
}

// Media returns the package that a file of a build is part of, such that its textures and
// sounds can be read.
func (f *Files) Media(ctx context.Context, build, path string) (p *media.Package, err error) {
	b, err := f.Of(ctx, build)
	if err != nil {
		return nil, err
	}
	headers := []string{path}
	if stem, _, part := asset.Split(path); part == asset.Body || part == asset.Bulk {
		headers = asset.Headers(stem)
	}
	for _, header := range headers {
		if p, err = b.Media(ctx, header); !errors.Is(err, fs.ErrNotExist) {
			return p, err
		}
	}
	return nil, err
}

// Blame returns the values of a file of a build, each with the build that gave it its present
// value, as [semantic.Blame] does.
func (f *Files) Blame(ctx context.Context, build, path string) ([]semantic.Origin, error) {
	return semantic.Blame(ctx, f.db, f.texts(), build, path)
}

// BlameOf returns what one value was since which builds, as [semantic.BlameOf] does.
func (f *Files) BlameOf(ctx context.Context, build, path, name string) ([]semantic.Origin, error) {
	return semantic.BlameOf(ctx, f.db, f.texts(), build, path, name)
}

// texts are the contents, a nil interface where there are none.
func (f *Files) texts() semantic.Contents {
	if f.contents == nil {
		return nil
	}
	return f.contents
}

// Functions returns the SQL functions that show contents of a catalog.
func Functions(catalog *schema.OnDemand, contents *query.Contents, r *codecs.Registry) []schema.Function {
	c := &codeFunctions{catalog: catalog, contents: contents, registry: r}
	return []schema.Function{query.NewFunction("function_text(build, path, function)",
		"code of a function of an Unreal package; NULL: not at hand", false, c.text)}
}

// codeFunctions share the package that was asked for last: statements
// ask for one function after the other.
type codeFunctions struct {
	catalog  *schema.OnDemand
	contents *query.Contents
	registry *codecs.Registry

	mu          sync.Mutex
	build, path string
	texts       map[string]string
}

func (c *codeFunctions) text(ctx context.Context, args []driver.Value) (driver.Value, error) {
	build, ok1 := args[0].(string)
	path, ok2 := args[1].(string)
	function, ok3 := args[2].(string)
	if !ok1 || !ok2 || !ok3 {
		return nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.texts == nil || c.build != build || c.path != path {
		texts, err := c.read(ctx, build, path)
		if err != nil {
			return nil, err
		}
		c.build, c.path, c.texts = build, path, texts
	}
	for name, text := range c.texts {
		if strings.EqualFold(name, function) { // as statements compare names
			return text, nil
		}
	}
	return nil, nil
}

// read returns the functions of a package, none of one that cannot be read.
func (c *codeFunctions) read(ctx context.Context, build, path string) (map[string]string, error) {
	if c.contents == nil {
		return nil, errors.New("contents are not available here")
	}
	db, err := c.catalog.Open(ctx)
	if err != nil {
		return nil, err
	}
	b, err := InBuild(ctx, db, build, c.contents, c.registry)
	if err != nil {
		return nil, err
	}
	return b.Texts(ctx, path)
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
