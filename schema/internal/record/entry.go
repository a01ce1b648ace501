package record

// Archive is one scanned file.
type Archive struct {
	Size       int64
	ModTime    int64  // of the file, Unix nanoseconds
	Quick      Digest // over size and samples
	Scan       string // what made the rows: format, revisions, options
	Format     string
	Version    string
	MountPoint string
	Encrypted  bool
	// Name is what archives of earlier builds are called that it may continue: what
	// did not change in them is stored once. "" for none.
	Name string
	// Continues reports whether the archive may continue one whose rows were made by scan:
	// by the same, but for what is of one file. nil: by Scan itself.
	Continues func(scan string) bool
	// Sample returns some of the entries, by which an archive of another name is found
	// that this one may continue. nil, or a nil sample: there is none.
	Sample func() (*Sample, error)
}

// Entry is one stored file of an archive.
type Entry struct {
	Ordinal  int64
	Name     string // "" when the archive stores no name
	Method   string
	Type     string // "" for none
	Offset   int64  // -1 for no place
	Stored   int64
	Size     int64
	Flags    int64 // 1 encrypted, 2 deleted, 8 nested, 16 unnamed, 32 own
	ModTime  int64 // Unix seconds, when HasTime
	ID       [2]uint64
	IDBits   int64 // 0: no ID
	PathHash uint64
	// Sum is what the archive says about the entry's bytes; nil when it says
	// nothing, or is wrong.
	Sum []byte

	// Same is what the edition before has of an entry that did not change: it was not
	// read. Its Row is 0 for others.
	Same Same

	HasTime      bool
	HasPathHash  bool
	HasContent   bool
	HasPadded    bool
	Content      Digest // BLAKE3 of the decoded bytes, when HasContent
	ContentSize  int64
	Padded       Digest         // of the content filled up to the archive's boundary, when HasPadded
	Claimed      bool           // not read: the content is the one known to have Sum, if any
	Stated       bool           // not read: the archive states the first StatedSize bytes of Content
	Sketch       []byte         // of the content, see table content_sketch; nil for none
	Digest       *PackageDigest // of an Unreal package, or of what its exports are made of; nil for none
	Facts        *Facts         // nil when nothing was inspected
	Symbols      []Symbol       // what the name itself defines; their Path is ""
	PlaceSymbols []Symbol       // what the name and the mount point define; their Path is "", and the keys of names are not known yet
	ExportsOf    *Package       // whose exports the content holds; nil: it holds none, or was not read
	Values       *Values        // of these; nil: another entry of the same content and package brings them
	Copied       *Copied        // of an entry of a catalog that is merged; nil for one that was scanned
}

// Copied is what a catalog that is merged has of an entry besides what a scan hands over.
type Copied struct {
	Print   int64           // see Same
	Digests []PackageDigest // of the content, with each package that it is part of
}

// Same is a row of the edition before.
type Same struct {
	Row, Content int64
	Place        int   // among the rows: that of the next entry is most often the next one
	Print        int64 // a hash of what the archive says about the entry but its place
	Name         Half  // the hash of the entry's Name, as it is known by then
}

// Problem is a finding about an archive, an entry or a content.
type Problem struct {
	Ordinal int64  // of the entry, -1: the archive as a whole
	Path    string // name of the entry, "" for none
	Field   string
	Offset  int64 // -1: no place
	Cause   string
	Whole   bool // it concerns the archive as a whole: what that lists is not all that it held
}

// Mount places an archive in a build.
type Mount struct {
	Archive  int64
	Name     string // relative to the folder that was scanned
	Location string // absolute path
	Order    int64
	Place    int64  // among the archives of the build: of those that hold a file, the lowest counts
	LastWins bool   // of several entries of one file in it, the last counts
	Stem     string // what it is called by together with others that are mounted with it; "": Name
}

// Name is a public name of an entry, in formats that keep names apart.
type Name struct {
	Ordinal int64
	Name    string
	Type    string
	ID      [2]uint64
	IDBits  int64
}
