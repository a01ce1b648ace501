package zen

import (
	"io"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

// Package is what [Read] found.
type Package struct {
	unreal.PackageFacts
	Problems []*codecs.FormatError

	sum      *summary
	namesEnd int64 // where the names end
}

// Read reads the header of the Zen package in the first size bytes of r, and
// none of its data. Offsets of exports are those of their bytes in the chunk.
//
// Damage that leaves something to read is in Problems. An error means that no
// layout fits, or that r could not be read.
func Read(r io.ReaderAt, size int64) (*Package, error) {
	buf, err := header(r, size)
	if err != nil {
		return nil, failure("summary", 0, err)
	}
	var first error
	for _, l := range layouts() {
		p := &parser{buf: buf, size: size, p: &Package{}}
		if err = p.read(l); err == nil {
			return p.p, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, failure("summary", 0, codecs.Errorf(codecs.ErrCorrupt, "no known layout fits; as the newest: %v", first))
}

// header returns as much as the tables can take: what the second field says in
// UE5, or the end of the graph in UE4, whichever is more.
func header(r io.ReaderAt, size int64) ([]byte, error) {
	head := make([]byte, min(size, 64))
	if err := bin.Fill(r, head, 0); err != nil {
		return nil, err
	}
	h := newReader(head, 0)
	h.Skip(4)
	five := int64(h.U32())
	h.Seek(52)
	four := int64(h.U32()) + int64(h.U32())
	if h.Err() != nil {
		return nil, h.Err()
	}
	n := int64(0)
	for _, want := range []int64{five, four} {
		if want <= size {
			n = max(n, want)
		}
	}
	return bin.Section(r, 0, n, size, maxHeader)
}

// parser reads one package under one layout.
type parser struct {
	buf  []byte
	size int64
	sum  *summary
	p    *Package
	byID map[uint64]unreal.ObjectRef // imports by their entry in the import map
	home []int                       // by imported package: its own import
	text map[string]int32            // names that were added
}

func (p *parser) read(l layout) error {
	r := newReader(p.buf, 0)
	s, err := readSummary(r, l, int64(len(p.buf)))
	if err != nil {
		return err
	}
	p.sum, p.p.sum = s, s
	f := &p.p.PackageFacts
	if f.Names, err = p.names(r); err != nil {
		return err
	}
	p.describe()
	hashes, err := p.hashes()
	if err != nil {
		return err
	}
	f.Zen.ImportedHash = hashes
	if err := p.packages(); err != nil {
		return err
	}
	if err := p.exports(); err != nil {
		return err
	}
	if err := p.imports(); err != nil {
		return err
	}
	p.resolve()
	p.limit()
	return nil
}

func (p *parser) names(r *bin.Reader) ([]unreal.PackageName, error) {
	s := p.sum
	var texts []string
	var err error
	if s.ue4 {
		texts, err = readNameMap(p.buf[s.names:s.namesEnd], s.names, int((s.nameHashesEnd-s.hashes)/8)-1)
	} else {
		texts = unreal.NameBatch(r)
		p.p.namesEnd = r.Off()
		p.p.Bulk = readBulkMap(r, s.hashes)
		if err = r.Err(); err == nil && r.Off() > s.hashes {
			err = errLayout
		}
	}
	if err != nil {
		return nil, err
	}
	names := make([]unreal.PackageName, len(texts))
	for i, t := range texts {
		names[i].Text = t
	}
	if i := s.name.Index; i < 0 || int(i) >= len(names) {
		return nil, errLayout
	}
	return names, nil
}

// describe fills in what the summary says.
func (p *parser) describe() {
	f, s := &p.p.PackageFacts, p.sum
	f.Engine, f.Layout = s.engine, s.layout.name
	f.Version, f.Version5, f.Licensee = int(s.ue4Version), int(s.ue5Version), int(s.licensee)
	f.Unversioned, f.Custom = !s.versioned, s.custom
	f.Flags, f.HeaderSize = s.flags, s.headerSize
	f.Name = f.NameOf(s.name)
	f.NameCount = len(f.Names)
	f.ImportCount = int(s.exports-s.imports) / 8
	f.ExportCount = int(s.cellImports-s.exports) / exportSize
	f.Zen = &unreal.ZenFacts{Version: int(s.zen), PackageID: unreal.NameHash(f.Name), CookedHeader: int64(s.cooked)}
	if s.ue4 {
		f.Zen.SourceName = f.NameOf(s.source)
	}
}

func (p *parser) hashes() ([]uint64, error) {
	if p.sum.ue4 {
		return nil, nil
	}
	return u64s(p.buf[p.sum.hashes:p.sum.imports]), nil
}

func u64s(b []byte) []uint64 {
	r := newReader(b, 0)
	v := make([]uint64, len(b)/8)
	for i := range v {
		v[i] = r.U64()
	}
	return v
}

// problem records what contradicts the format.
func (p *parser) problem(class error, field string, off int64, format string, args ...any) {
	p.p.Problems = append(p.p.Problems, &codecs.FormatError{Format: formatName, Field: field, Off: off, Err: codecs.Errorf(class, format, args...)})
}

// limit refuses tables whose paths would outgrow the file.
func (p *parser) limit() {
	f := &p.p.PackageFacts
	if n, limit := f.PathBytes(), 64*p.size+1<<20; n > limit {
		p.problem(codecs.ErrLimit, "exports", p.sum.exports, "%d bytes of paths > %d", n, limit)
		f.Imports, f.Exports = nil, nil
	}
}
