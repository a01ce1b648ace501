package rows

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"pakdb/codecs"
	"pakdb/codecs/internal/pkg"
	"pakdb/codecs/internal/property"
	"pakdb/codecs/unreal"
	"pakdb/codecs/unreal/zen"
	"pakdb/internal/bin"
)

// Library is what the values of packages are read by: an engine, the classes of the program,
// which mappings have, and those that other packages declare. It is safe for concurrent use
// once all mappings were added.
type Library struct {
	engine property.Engine
	named  *unreal.ScriptObjectFacts
	find   func(name string) (p *Package, end func())

	mu      sync.Mutex
	program []property.Schemas
	lib     *property.Library
	seen    map[string]bool // names of packages, in lower case
}

// NewLibrary returns a library without mappings. The engine, "5.4", is that of packages that do
// not say which made them; "" takes the one by which most of each is understood. find opens a
// package by its long name, in lower case, nil if it is not at hand; it may be nil itself.
func NewLibrary(engine string, find func(name string) (p *Package, end func())) (l *Library, err error) {
	l = &Library{find: find, lib: property.NewLibrary(), seen: map[string]bool{}}
	if engine != "" {
		l.engine, err = property.ParseEngine(engine)
	}
	return l, err
}

// ParseEngine returns the number of an engine: 504 for "5.4".
func ParseEngine(engine string) (int, error) {
	e, err := property.ParseEngine(engine)
	return int(e), err
}

// OpenMappings reads a file of mappings (.usmap).
func OpenMappings(name string) (*property.Mappings, error) { return property.OpenUsmap(name) }

// ParseMappings reads mappings.
func ParseMappings(data []byte) (*property.Mappings, error) { return property.ReadUsmap(data) }

// Add adds the classes of mappings, after those that were added before.
func (l *Library) Add(m *property.Mappings) {
	l.program = append(l.program, m.Library())
	l.lib = property.NewLibrary(l.program...)
	if l.named == nil {
		l.named = unreal.ScriptObjectsNamed(m.ScriptObjects())
	}
}

// Named returns the objects of the program by the mappings, nil without any.
func (l *Library) Named() *unreal.ScriptObjectFacts { return l.named }

// Options are those of a package of that long name.
func (l *Library) Options(name string) property.Options {
	return property.Options{Name: name, Engine: l.engine, Schemas: l}
}

// Struct implements [property.Schemas].
func (l *Library) Struct(path, name string) *property.Schema {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.declare(path)
	return l.lib.Struct(path, name)
}

// Enum implements [property.Schemas].
func (l *Library) Enum(path, name string) *property.EnumSchema {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.declare(path)
	return l.lib.Enum(path, name)
}

// declare adds what a package declares, once. What cannot be read is not known then.
func (l *Library) declare(name string) {
	key := strings.ToLower(name)
	if name == "" || l.find == nil || l.seen[key] || strings.HasPrefix(key, "/script/") {
		return
	}
	l.seen[key] = true
	if p, end := l.find(key); p != nil {
		p.Options.Schemas = l.lib
		p.Declares(l.lib, p.Options)
		end()
	}
}

// Source is a package as it is stored.
type Source struct {
	Content     io.ReaderAt
	Size        int64
	Exports     io.ReaderAt // the file beside it that has its exports; nil: none
	ExportsSize int64
	Chunk       bool   // of a container
	Path        string // in the game, as far as it is known
	// Scripts returns the objects of the program that packages of containers import; nil
	// names none.
	Scripts func() *unreal.ScriptObjectFacts
}

// Open reads the tables of a package of whatever kind: a chunk of a container says what it
// is; a file that has no tag may be such a chunk. The source stays open as long as the package
// is used.
func (l *Library) Open(ctx context.Context, s *Source) (*Package, []*codecs.FormatError, error) {
	out := &Package{Path: s.Path}
	var problems []*codecs.FormatError
	readZen := func() error {
		z, err := zen.Read(s.Content, s.Size)
		if err != nil {
			return err
		}
		out.PackageFacts, problems = &z.PackageFacts, z.Problems
		if s.Scripts != nil {
			resolve(out, s.Scripts())
		}
		resolve(out, l.named)
		out.Bytes = func(export int) ([]byte, error) {
			e := &out.Exports[export]
			return bin.Section(s.Content, e.Offset, e.Size, s.Size, maxOpened)
		}
		return nil
	}
	if s.Chunk {
		if err := readZen(); err != nil {
			return nil, nil, err
		}
	} else if p, err := pkg.Read(ctx, s.Content, s.Size); err == nil {
		out.PackageFacts, out.Bytes, problems = &p.PackageFacts, exportsOf(p, s), p.Problems
	} else if !errors.Is(err, codecs.ErrUnknown) || readZen() != nil {
		return nil, nil, err
	}
	out.Options = l.Options(cmp.Or(out.Name, unreal.LongName(s.Path)))
	return out, problems, nil
}

func resolve(p *Package, known *unreal.ScriptObjectFacts) {
	if known != nil {
		p.PackageFacts = zen.Resolve(p.PackageFacts, known)
	}
}

// maxOpened bounds the bytes of an export that are read at once.
const maxOpened = 1 << 30

// exportsOf returns what reads exports of a package.
func exportsOf(p *pkg.Package, s *Source) func(export int) ([]byte, error) {
	var body *io.SectionReader
	if s.Exports != nil {
		body = io.NewSectionReader(s.Exports, 0, s.ExportsSize)
	}
	return func(export int) ([]byte, error) {
		r, err := p.OpenExport(export, body)
		if err != nil {
			return nil, err
		}
		return bin.Section(r, 0, r.Size(), r.Size(), maxOpened)
	}
}

// ErrNoGlobal is the error of packages whose imports have no names.
var ErrNoGlobal = fmt.Errorf("%w: global.utoc, which names the objects of the program that it imports", codecs.ErrNotFound)

// ToLegacy returns the files of the package that a chunk of a container is, as editors read
// them. The engine of the library decides the layout that it does not say.
func (l *Library) ToLegacy(ctx context.Context, chunk []byte, o zen.LegacyOptions) (asset, uexp []byte, err error) {
	p, err := zen.Read(bytes.NewReader(chunk), int64(len(chunk)))
	if err != nil {
		return nil, nil, err
	}
	if o.Scripts == nil {
		return nil, nil, &codecs.FormatError{Format: "zen-package", Field: "imports", Off: -1, Err: ErrNoGlobal}
	}
	switch e := l.engine; {
	case e >= 508:
		o.Layout = pkg.Cooked58
	case e == 507:
		o.Layout = pkg.Cooked57
	case e == 506:
		o.Layout = pkg.Cooked56
	}
	d := property.NewDecoder(zen.Resolve(&p.PackageFacts, o.Scripts), l.Options(p.Name))
	o.ListEnd = func(i int) (int64, error) {
		e := &p.Exports[i]
		return d.ListEnd(i, chunk[e.Offset:e.Offset+e.Size])
	}
	return p.ToLegacy(ctx, chunk, o)
}

// NoSchemaError is the error of classes that nothing describes.
type NoSchemaError = property.NoSchemaError

// Coverage is how much of packages was understood.
type Coverage = property.Coverage
