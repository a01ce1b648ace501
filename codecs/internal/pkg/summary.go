package pkg

import (
	"strconv"

	"pakdb/codecs/unreal"
)

// Table is where a table of a package lies. End is where reading it stopped,
// 0 when it was not read.
type Table struct {
	Count       int
	Offset, End int64
}

// Summary is the head of a package: where its tables are. Offsets that a
// generation does not have are 0.
type Summary struct {
	End                    int64 // of the summary itself, in the decompressed package
	Names, Imports         Table
	Exports, Depends       Table
	Heritage               Table // UE1 below 68: identifiers, the last is the package's
	SoftPackages           Table
	SoftObjects, Preload   Table
	CellImports            Table // UE5 from 1015, as CellExports
	CellExports            Table
	LevelGUIDs, Thumbnails int64
	Gatherable, MetaData   int64
	SearchableNames        int64
	AssetRegistry          int64
	BulkData               int64 // end of the exports' data
	DataResources          int64
	Source                 uint32
	NamesReferenced        int      // UE5 from 1001: names that data of exports refers to; they come first
	UE5                    int      // the version that a UE5 package was read as, which unversioned ones lack
	Additional             []string // packages to cook with this one
	Chunks                 []Chunk  // compressed ranges

	compressionFlags uint32
	// The bytes of Chunks in the file, where they are not in the decompressed
	// package. The packer fixes all offsets while the table is empty, and
	// compresses then, so that the stored summary reaches beyond the start of the
	// first chunk. One that does not reach so far is stored as offsets mean it.
	chunkTable   unreal.Span
	hiddenChunks int64 // where the header has them instead, from the names on; 0 nowhere
	filtered     bool  // UE4, UE5: no editor data
}

// Chunk is a range of the decompressed package and where it is stored.
type Chunk struct {
	Offset, Size         int64 // decompressed
	StoredOffset, Stored int64
}

// cookedUE3 is the package flag by which a UE3 package is a cooked one.
const cookedUE3 = 8

// summary reads the summary of UE1 to UE3. head is positioned after the
// version.
func (p classic) summary(d *decoder) {
	f, s, l := p.facts, &p.sum, d.l
	v := l.version
	p.numbers = p.numbers[:0] // of an attempt with too few bytes
	d.Skip(8 + l.afterVersion)
	if v >= verHeaderSize {
		f.HeaderSize = p.i32(d, headerOffset)
	}
	d.Skip(l.afterHeaderSize)
	if v >= verFolder {
		f.Name = longName(d.fstring(maxText))
	}
	f.Flags = d.U32()
	if !l.cookedOnly || f.Flags&cookedUE3 != 0 {
		d.Skip(l.afterFlags)
	}
	s.Names = p.readPlace(d, nameCount, headerOffset)
	if l.countHoldsOffset && s.Names.Count > int(s.Names.Offset) {
		s.Names.Count -= int(s.Names.Offset)
	}
	s.Exports = p.readPlace(d, fixedCount, headerOffset)
	d.Skip(l.afterExportOffset)
	s.Imports = p.readPlace(d, fixedCount, headerOffset)
	if v < verUE3 {
		p.summary12(d)
	} else {
		p.summary3(d)
	}
	s.End = d.Off()
	if len(s.Chunks) > 0 && s.Chunks[0].Offset < s.End {
		s.End -= s.chunkTable.Size
	} else {
		s.chunkTable = unreal.Span{}
	}
}

// summary12 reads what follows the tables' places in UE1 and UE2.
func (p classic) summary12(d *decoder) {
	l := d.l
	if l.version < verGUID {
		p.sum.Heritage = p.readPlace(d, fixedCount, headerOffset)
		return
	}
	if l.splinterCell {
		d.Skip(4)
		d.skipArray(1)
	}
	d.Skip(l.beforeGUID)
	if !l.noGUID {
		p.facts.GUID = p.saveGUID(d)
	}
	p.generations(d, false)
	p.noteLastNames(d.Off() - 4)
}

// noteLastNames keeps where the last generation has the number of names.
func (p classic) noteLastNames(off int64) {
	if len(p.facts.Generations) > 0 {
		p.numbers = append(p.numbers, place{off: off, what: nameCount})
	}
}

func (p classic) summary3(d *decoder) {
	f, s, l := p.facts, &p.sum, d.l
	v := l.version
	if v >= verDepends {
		s.Depends = Table{Count: s.Exports.Count, Offset: p.i32(d, headerOffset)}
	}
	if v >= verLevelGUIDs && !l.noLevelGUIDs {
		s.LevelGUIDs = p.i32(d, headerOffset)
		d.Skip(8)
	}
	if v >= verThumbnails && !l.noThumbnails {
		s.Thumbnails = p.i32(d, headerOffset)
	}
	f.GUID = p.saveGUID(d)
	p.generations(d, v >= verNetObjects)
	if v >= verNetObjects {
		p.noteLastNames(d.Off() - 8)
	} else {
		p.noteLastNames(d.Off() - 4)
	}
	if v >= verEngineVersion {
		f.EngineVersion = strconv.Itoa(int(d.I32()))
	}
	if v >= verCookerVersion {
		f.CookerVersion = int(d.I32())
	}
	skipBioWare(d)
	if v >= verChunks {
		s.compressionFlags = d.U32()
		s.Chunks = readChunks(d)
		size := int64(len(s.Chunks) * l.chunkSize())
		s.chunkTable = unreal.Span{Offset: d.Off() - size, Size: size}
	}
	d.Skip(l.afterChunks)
	if v >= verPackageSource {
		s.Source = d.U32()
	}
	d.Skip(l.afterSource)
	if l.additional {
		s.Additional = readStrings(d)
	}
	if v >= verTextureAllocated && !l.noTextures {
		skipTextureAllocations(d)
	}
	if l.hiddenChunks {
		d.Skip(4) // bytes of garbage at the end of the header
		s.hiddenChunks = int64(d.I32())
		d.Skip(4) // bytes of the last AES block
	}
}

// generations reads the counts of earlier saves. Their count is an i32 in
// every generation of the engine.
func (p *parser) generations(d *decoder, netObjects bool) {
	size := 8
	if netObjects {
		size = 12
	}
	n := count(d, size)
	d.Skip(d.l.afterGenerationCount)
	p.facts.Generations = make([]unreal.PackageGeneration, n)
	for i := range p.facts.Generations {
		g := &p.facts.Generations[i]
		g.Exports, g.Names = d.I32(), d.I32()
		if netObjects {
			g.NetObjects = d.I32()
		}
	}
}

// count reads an i32 count of elements of at least size bytes. A count that
// the bytes at hand cannot hold fails as short, so that more are fetched.
func count(d *decoder, size int) int {
	n := int64(d.I32())
	if n < 0 || n > maxTable {
		return d.CheckCount(n, size)
	}
	if n*int64(size) > int64(d.Len()) {
		d.Skip(int(n) * size) // fails, with what is needed
		return 0
	}
	return int(n)
}

func readChunks(d *decoder) []Chunk {
	chunks := make([]Chunk, count(d, d.l.chunkSize()))
	for i := range chunks {
		c := &chunks[i]
		c.Offset, c.Size = d.chunkOffset(), int64(d.I32())
		c.StoredOffset, c.Stored = d.chunkOffset(), int64(d.I32())
		d.Skip(d.l.chunkTail)
	}
	return chunks
}

func (d *decoder) chunkOffset() int64 {
	if d.l.wideChunks {
		return d.I64()
	}
	return int64(d.I32())
}

func readStrings(d *decoder) []string {
	n := count(d, 4)
	var out []string
	for range n {
		if d.Err() != nil {
			return nil
		}
		out = append(out, d.fstring(maxText))
	}
	return out
}

// skipBioWare passes over what Mass Effect has after the cooker's version. One
// public reader skips one pair less; two pairs are right on files.
func skipBioWare(d *decoder) {
	lic := d.l.bioWare
	if lic >= 16 && lic <= 135 {
		d.Skip(4)
	}
	if lic >= 32 && lic <= 135 {
		d.Skip(4)
	}
	if lic >= 35 && lic <= 112 {
		for range count(d, 8) {
			d.fstring(maxText)
			readStrings(d)
			if d.Err() != nil {
				return
			}
		}
	}
	if lic >= 37 {
		d.Skip(8)
	}
	if lic >= 39 && lic <= 135 {
		d.Skip(8)
	}
}

func skipTextureAllocations(d *decoder) {
	for range count(d, 24) {
		d.Skip(20)
		d.skipArray(4)
		if d.Err() != nil {
			return
		}
	}
}

// longName returns a stored package name if it is one: "None" and the folders
// of UE3 are not.
func longName(s string) string {
	if len(s) > 1 && s[0] == '/' {
		return s
	}
	return ""
}
