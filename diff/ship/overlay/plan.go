package overlay

import (
	"errors"
	"fmt"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/mount"
)

// Action is what a patch does to a file.
type Action uint8

// The actions.
const (
	Add     Action = iota // the old build has no such file
	Replace               // its content differs
	Carry                 // it stays, and goes along with what it belongs to
	Delete                // a delete record hides it
)

// String returns the word for an action.
func (a Action) String() string { return [...]string{"add", "replace", "carry", "delete"}[a] }

// Item is one file of a patch.
type Item struct {
	Path   string // in the game's file system, as the new build spells it
	Action Action
	Reason string // why it is in
	Old    *File  // what the game sees now; nil when it has none
	New    *File  // nil when the patch deletes it
	Part   int    // index in Plan.Parts
	Hides  int    // entries of the old build that the game cannot reach any more
}

// Key is that of either side.
func (it *Item) Key() Key { return it.either().Key }

func (it *Item) either() *File {
	if it.New != nil {
		return it.New
	}
	return it.Old
}

// Use is what is to be done with an archive of a patch.
type Use uint8

// The uses.
const (
	Over    Use = iota // mounted over the old build
	Instead            // it takes the place of the archive of the same name
	Beside             // it is one more
)

// Part is an archive of a patch.
type Part struct {
	Name       string // of the file
	Format     *codecs.Format
	Use        Use
	Chunk      int // of the game; -1: none
	MountPoint string
	Order      int64    // that it will be mounted with at least
	Items      []int    // in the order in which they are stored; delete records last
	names      []string // of Items, behind the mount point
	model      *Mount
	whole      []*File // all entries of an archive that is made anew; none where the new build's has none
	named      *Mount  // whose public names such an archive takes
}

// anew reports whether the archive is made of whole, which may be empty, instead of
// the items.
func (p *Part) anew() bool { return p.Use != Over }

// Options say what a patch is to hold and how it is cut. The zero value is all
// that changed, in one archive.
type Options struct {
	// Only, if not nil, says of which changes the patch is made; what belongs to
	// one of them goes along.
	Only func(*Item) bool
	// Needs, if not nil, has what Only chose draw along what it newly needs: it
	// returns the stored names of the files that an entry of the new build refers
	// to, or of the old one.
	Needs func(name string, old bool) ([]string, error)
	// PerChunk makes one archive for each chunk of the game that changed.
	PerChunk bool
	// MaxSize is what an archive may weigh, in bytes; 0 is any size. What belongs
	// together stays together.
	MaxSize int64
	// Overlay makes an archive of the changed entries alone, in formats whose
	// archives are else made anew as a whole.
	Overlay bool
	// AllowDamaged goes on where an archive of either build is damaged as a whole,
	// see [codecs.Damage]. Else Make refuses: what such an archive lacks would count
	// as removed.
	AllowDamaged bool
	// Number is the N of Game_N_P.pak; below 0 is the first that wins over all
	// that the old build mounts.
	Number int
}

// Plan is what a patch holds.
type Plan struct {
	Old, New *Stack
	Items    []Item // by path
	Parts    []Part
	Kept     []Item         // files that the new build has not, and that the archives of the game cannot delete
	Left     []Item         // changes that Options.Only did not want
	Gone     []string       // archives that are to be taken out: the new build has not got them, and nothing is mounted over them
	Warnings []string       // what the user should know before shipping it
	Damaged  []string       // archives of either build that are damaged as a whole, where Options.AllowDamaged
	Faults   int            // of the warnings, those for which a game will not see the new build
	Format   *codecs.Format // of most archives of the old build

	formats  formats // that can be patched, Format first
	options  Options
	tooLarge []string      // files that no archive of Options.MaxSize holds
	merges   bool          // stored bytes are proved equal, and nothing is decoded that passes through
	leads    *[2]State     // from which build to which a merge leads, where that is known
	wanted   map[Key]*File // what the game is to see; nil: the old build with the items
	under    *Stack        // the old stack with archives that leave later; nil: there are none
}

// ErrNothing means that the builds do not differ in anything that a patch could
// hold.
var ErrNothing = errors.New("nothing to patch")

// ErrForeign means that changed files lie in archives for which no patch can be
// written.
var ErrForeign = errors.New("changed files lie where no patch can reach")

// Find returns the key of the file that stands at a path of the game's file
// system in either build; case does not count.
func (p *Plan) Find(path string) Key {
	key, want := KeyOf(path), mount.FileKey("", path)
	for _, s := range []*Stack{p.New, p.Old} {
		for i := range s.Files {
			if f := &s.Files[i]; f.ID.Bits == codecs.ChunkBits && mount.FileKey("", f.Path()) == want {
				return f.Key // chunks are known by their ids
			}
		}
	}
	return key
}

func (p *Plan) warnf(format string, args ...any) {
	p.Warnings = append(p.Warnings, fmt.Sprintf(format, args...))
}

// faultf warns of something for which a game will not see the new build.
func (p *Plan) faultf(format string, args ...any) {
	p.Faults++
	p.warnf(format, args...)
}

// count returns a number with its noun.
func count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	if stem, ok := strings.CutSuffix(word, "y"); ok {
		word = stem + "ie"
	}
	return fmt.Sprintf("%d %ss", n, word)
}
