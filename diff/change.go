package diff

import (
	"strings"

	"pakdb/diff/internal/match"
)

// Kind says what happened to an entry. Of several things that happened to one
// entry the first in the order of the constants is its kind; the others are in
// [Change.Also].
type Kind uint16

// The kinds.
const (
	Added    = Kind(match.Added)    // the path is new
	Removed  = Kind(match.Removed)  // the path is gone
	Renamed  = Kind(match.Renamed)  // the entry has another path
	Modified = Kind(match.Modified) // the content differs
	Cosmetic = Kind(match.Cosmetic) // the content differs in nothing but GUIDs and hashes that every cook writes anew
	Moved    = Kind(match.Moved)    // another archive holds it
	Restored = Kind(match.Restored) // the same content is stored differently: method, size, encryption
	Copies   = Kind(match.Copies)   // there are more or fewer copies of it
	Metadata = Kind(match.Metadata) // flags, type, public names, place in the archive; the time only when asked for
)

// kinds names them, in their order, and gives each the letter of --name-status.
var kinds = [...]struct {
	kind   Kind
	name   string
	letter byte
}{
	{Added, "added", 'A'},
	{Removed, "removed", 'D'},
	{Renamed, "renamed", 'R'},
	{Modified, "modified", 'M'},
	{Cosmetic, "cosmetic", 'N'},
	{Moved, "moved", 'V'},
	{Restored, "restored", 'S'},
	{Copies, "copies", 'C'},
	{Metadata, "metadata", 'T'},
}

// Kinds returns all kinds in their order.
func Kinds() (all []Kind) {
	for _, k := range kinds {
		all = append(all, k.kind)
	}
	return all
}

// String returns the name of a kind; of several, all names with commas.
func (k Kind) String() string {
	names := make([]string, 0, len(kinds)) // on the stack
	for _, one := range &kinds {
		if k&one.kind != 0 {
			names = append(names, one.name)
		}
	}
	return strings.Join(names, ",")
}

// ParseKind returns the kind of a name.
func ParseKind(name string) (Kind, bool) {
	for _, one := range kinds {
		if one.name == name {
			return one.kind, true
		}
	}
	return 0, false
}

// First returns the kind that is shown for several, 0 for none.
func (k Kind) First() Kind { return k & -k }

// Letter returns the letter of a kind in --name-status, 0 for several
// kinds.
func (k Kind) Letter() byte {
	for _, one := range kinds {
		if one.kind == k {
			return one.letter
		}
	}
	return 0
}

// Change is one entry that differs.
type Change struct {
	Kind Kind
	Also Kind  // what else happened to it, 0 for nothing
	Old  *File // nil when added
	New  *File // nil when removed

	// RenamedBy reports how a rename was recognised: "guid", "replacement", "id",
	// "hash", "case", "content", "similar", or "file" for two loose files
	// that were to be compared.
	RenamedBy string
	// Similarity is the share of the content that stayed, in percent: 100 for the
	// same content, 0 where nothing is known.
	Similarity int
	// Notes say what differs in the metadata, such as "order" or "flags".
	Notes []string
	// Download estimates what a client with the old build must fetch: the stored
	// size of content that the old build lacks, less what sketches find unchanged.
	Download int64
	// Parts are the files of an Unreal asset in the change, when there
	// are several; Old and New are the first one, with the sizes of all.
	Parts []Part
}

// Part is a file that changed as a part of an asset.
type Part struct {
	Ext              string // ".uasset", ".uexp", ".ubulk"
	Kind             Kind
	OldSize, NewSize int64
}

// File is an entry on one side.
type File struct {
	Path    string // "" when the archive stores no name
	AssetID string // hex, of entries without a name; "" for none
	Archive string // name in the build
	Type    string // as the archive says; "" for none
	Method  string
	Flags   int64 // 1 encrypted, 2 deleted
	Size    int64 // decoded
	Stored  int64
	Copies  int
	Content string // BLAKE3 in hex; "" when it was not decoded

	PathID, ContentID, ArchiveID int64 // in the catalog: path_id, content_id, archive_id; 0 for none
}

// Name is the path, or the id if there is no path.
func (f *File) Name() string {
	if f.Path != "" {
		return f.Path
	}
	return "@" + f.AssetID
}

// Name is the name of the entry, in the new build if it is there.
func (c *Change) Name() string {
	return c.either().Name()
}

// Sizes are sums over entries of both sides, in bytes.
type Sizes struct {
	Count                int64
	OldSize, NewSize     int64 // decoded
	OldStored, NewStored int64
	Download             int64
	// What of Count and Download is Cosmetic: cook noise.
	Cosmetic, CosmeticDownload int64
}

func (s *Sizes) add(o Sizes) {
	s.Count += o.Count
	s.OldSize += o.OldSize
	s.NewSize += o.NewSize
	s.OldStored += o.OldStored
	s.NewStored += o.NewStored
	s.Download += o.Download
	s.Cosmetic += o.Cosmetic
	s.CosmeticDownload += o.CosmeticDownload
}

// Sizes returns the sizes of one change.
func (c *Change) Sizes() Sizes {
	s := Sizes{Count: 1, Download: c.Download}
	if c.Old != nil {
		s.OldSize, s.OldStored = c.Old.Size, c.Old.Stored
	}
	if c.New != nil {
		s.NewSize, s.NewStored = c.New.Size, c.New.Stored
	}
	if (c.Kind|c.Also)&Cosmetic != 0 {
		s.Cosmetic, s.CosmeticDownload = 1, c.Download
	}
	return s
}

// PartList names the files of a change, ".uasset .uexp"; "" when it
// is one.
func (c *Change) PartList() string {
	exts := make([]string, len(c.Parts))
	for i := range c.Parts {
		exts[i] = c.Parts[i].Ext
	}
	return strings.Join(exts, " ")
}
