package zen

import (
	"fmt"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

const exportSize = 72

// layout is one of the forms that the header took. Which one a package has does
// not be in it; it is the one that fits.
type layout struct {
	name   string
	engine string
	ue4    bool
	deps   bool // 5.3 on: dependency bundles and names of imported packages, in place of a graph
	cells  bool // 5.6 on: cells of Verse
}

// layouts are the forms in the order that they are tried: from the one with
// most that can be checked.
func layouts() []layout {
	return []layout{
		{name: "zen 5.6", engine: "UE5 zen", deps: true, cells: true},
		{name: "zen 5.3", engine: "UE5 zen", deps: true},
		{name: "zen 5.0", engine: "UE5 zen"},
		{name: "zen 4.26", engine: "UE4 zen", ue4: true},
	}
}

// summary is the start of a package.
type summary struct {
	layout
	versioned                      bool
	headerSize                     int64
	name, source                   unreal.ObjectName
	flags                          uint32
	cooked                         uint32 // size of the header before
	zen                            uint32
	ue4Version, ue5Version         int32
	licensee                       int32
	custom                         []unreal.CustomVersion
	hashes, imports, exports       int64 // offsets of the tables
	cellImports, bundles           int64
	depHeaders, depEntries         int64
	packageNames                   int64
	names, namesEnd, nameHashesEnd int64 // UE4
	graph, graphEnd                int64
	fixed                          int64 // where the summary ends; UE5
}

// readSummary reads the fixed part of l and checks that the tables lie one
// after another, within limit bytes.
func readSummary(r *bin.Reader, l layout, limit int64) (*summary, error) {
	s := &summary{layout: l}
	if l.ue4 {
		s.read4(r)
	} else {
		s.read5(r)
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return s, s.check(r.Off(), limit)
}

func (s *summary) read4(r *bin.Reader) {
	s.name, s.source = mappedName(r), mappedName(r)
	s.flags, s.cooked = r.U32(), r.U32()
	s.names = int64(r.I32())
	s.namesEnd = s.names + int64(r.I32())
	hashes := int64(r.I32())
	s.nameHashesEnd = hashes + int64(r.I32())
	s.hashes = hashes
	s.imports, s.exports, s.bundles = int64(r.I32()), int64(r.I32()), int64(r.I32())
	s.graph = int64(r.I32())
	s.graphEnd = s.graph + int64(r.I32())
	r.Skip(4)
	s.headerSize, s.cellImports = s.graphEnd, s.bundles
}

func (s *summary) read5(r *bin.Reader) {
	versioned := r.U32()
	if versioned > 1 {
		r.Fail(errLayout)
	}
	s.versioned = versioned == 1
	s.headerSize = int64(r.U32())
	s.name = mappedName(r)
	s.flags, s.cooked = r.U32(), r.U32()
	s.hashes, s.imports, s.exports, s.bundles = int64(r.I32()), int64(r.I32()), int64(r.I32()), int64(r.I32())
	if s.deps {
		s.depHeaders, s.depEntries, s.packageNames = int64(r.I32()), int64(r.I32()), int64(r.I32())
	} else {
		s.graph = int64(r.I32())
	}
	if s.versioned {
		s.zen, s.ue4Version, s.ue5Version, s.licensee = r.U32(), r.I32(), r.I32(), r.I32()
		s.custom = make([]unreal.CustomVersion, r.Count(20))
		for i := range s.custom {
			s.custom[i] = unreal.CustomVersion{Key: unreal.ReadID(r), Version: r.I32()}
		}
	}
	s.cellImports = s.bundles
	if s.cells {
		s.cellImports = int64(r.I32())
		r.Skip(4)
	}
	s.fixed = r.Off()
}

var errLayout = fmt.Errorf("%w: of another layout", codecs.ErrCorrupt)

// check reports whether the offsets are those of this layout: in order, and with
// whole records between them.
func (s *summary) check(fixed, limit int64) error {
	order := []int64{fixed, s.hashes, s.imports, s.exports, s.cellImports, s.bundles}
	switch {
	case s.ue4:
		order = []int64{fixed, s.names, s.namesEnd, s.hashes, s.nameHashesEnd, s.imports, s.exports, s.bundles, s.graph, s.graphEnd}
	case s.deps:
		order = append(order, s.depHeaders, s.depEntries, s.packageNames, s.headerSize)
	default:
		order = append(order, s.graph, s.headerSize)
	}
	for i, off := range append(order[1:], limit) {
		if off < order[i] {
			return codecs.Errorf(codecs.ErrCorrupt, "offset 0x%x follows 0x%x", off, order[i])
		}
	}
	return s.checkTables()
}

func (s *summary) checkTables() error {
	hashes := s.imports - s.hashes
	if s.ue4 {
		hashes = s.nameHashesEnd - s.hashes - 8 // the first is that of the algorithm
		if hashes < 0 {
			return errLayout
		}
	}
	n := (s.cellImports - s.exports) / exportSize
	bundles := int64(0) // UE4 has a table of bundles after the entries
	if s.deps {
		bundles = s.depHeaders - s.bundles - 16*n
	}
	if hashes%8 != 0 || (s.exports-s.imports)%8 != 0 || (s.cellImports-s.exports)%exportSize != 0 || bundles < 0 {
		return errLayout
	}
	return nil
}
