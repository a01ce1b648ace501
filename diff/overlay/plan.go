package overlay

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
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

	formats  []*codecs.Format // that can be patched, Format first
	options  Options
	holders  map[Key][]int // chunks of deleted files
	tooLarge []string      // files that no archive of Options.MaxSize holds
	merges   bool          // stored bytes are proved equal, and nothing is decoded that passes through
	leads    *[2]State     // from which build to which a merge leads, where that is known
	wanted   map[Key]*File // what the game is to see; nil: the old build with the items
}

// ErrNothing means that the builds do not differ in anything that a patch could
// hold.
var ErrNothing = errors.New("nothing to patch")

// ErrForeign means that changed files lie in archives for which no patch can be
// written.
var ErrForeign = errors.New("changed files lie where no patch can reach")

// Make compares two stacks. The format of the patch is that of the old stack's
// archives; where no archive can be mounted over those, each that changed is made
// anew. A file whose content one side does not know counts as changed,
// unless both sides have it in the very same place. Damaged archives are a
// [codecs.DamageError], see Options.AllowDamaged.
func Make(old, new *Stack, registry *codecs.Registry, o Options) (*Plan, error) {
	p := &Plan{Old: old, New: new, options: o}
	if err := p.refuse(registry, old, new, o.AllowDamaged); err != nil {
		return nil, err
	}
	var err error
	if p.Format, err = patchFormat(old, registry); errors.Is(err, errors.ErrUnsupported) {
		return p, p.rebuild(registry)
	}
	if o.Overlay {
		return nil, fmt.Errorf("%w: archives of format %s are patched by what is mounted over them", errors.ErrUnsupported, p.Format.Name)
	}
	p.formats = patchFormats(old, registry, p.Format)
	if err := p.sift(p.changes()); err != nil {
		return nil, err
	}
	p.countHidden()
	if err := p.layOut(); err != nil {
		return nil, err
	}
	p.warn()
	return p, nil
}

// patchFormats are the formats of the old stack's archives which can be patched,
// the main one first. A format that another one mounts needs that as well.
func patchFormats(old *Stack, registry *codecs.Registry, lead *codecs.Format) []*codecs.Format {
	formats := []*codecs.Format{lead}
	add := func(name string) {
		f, ok := registry.Format(name)
		if ok && f.Mounts().PatchName != nil && f.Create != nil && !slices.Contains(formats, f) {
			formats = append(formats, f)
		}
	}
	for _, m := range old.Mounts {
		add(m.Format)
	}
	for _, f := range formats {
		add(f.Mounts().By)
	}
	return formats
}

// format returns the format of that name, nil if there is no patch in it.
func (p *Plan) format(name string) *codecs.Format {
	for _, f := range p.formats {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// patches reports whether what a mount holds can go into a patch.
func (p *Plan) patches(m *Mount) bool { return p.format(m.Format) != nil }

// formatOf is the format of the archive that an item goes into.
func (p *Plan) formatOf(it *Item) *codecs.Format {
	if f := p.format(it.either().Mount.Format); f != nil {
		return f
	}
	return p.Format // a loose file
}

// chunkOf is the chunk of the game that an archive belongs to, -1 for none.
func (p *Plan) chunkOf(m *Mount) int {
	if chunk := p.format(m.Format).Mounts().Chunk; chunk != nil {
		if n, ok := chunk(m.Name); ok {
			return n
		}
	}
	return -1
}

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

// patchFormat is that of the most archives which can be patched by archives on
// top of them.
func patchFormat(old *Stack, registry *codecs.Registry) (*codecs.Format, error) {
	entries := map[string]int64{}
	var best *codecs.Format
	for _, m := range old.Mounts {
		f, ok := registry.Format(m.Format)
		if !ok || f.Mounts().PatchName == nil || f.Create == nil {
			continue
		}
		entries[f.Name] += 1 + m.Entries
		if best == nil || entries[f.Name] > entries[best.Name] {
			best = f
		}
	}
	if best == nil {
		return nil, fmt.Errorf("%w: %s has no archives that others can be mounted over", errors.ErrUnsupported, old.Label)
	}
	return best, nil
}

// changes lists what differs between the two views, by path, with what belongs
// to it.
func (p *Plan) changes() []Item {
	cooked := !slices.ContainsFunc(p.New.Mounts, p.patches)
	before, after := p.Old.View(), p.New.View()
	var items []Item
	for key, f := range after {
		if f.Mount.loose() && !cooked {
			continue
		}
		it := Item{New: f, Old: before[key]}
		if it.Old != nil && it.Old.Mount.loose() {
			it.Old = nil
		}
		if p.judge(&it) {
			items = append(items, it)
		}
	}
	for key, f := range before {
		if after[key] == nil && !f.Mount.loose() {
			items = append(items, Item{Path: f.Path(), Action: Delete, Reason: "removed", Old: f})
		}
	}
	byPath(items)
	return items
}

func byPath(items []Item) {
	slices.SortFunc(items, func(a, b Item) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Path), strings.ToLower(b.Path)), strings.Compare(a.Path, b.Path))
	})
}

// judge decides about a file of the new build.
func (p *Plan) judge(it *Item) bool {
	a, b := it.Old, it.New
	switch {
	case a == nil:
		it.Action, it.Reason = Add, "added"
	case a.Mount.same(b.Mount) && a.Ordinal == b.Ordinal:
		return false
	case !a.Known || !b.Known:
		it.Action, it.Reason = Replace, "content not known"
	case a.Content != b.Content:
		it.Action, it.Reason = Replace, "modified"
	case p.options.PerChunk && p.chunkOf(a.Mount) != p.chunkOf(b.Mount) && p.patches(b.Mount):
		it.Action, it.Reason = Carry, "moved from "+a.Mount.Name
	default:
		return false
	}
	if it.Path = b.Path(); a != nil && it.Path != a.Path() {
		it.Reason += ", was " + a.Path()
	}
	return true
}

// sift keeps what was asked for, adds what belongs to it, and sets aside what no
// archive of the format can do.
func (p *Plan) sift(changed []Item) error {
	chosen := map[Key]bool{}
	for i := range changed {
		if o := p.options; o.Only == nil || o.Only(&changed[i]) {
			chosen[changed[i].Key()] = true
		}
	}
	b := p.bundles(changed, chosen)
	if p.options.Needs != nil && p.options.Only != nil {
		if err := p.draw(changed, chosen, b); err != nil {
			return err
		}
		b = p.bundles(changed, chosen)
	}
	for _, it := range changed {
		switch {
		case !chosen[it.Key()] && !b.wants(&it):
			p.Left = append(p.Left, it)
		case it.Action == Delete && p.patches(it.Old.Mount) && !p.canDelete(it.Old.Mount):
			p.Kept = append(p.Kept, it)
		default:
			p.Items = append(p.Items, it)
		}
	}
	p.Items = append(p.Items, b.carried...)
	byPath(p.Items)
	return p.refuseForeign()
}

// refuseForeign reports files that lie in archives of another format.
func (p *Plan) refuseForeign() error {
	foreign := map[string]int{}
	total := 0
	for i := range p.Items {
		f := p.Items[i].either()
		if p.patches(f.Mount) || f.Mount.loose() {
			continue
		}
		foreign[f.Mount.Name]++
		total++
	}
	if total == 0 {
		return nil
	}
	var names []string
	for name, n := range foreign {
		names = append(names, fmt.Sprintf("%s (%d)", name, n))
	}
	slices.Sort(names)
	return fmt.Errorf("%w: %d in %s, which a patch of format %s does not hide", ErrForeign, total,
		strings.Join(names[:min(len(names), 4)], ", "), p.Format.Name)
}

// countHidden tells of each item how many entries of the old build it buries.
func (p *Plan) countHidden() {
	at := make(map[Key]int, len(p.Items))
	for i := range p.Items {
		at[p.Items[i].Key()] = i
	}
	for i := range p.Old.Files {
		f := &p.Old.Files[i]
		if n, ok := at[f.Key]; ok && !f.Deleted() && !f.Mount.loose() {
			p.Items[n].Hides++
		}
	}
}

// canDelete reports whether the archives of the old build that are like m can
// hold delete records: by the version of the one that a patch imitates.
func (p *Plan) canDelete(m *Mount) bool {
	f := p.format(m.Format)
	can := f.Mounts().CanDelete
	return can != nil && can(p.lead(f).Version)
}
