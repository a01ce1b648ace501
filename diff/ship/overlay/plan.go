package overlay

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"pakdb/codecs"
	"pakdb/internal/asset"
	"pakdb/internal/glob"
	"pakdb/internal/mount"
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
	names      []string // of Items, after the mount point
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

// Find returns the key of the file that is at a path of the game's file
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

// Choice says which changes a patch is made of: patterns and paths, of which one must
// take a change, and patterns that keep it out. Case does not count. The zero value
// takes everything. It is safe for concurrent use once it is complete.
type Choice struct {
	only, exclude glob.List
	paths         map[string]bool // in lower case; nil: none are asked for
}

// NewChoice parses the patterns of --only and --exclude. A malformed one is a
// [glob.ErrPattern].
func NewChoice(only, exclude []string) (*Choice, error) {
	c := &Choice{}
	var err error
	if c.only, err = glob.ParseList(only, true); err != nil {
		return nil, err
	}
	c.exclude, err = glob.ParseList(exclude, true)
	return c, err
}

// AddPaths takes changes of these paths too. Of no paths it takes none, and then only
// what a pattern matches is taken.
func (c *Choice) AddPaths(paths []string) {
	if c.paths == nil {
		c.paths = map[string]bool{}
	}
	for _, p := range paths {
		c.paths[strings.ToLower(p)] = true
	}
}

// Check returns a [glob.UnmatchedError] for a pattern that matches no path of either
// build: a mistyped --only would leave out what it should take, a mistyped --exclude
// the other way round.
func (c *Choice) Check(old, new *Stack) error {
	paths := func(yield func(string) bool) {
		for _, s := range []*Stack{old, new} {
			for i := range s.Files {
				if !yield(s.Files[i].Path()) {
					return
				}
			}
		}
	}
	return slices.Concat(c.only, c.exclude).Check(strconv.Quote(old.Label)+" or "+strconv.Quote(new.Label), paths)
}

// Takes reports whether a change is chosen, for [Options].Only.
func (c *Choice) Takes(it *Item) bool {
	if c.exclude.Match(it.Path) {
		return false
	}
	if c.only == nil && c.paths == nil {
		return true
	}
	return c.only.Match(it.Path) || c.paths[strings.ToLower(it.Path)] ||
		it.New != nil && c.paths[strings.ToLower(it.New.Name)] || it.Old != nil && c.paths[strings.ToLower(it.Old.Name)]
}

// formats are those of a stack's archives which can be patched, the main one first.
type formats []*codecs.Format

// patchFormats are the formats of the old stack's archives which can be patched,
// the main one first. A format that another one mounts needs that as well.
func patchFormats(old *Stack, registry *codecs.Registry, main *codecs.Format) formats {
	all := formats{main}
	add := func(name string) {
		f, ok := registry.Format(name)
		if ok && f.Mounts().PatchName != nil && f.Create != nil && !slices.Contains(all, f) {
			all = append(all, f)
		}
	}
	for _, m := range old.Mounts {
		add(m.Format)
	}
	for _, f := range all {
		add(f.Mounts().By)
	}
	return all
}

// named returns the format of that name, nil if there is no patch in it.
func (fs formats) named(name string) *codecs.Format {
	for _, f := range fs {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// patches reports whether what a mount holds can go into a patch.
func (fs formats) patches(m *Mount) bool { return fs.named(m.Format) != nil }

// of is the format of the archive that an item goes into.
func (fs formats) of(it *Item) *codecs.Format {
	if f := fs.named(it.either().Mount.Format); f != nil {
		return f
	}
	return fs[0] // a loose file
}

// chunkOf is the chunk of the game that an archive belongs to, -1 for none.
func (fs formats) chunkOf(m *Mount) int {
	if chunk := fs.named(m.Format).Mounts().Chunk; chunk != nil {
		if n, ok := chunk(m.Name); ok {
			return n
		}
	}
	return -1
}

// order is the mount order of a file that its name makes an archive of a patch, 0
// of any other.
func (fs formats) order(name string) int64 {
	for _, f := range fs {
		if f.Mounts().Order == nil || !slices.ContainsFunc(f.Exts, func(ext string) bool { return strings.EqualFold(ext, path.Ext(name)) }) {
			continue
		}
		if order := int64(f.Mounts().Order(name)); order >= firstPatchOrder {
			return order
		}
	}
	return 0
}

// canDelete reports whether the archives of a stack that are like m can hold delete
// records: by the version of the one that a patch imitates.
func (fs formats) canDelete(s *Stack, m *Mount) bool {
	f := fs.named(m.Format)
	can := f.Mounts().CanDelete
	if lead := fs.lead(s, f); lead != nil {
		m = lead
	}
	return can != nil && can(m.Version)
}

// lead is the model of a format in a stack for all chunks: that of the lowest.
func (fs formats) lead(s *Stack, f *codecs.Format) *Mount {
	return fs.modelIn(s, f, func(*Mount) bool { return true })
}

// modelIn is the archive of a stack whose kind and name a patch takes over: of those
// that takes admits one that is no patch, with the most entries.
func (fs formats) modelIn(s *Stack, f *codecs.Format, takes func(*Mount) bool) (best *Mount) {
	better := func(a, b *Mount) bool {
		return cmp.Or(cmp.Compare(boolInt(a.patches()), boolInt(b.patches())),
			cmp.Compare(max(fs.chunkOf(a), 0), max(fs.chunkOf(b), 0)), cmp.Compare(b.Entries, a.Entries),
			strings.Compare(a.Name, b.Name)) < 0
	}
	for _, m := range s.Mounts {
		if m.Format == f.Name && takes(m) && (best == nil || better(m, best)) {
			best = m
		}
	}
	return best
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// holdsAssets reports whether archives of a format hold assets by their ids, each
// for its own loader.
func holdsAssets(f *codecs.Format) bool { return f.Mounts().Order == nil && f.EntrySpaces != nil }

// bundles are the files of one asset. The engine reads them as one, so that a
// patch which holds some of them and leaves the others to the base would mix
// two cooks.
type bundles struct {
	wanted  map[string]bool // of which a change was chosen
	carried []Item
}

// bundles finds the unchanged files of the new build that belong to chosen
// changes. What is removed does not draw the others along: they are as they
// were.
func (s *selection) bundles() *bundles {
	b := &bundles{wanted: map[string]bool{}}
	for i := range s.changed {
		if it := &s.changed[i]; s.chosen[it.Key()] {
			if bundle := asset.Of(it.Path); bundle != "" {
				b.wanted[bundle] = true
			}
		}
	}
	in := make(map[Key]bool, len(s.changed))
	for i := range s.changed {
		in[s.changed[i].Key()] = true
	}
	cause := s.causes()
	for key, f := range s.p.New.View() {
		if in[key] || !s.p.formats.patches(f.Mount) {
			continue
		}
		if of := cause[asset.Of(f.Path())]; of != "" {
			b.carried = append(b.carried, Item{Path: f.Path(), Action: Carry, Reason: "belongs to " + path.Base(of),
				Old: s.p.Old.View()[key], New: f})
		}
	}
	return b
}

// causes names for each asset the change that draws the others along.
func (s *selection) causes() map[string]string {
	cause := map[string]string{}
	for i := range s.changed {
		it := &s.changed[i]
		bundle := asset.Of(it.Path)
		if bundle != "" && it.Action != Delete && s.chosen[it.Key()] && cause[bundle] == "" {
			cause[bundle] = it.Path
		}
	}
	return cause
}

// wants reports whether a change that nobody chose belongs to one that was.
func (b *bundles) wants(it *Item) bool { return b.wanted[asset.Of(it.Path)] }

// units are the items that stay together, in the order of their first.
func units(all []Item, items []int) (units [][]int) {
	at := map[string]int{}
	for _, i := range items {
		of := asset.Of(all[i].Path)
		if n, ok := at[of]; ok && of != "" {
			units[n] = append(units[n], i)
			continue
		}
		at[of] = len(units)
		units = append(units, []int{i})
	}
	return units
}
