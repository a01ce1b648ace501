package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/codecs/unreal"
	"pakdb/codecs/unreal/rows"
	"pakdb/internal/asset"
	"pakdb/internal/regular"
	"pakdb/query/show"
	"pakdb/schema"
)

// packages reads packages with what their values take: the classes of the program, which
// mappings have, and those that other packages of the same archives declare. It is safe
// for concurrent use.
type packages struct {
	a        *cli.App
	mappings string // their name, for messages
	lib      *rows.Library
	scripts  func(folder string) *unreal.ScriptObjectFacts

	archives iter.Seq[*operand.Archive]
	files    []*packageFiles // of all archives; nil until one is looked for
}

// newPackages returns what reads packages of archives. Unless mappings are given, those
// are taken that the catalog keeps, if build is one of it.
func newPackages(ctx context.Context, a *cli.App, build string, archives iter.Seq[*operand.Archive]) (*packages, error) {
	p := &packages{a: a, mappings: strings.Join(a.Mappings, ", "), archives: archives}
	var err error
	if p.lib, err = rows.NewLibrary(a.Engine, p.declaring); err != nil {
		return nil, fmt.Errorf("%w: %w", cli.ErrUsage, err)
	}
	if err := p.load(ctx, a.Mappings, build); err != nil {
		return nil, err
	}
	var mu sync.Mutex
	known := map[string]*unreal.ScriptObjectFacts{}
	p.scripts = func(folder string) *unreal.ScriptObjectFacts {
		mu.Lock()
		defer mu.Unlock()
		if _, ok := known[folder]; !ok {
			known[folder] = scriptObjects(ctx, a, folder)
		}
		return known[folder]
	}
	return p, nil
}

// load reads mappings: files, or else those that the catalog keeps.
func (p *packages) load(ctx context.Context, files []string, build string) error {
	for _, file := range files {
		m, err := rows.OpenMappings(file)
		if errors.Is(err, os.ErrNotExist) {
			err = cli.WithHint(err, operand.NearestFile(file))
		}
		if err != nil {
			return err
		}
		for _, problem := range m.Problems {
			p.a.Warn(file + ": " + problem.Error())
		}
		p.lib.Add(m)
	}
	if len(files) > 0 || build == "" {
		return nil
	}
	db, err := p.a.OpenCatalog(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	all, err := schema.LatestMappings(ctx, db)
	if err != nil {
		return err
	}
	for _, kept := range all {
		m, err := rows.ParseMappings(kept.Data)
		if err != nil {
			return fmt.Errorf("mappings %s of the catalog: %w", kept.Name, err)
		}
		p.mappings = cmp.Or(p.mappings, kept.Name)
		p.lib.Add(m)
	}
	return nil
}

// dictionary is what names the objects of the program in packages of containers in a
// folder.
func (p *packages) dictionary(folder string) show.Dictionary {
	return func(context.Context, *codecs.Dictionary) (any, error) {
		if known := p.scripts(folder); known != nil {
			return known, nil
		}
		if named := p.lib.Named(); named != nil {
			return named, nil
		}
		return nil, nil
	}
}

// openedPackage is a package whose exports can be read.
type openedPackage struct {
	*rows.Package
	problems []*codecs.FormatError
}

// open decodes the package that an entry is, and reads its tables. The caller closes the
// content.
func (p *packages) open(ctx context.Context, files *packageFiles, e *codecs.Entry) (*operand.Content, *openedPackage, error) {
	content, err := files.spool(ctx, e)
	if err != nil {
		return nil, nil, err
	}
	o, err := p.read(ctx, content)
	if err != nil {
		content.Close()
		return nil, nil, cli.OfFile(err, files.ar.Path, cli.Label(e))
	}
	return content, o, nil
}

// read reads the tables of a package.
func (p *packages) read(ctx context.Context, c *operand.Content) (*openedPackage, error) {
	src := &rows.Source{Content: c, Size: c.Size, Chunk: c.Chunk, Path: c.Path,
		Scripts: func() *unreal.ScriptObjectFacts { return p.scripts(c.Folder) }}
	if c.Exports != nil {
		src.Exports, src.ExportsSize = c.Exports, c.Exports.Size
	}
	o, problems, err := p.lib.Open(ctx, src)
	if err != nil {
		return nil, err
	}
	return &openedPackage{o, problems}, nil
}

// missing is the error of objects whose classes nothing describes.
func (p *packages) missing(c *rows.Coverage) error {
	if len(c.Missing) == 0 {
		return nil
	}
	total, most := int64(0), ""
	for _, name := range slices.Sorted(maps.Keys(c.Missing)) {
		total += c.Missing[name]
		if most == "" || c.Missing[name] > c.Missing[most] {
			most = name
		}
	}
	err := fmt.Errorf("%w: %d of %d objects are opaque", &rows.NoSchemaError{Name: most}, total, c.Exports)
	switch {
	case strings.HasPrefix(most, "<script"):
		return cli.WithHint(err, "global.utoc of the game has the names of its classes: it belongs beside the archive")
	case p.mappings == "":
		return cli.WithHint(err, "--mappings names the mappings (.usmap) of the game")
	}
	return cli.WithHint(err, "are "+p.mappings+" those of this build of the game?")
}

// declaring opens the package of that long name, in lower case; nil if no archive has it.
func (p *packages) declaring(name string) (o *rows.Package, end func()) {
	if p.files == nil && p.archives != nil {
		for ar := range p.archives {
			p.files = append(p.files, filesOfPackages(ar))
		}
	}
	ctx := context.Background() // one package; its waiters look at their own
	for _, files := range p.files {
		e := files.headers[name]
		if e == nil {
			continue
		}
		c, err := files.spool(ctx, e)
		if err != nil {
			continue
		}
		o, err := p.read(ctx, c)
		if err != nil {
			c.Close()
			break
		}
		return o.Package, c.Close
	}
	return nil, nil
}

// packageFiles are the files of the packages in one archive.
type packageFiles struct {
	ar      *operand.Archive
	headers map[string]*codecs.Entry // tables, by the names of packages in lower case
	bodies  map[string]*codecs.Entry // .uexp, by their paths without it in lower case
	bulks   map[string]*codecs.Entry // .ubulk and its kin, by their paths or by [bulkKey]; .tfc, by their names
	old     map[string]*codecs.Entry // packages of UE1 to UE3, by their names in lower case
}

func filesOfPackages(ar *operand.Archive) *packageFiles {
	f := &packageFiles{ar: ar, headers: map[string]*codecs.Entry{}, bodies: map[string]*codecs.Entry{}, bulks: map[string]*codecs.Entry{}, old: map[string]*codecs.Entry{}}
	mount := ar.Info().MountPoint
	for e, err := range ar.Entries() {
		if err != nil || e.Flags&codecs.Deleted != 0 {
			continue
		}
		switch stem, _, part := asset.Split(e.Name); part {
		case asset.Header:
			if name := unreal.LongName(mount + e.Name); name != "" {
				f.headers[strings.ToLower(name)] = e
			}
		case asset.Body:
			f.bodies[strings.ToLower(stem)] = e
		case asset.Bulk:
			f.bulks[strings.ToLower(e.Name)] = e
		case asset.None:
			if base := strings.ToLower(path.Base(e.Name)); path.Ext(base) == ".tfc" {
				f.bulks[base] = e
			} else if unreal.HasPackageExt(base) {
				f.old[strings.TrimSuffix(base, path.Ext(base))] = e
			}
		}
		if key := bulkKey(e); key != "" {
			f.bulks[key] = e
		}
	}
	return f
}

// formName returns what the file with a package in another form is called.
func formName(name, form string) string { return strings.TrimSuffix(name, path.Ext(name)) + "." + form }

// spool decodes a package, and the entry beside it that has its exports.
func (f *packageFiles) spool(ctx context.Context, e *codecs.Entry) (*operand.Content, error) {
	c, err := operand.SpoolEntry(ctx, f.ar, e)
	if err != nil || c.Chunk {
		return c, err
	}
	stem, _, part := asset.Split(e.Name)
	body := f.bodies[strings.ToLower(stem)]
	if part != asset.Header || body == nil {
		return c, nil // the package says whether it needs one
	}
	if c.Exports, err = operand.SpoolEntry(ctx, f.ar, body); err != nil {
		c.Close()
		return nil, err
	}
	own, beside := c.Close, c.Exports.Close
	c.Close = func() { own(); beside() }
	return c, nil
}

// addExports opens the file beside a package that has its exports, if there is one.
func addExports(c *operand.Content, file string) error {
	if _, _, part := asset.Split(file); part != asset.Header {
		return nil
	}
	f, err := regular.Open(asset.Beside(file, ".uexp"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	st, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	c.Exports = &operand.Content{ReaderAt: f, Size: st.Size(), Path: filepath.ToSlash(f.Name()), Close: func() { _ = f.Close() }}
	own := c.Close
	c.Close = func() { own(); _ = f.Close() }
	return nil
}

// openLoosePackage returns nil for a file that is an archive.
func openLoosePackage(a *cli.App, path string) (*operand.Content, error) {
	f, err := operand.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	src, err := codecs.FileSource(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	format, err := a.Registry().Detect(src)
	if err != nil || !operand.IsLoose(format) {
		return nil, errors.Join(err, f.Close())
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &operand.Content{ReaderAt: f, Size: src.Size, Path: filepath.ToSlash(abs), Folder: filepath.Dir(abs),
		Close: func() { _ = f.Close() }}, nil
}
