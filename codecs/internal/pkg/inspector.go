package pkg

import (
	"context"
	_ "embed"
	"encoding/binary"
	"io"
	"path"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
)

//go:embed FORMAT.md
var spec string

// Inspector returns the inspector for packages of Unreal Engine 1 to 5. Its
// facts have Kind "unreal-package" and a [*unreal.PackageFacts]; references are
// of the kinds import, class, super, archetype, outer, depends, preload,
// soft_package and soft_object, each from package to package, in the space
// "package".
func Inspector() *codecs.Inspector {
	return &codecs.Inspector{
		Name:      formatName,
		Doc:       "packages of Unreal Engine 1 to 5 (.u .utx .upk .uasset ...)",
		Spec:      spec,
		Revision:  4,
		Match:     match,
		SymbolsAt: symbolsAt,
		Compares:  func(*codecs.Entry, []byte) bool { return true }, // digests without noise
		Inspect:   inspect,
	}
}

// symbolsAt names the package at a path: as the engine would load it. What is a
// package of UE1 to UE3 by its content goes by its file's name under whatever
// extension: games have their own. The packages of IoStore containers are known
// by their ids, which do not depend on paths.
func symbolsAt(e *codecs.Entry, filePath string, head []byte) []codecs.Symbol {
	if e.ID.Bits == codecs.ChunkBits {
		return nil
	}
	name := unreal.LongName(filePath)
	if o := open8(head); name == "" && o.order != nil && !o.modern() {
		name = strings.TrimSuffix(path.Base(filePath), path.Ext(filePath))
	}
	if name == "" {
		return nil
	}
	return []codecs.Symbol{{Space: packageSpace, Name: name}}
}

// match accepts the package tag under any name, and vendors' tags, which are
// too short to trust, under the names of packages only.
func match(e *codecs.Entry, head []byte) bool {
	if open8(head).order != nil {
		return true
	}
	if len(head) < 8 {
		return false
	}
	dword := binary.LittleEndian.Uint32(head)
	return (dword == tagLineage || vendors[dword] != "" || nearTag(dword)) && unreal.HasPackageExt(e.Name)
}

// nearTag reports the tag with one byte that differs, which is damage: the file was a
// package.
func nearTag(dword uint32) bool {
	for _, diff := range [...]uint32{dword ^ tag, dword ^ tagSwapped} {
		for shift := 0; shift < 32; shift += 8 {
			if diff != 0 && diff&^(0xFF<<shift) == 0 {
				return true
			}
		}
	}
	return false
}

func inspect(ctx context.Context, content io.ReaderAt, size int64, _ *codecs.Entry) (*codecs.Facts, error) {
	p, err := Read(ctx, content, size)
	if err != nil {
		return nil, err
	}
	f := p.PackageFacts // a copy: a pointer into p would keep what p reads from
	digest, err := p.digest(ctx)
	if err != nil {
		return nil, err
	}
	return &codecs.Facts{
		Digest:   digest,
		Body:     p.bodyDigest(&f),
		Kind:     "unreal-package",
		Symbols:  symbols(&f),
		Refs:     references(&f),
		Problems: p.Problems,
		Detail:   &f,
		Base:     f.HeaderSize,

		Decoded: p.space.r, DecodedSize: p.space.size,
	}, nil
}
