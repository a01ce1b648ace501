package zen

import (
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"io"
	"iter"
	"math/bits"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

//go:embed FORMAT.md
var spec string

const formatName = "zen-package"

// The spaces of references and symbols. A package is known by its long name
// and by the hash of that, an object of the program by the hash of its path.
const (
	packageSpace      codecs.Space = "package"
	packageIDSpace    codecs.Space = "package-id"
	scriptObjectSpace codecs.Space = "script-object"
)

// The types of chunk that are inspected, as iostore names them.
const (
	typePackage   = "ExportBundleData"
	typeScripts   = "ScriptObjects"
	typeContainer = "ContainerHeader"
)

// maxHeader bounds the bytes of a header, or of a whole chunk of the other
// types, held in memory.
const maxHeader = 256 << 20

// Inspector returns the inspector for chunks of IoStore containers. Its facts
// are of Kind "zen-package" with a [*unreal.PackageFacts], "zen-script-objects"
// with a [*unreal.ScriptObjectFacts], or "zen-container-header" with a
// [*unreal.ContainerFacts].
//
// A package refers to what it imports by "zen_import", and to the classes,
// supers, archetypes and outers of its exports by the kinds that other packages
// have: in the space "package" by name, in "package-id" where only the id is
// stored, and in "script-object" where an object of the program is known by its
// id, until a ScriptObjects chunk gives its package.
func Inspector() *codecs.Inspector {
	return &codecs.Inspector{
		Name:     formatName,
		Doc:      "packages of IoStore containers, and what resolves their hashes",
		Spec:     spec,
		Revision: 3,
		Match:    match,

		SymbolsAt: symbolsAt,
		Compares:  func(e *codecs.Entry, _ []byte) bool { return e.Type != typeScripts && e.Type != typeContainer }, // digests
		Table:     func(e *codecs.Entry) bool { return e.Type == typeContainer },
		Inspect:   inspect,
		Dictionary: &codecs.Dictionary{
			File:    func(name string) bool { return strings.HasPrefix(strings.ToLower(name), "global.") },
			Holds:   func(e *codecs.Entry) bool { return e.Type == typeScripts && e.ID.Bits == codecs.ChunkBits },
			Table:   unreal.ScriptObjectTable,
			Space:   scriptObjectSpace,
			Named:   func(names iter.Seq2[uint64, string]) any { return unreal.ScriptObjectsNamed(names) },
			Resolve: resolve,
		},
	}
}

func match(e *codecs.Entry, _ []byte) bool {
	switch e.Type {
	case typePackage, typeScripts, typeContainer:
		return e.ID.Bits == codecs.ChunkBits
	}
	return false
}

// symbolsAt names a package by its path, where the name that follows has the
// hash that the chunk's id starts with. The catalog knows packages by that id
// whatever they are named.
func symbolsAt(e *codecs.Entry, path string, _ []byte) []codecs.Symbol {
	if e.Type != typePackage || e.ID.Bits != codecs.ChunkBits || e.Flags&codecs.Unnamed != 0 {
		return nil
	}
	if name := PackageName(path, packageOf(e.ID)); name != "" {
		return []codecs.Symbol{{Space: packageSpace, Name: name}}
	}
	return nil
}

// resolve puts the names of objects of the program into the facts of a package.
func resolve(f *codecs.Facts, dictionary any) *codecs.Facts {
	p, ok := f.Detail.(*unreal.PackageFacts)
	scripts, known := dictionary.(*unreal.ScriptObjectFacts)
	if !ok || !known || p.Zen == nil {
		return f
	}
	out := *f
	resolved := Resolve(p, scripts)
	out.Detail, out.Refs = resolved, References(resolved)
	return &out
}

// packageOf takes the package's id out of a chunk's: its first eight bytes,
// little-endian, which the entry's id holds as a big-endian number.
func packageOf(id codecs.ID) uint64 { return bits.ReverseBytes64(id.Hi<<32 | id.Lo>>32) }

// PackageName returns the long name of the package with that id, when it
// follows from the path of a file: "/Game/A/B" from
// "Project/Content/A/B.uasset", "/Plugin/A" from ".../Plugin/Content/A.uasset".
// The id is the hash of the name, so that a guess is either right or noticed.
// "" means that no guess was.
func PackageName(filePath string, id uint64) string {
	i := strings.LastIndexByte(filePath, '.')
	if i < 0 {
		return ""
	}
	path := "/" + strings.TrimLeft(filePath[:i], "./")
	rest := path
	guesses := []string{"/Game" + path, path}
	for {
		owner, inner, ok := strings.Cut(rest, "/Content/")
		if !ok {
			break
		}
		guesses = append(guesses, "/Game/"+inner, owner[strings.LastIndexByte(owner, '/')+1:]+"/"+inner)
		rest = "/" + inner
	}
	for _, name := range guesses {
		if name = "/" + strings.TrimPrefix(name, "/"); unreal.NameHash(name) == id {
			return name
		}
	}
	return ""
}

func inspect(ctx context.Context, content io.ReaderAt, size int64, e *codecs.Entry) (*codecs.Facts, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch e.Type {
	case typeScripts:
		return inspectScripts(content, size)
	case typeContainer:
		return inspectContainer(content, size)
	}
	f, err := Read(content, size)
	if err != nil {
		return nil, err
	}
	digest, err := f.digest(ctx, content, size)
	if err != nil {
		return nil, err
	}
	return &codecs.Facts{
		Digest:   digest,
		Kind:     "zen-package",
		Symbols:  symbols(&f.PackageFacts),
		Refs:     References(&f.PackageFacts),
		Problems: f.Problems,
		Detail:   &f.PackageFacts,
	}, nil
}

// digest finds no noise: such packages have no GUID, and no tags by which one
// could be recognised in a property.
func (p *Package) digest(ctx context.Context, content io.ReaderAt, size int64) (*codecs.PartDigest, error) {
	if len(p.Exports) != p.ExportCount {
		return nil, nil
	}
	return p.Digest(ctx, content, 0, size, nil, nil)
}

func symbols(f *unreal.PackageFacts) []codecs.Symbol {
	if f.Name == "" {
		return nil
	}
	return []codecs.Symbol{{Space: packageSpace, Name: f.Name}}
}

// failure is the error of a content that nothing is known of.
func failure(field string, off int64, err error) error {
	var fe *codecs.FormatError
	if errors.As(err, &fe) {
		return fe
	}
	err, off = codecs.Classify(err, off)
	return &codecs.FormatError{Format: formatName, Field: field, Off: off, Err: err}
}

func newReader(b []byte, base int64) *bin.Reader { return bin.NewReader(b, base, binary.LittleEndian) }
