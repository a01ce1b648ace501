package pkg

// layout says how a UE1, UE2 or UE3 package of one version and licensee lays
// out its summary and tables. UE4 and UE5 use the primitive types only.
type layout struct {
	game     string // whose layout, "" for the standard one
	engine   string
	version  int // the version to read it as
	licensee int

	compact  bool     // INDEX is a compact index, not an i32
	names    textKind // of the name table
	wideText bool     // strings are UTF-16 whatever the sign of the length
	nameFlag int      // bytes of a name's flags: 0, 4 or 8
	number   bool     // a reference to a name has a number
	nameBits int      // it is packed: bits of the index, the rest is the number; 0 no
	outer16  bool

	// Bytes of unknown meaning that a licensee put into the summary.
	afterVersion, afterHeaderSize, afterFlags, afterExportOffset int
	beforeGUID, afterGenerationCount, afterChunks, afterSource   int
	cookedOnly                                                   bool // afterFlags is in cooked packages only
	splinterCell                                                 bool // i32 and a byte array before the GUID
	bioWare                                                      int  // licensee to count as after CookerVersion; 0 none
	chunkTail                                                    int  // bytes after each chunk
	noGUID, noLevelGUIDs, noThumbnails, countHoldsOffset         bool
	additional                                                   bool // packages to cook with this one are listed
	noTextures                                                   bool // no texture allocations
	hiddenChunks                                                 bool // the chunk table is in the header, see [parser.showChunks]
	wideChunks                                                   bool // offsets of chunks are i64

	// The export table.
	afterOuter, afterArchetype, exportTail int
	compactAfterOuter                      bool
	objectFlag                             int  // bytes of the object's flags: 4 or 8
	plainSize                              bool // size and offset are i32 and always there
	wideOffset                             bool // the offset is an i64
	noComponents, noPackageFlags           bool
}

// textKind is how the name table stores its texts.
type textKind uint8

const (
	fString textKind = iota
	cString          // NUL-terminated, below version 64
	u8Text           // u8 length without the NUL, bytes, NUL
	u8Bare           // u8 length, bytes
	u16Text          // u16 length without the NUL, bytes, NUL
)

// The versions that change the layout, named for what they bring.
const (
	verOuter            = 50
	verCountedNames     = 64
	verGUID             = 68
	verUE2              = 100
	verUE3              = 178 // INDEX becomes an i32
	verFlags64          = 195
	verArchetype        = 220
	verEngineVersion    = 245
	verExportFlags      = 247
	verHeaderSize       = 249
	verFolder           = 269
	verCookerVersion    = 277
	verNetObjects       = 322
	verChunks           = 334
	verNameNumber       = 343
	verDepends          = 415
	verExportPackage    = 475
	verPackageSource    = 482
	verAdditional       = 516
	verNoComponents     = 543
	verThumbnails       = 584
	verLevelGUIDs       = 623
	verTextureAllocated = 767
)

// standard returns the layout that Epic's own builds use.
func standard(version, licensee int) layout {
	l := layout{
		engine: "UE3", version: version, licensee: licensee,
		compact: version < verUE3, number: version >= verNameNumber,
		nameFlag: 4, objectFlag: 4, additional: version >= verAdditional,
	}
	switch {
	case version < verUE2:
		l.engine = "UE1"
	case version < verUE3:
		l.engine = "UE2"
	}
	if version < verCountedNames {
		l.names = cString
	}
	if version >= verFlags64 {
		l.nameFlag, l.objectFlag = 8, 8
	}
	return l
}

// minName, minImport and minExport are the fewest bytes an entry takes, which
// bounds the counts of the summary.
func (l *layout) minName() int64 {
	if l.names == fString && !l.compact {
		return int64(4 + l.nameFlag)
	}
	return int64(1 + l.nameFlag)
}

func (l *layout) minImport() int64 {
	if l.compact {
		return 5
	}
	return 14
}

func (l *layout) minExport() int64 {
	if l.compact {
		return 8
	}
	return 22
}

// chunkSize is how many bytes an entry of the chunk table takes.
func (l *layout) chunkSize() int {
	if l.wideChunks {
		return 24 + l.chunkTail
	}
	return 16 + l.chunkTail
}

func (l *layout) label() string {
	if l.game == "" {
		return "standard"
	}
	return l.game
}
