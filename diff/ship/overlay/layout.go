package overlay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"pakdb/codecs"
	"pakdb/internal/mount"
)

// layout cuts the items of a plan into archives.
type layout struct {
	p       *Plan
	holders map[Key][]int // chunks of deleted files
}

// layOut cuts the items into archives and gives each its name.
func (l *layout) layOut() error {
	if len(l.p.Items) == 0 {
		return nil
	}
	number := l.p.options.Number
	if number < 0 {
		number = l.firstNumber(strangers(l.p))
	}
	for _, f := range l.p.formats {
		for _, chunk := range l.chunks() {
			items := l.itemsOf(f, chunk)
			if len(items) == 0 {
				continue
			}
			for _, group := range l.split(items) {
				part, err := l.part(f, chunk, group, number)
				if err != nil {
					return err
				}
				l.p.Parts = append(l.p.Parts, part)
				if l.p.options.MaxSize > 0 {
					number++
				}
			}
		}
	}
	l.addMounters()
	for n := range l.p.Parts {
		for _, i := range l.p.Parts[n].Items {
			l.p.Items[i].Part = n
		}
	}
	return refuseTaken(l.p)
}

// firstNumber is the lowest N that is mounted over all of the old build and of the
// strangers, in whatever folder the patch comes to lie.
func (l *layout) firstNumber(strangers []string) int {
	top, rules := l.p.Old.highest(), l.p.Format.Mounts()
	if l.p.under != nil {
		top = max(top, l.p.under.highest(), l.p.New.highest()) // the new build may be installed some day
	}
	for _, name := range strangers {
		top = max(top, l.p.formats.order(name))
	}
	for _, m := range l.p.Old.Mounts { // a container without its pak is not mounted, and has its name all the same
		top = max(top, l.p.formats.order(m.Name))
	}
	n := 0
	for n < math.MaxUint16 && int64(rules.Order(rules.PatchName("x", n))) <= top {
		n++
	}
	return n
}

// chunks returns the chunks that the patch has archives for.
func (l *layout) chunks() []int {
	if !l.p.options.PerChunk {
		return []int{-1}
	}
	var all []int
	for i := range l.p.Items {
		all = append(all, l.chunksOf(&l.p.Items[i])...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// chunksOf returns where an item goes: to the chunk that the new build has it
// in, and what is deleted to every chunk that has it now.
func (l *layout) chunksOf(it *Item) []int {
	if it.New != nil {
		return []int{l.p.formats.chunkOf(it.New.Mount)}
	}
	return l.chunksWith()[it.Old.Key]
}

// chunksWith returns the chunks that hold each of the deleted files.
func (l *layout) chunksWith() map[Key][]int {
	if l.holders != nil {
		return l.holders
	}
	l.holders = map[Key][]int{}
	for i := range l.p.Items {
		if l.p.Items[i].New == nil {
			l.holders[l.p.Items[i].Old.Key] = nil
		}
	}
	for i := range l.p.Old.Files {
		f := &l.p.Old.Files[i]
		if chunks, ok := l.holders[f.Key]; ok && !f.Deleted() && l.p.formats.patches(f.Mount) {
			if c := l.p.formats.chunkOf(f.Mount); !slices.Contains(chunks, c) {
				l.holders[f.Key] = append(chunks, c)
			}
		}
	}
	return l.holders
}

// itemsOf returns the items of a format and chunk in the order in which they are stored:
// that of the new build, which its loading order made; delete records last.
func (l *layout) itemsOf(f *codecs.Format, chunk int) []int {
	var items []int
	for i := range l.p.Items {
		if l.p.formats.of(&l.p.Items[i]) != f {
			continue
		}
		if !l.p.options.PerChunk || slices.Contains(l.chunksOf(&l.p.Items[i]), chunk) {
			items = append(items, i)
		}
	}
	rank := map[*Mount]int{}
	for i, m := range l.p.New.Mounts {
		rank[m] = i
	}
	slices.SortStableFunc(items, func(a, b int) int {
		x, y := l.p.Items[a].New, l.p.Items[b].New
		if x == nil || y == nil {
			return cmp.Compare(boolInt(x == nil), boolInt(y == nil))
		}
		return cmp.Or(cmp.Compare(rank[x.Mount], rank[y.Mount]), cmp.Compare(x.Offset, y.Offset), cmp.Compare(x.Ordinal, y.Ordinal))
	})
	return items
}

// What an archive costs beside the stored bytes: footer and index, an entry's
// record in front of its bytes and in the index, its name in directory and
// hashes, a block of the smallest usual size.
const (
	archiveCost = 4 << 10
	entryCost   = 256
	blockCost   = 2 * 16
	blockSize   = 32 << 10
)

func (l *layout) cost(i int) int64 {
	it := &l.p.Items[i]
	n := int64(entryCost) + 3*int64(len(it.Path))
	if it.New != nil {
		n += max(it.New.Stored, 0) + it.New.Size/blockSize*blockCost
		if it.New.Mount.Loose() {
			n += it.New.Size / 1000 // what does not compress grows a little
		}
	}
	return n
}

// split cuts items so that no archive outweighs Options.MaxSize. The files of an
// asset stay together.
func (l *layout) split(items []int) (groups [][]int) {
	if l.p.options.MaxSize <= 0 {
		return [][]int{items}
	}
	weight := int64(0)
	var group []int
	for _, unit := range units(l.p.Items, items) {
		cost := int64(0)
		for _, i := range unit {
			cost += l.cost(i)
		}
		if len(group) > 0 && weight+cost > l.p.options.MaxSize-archiveCost {
			groups, group, weight = append(groups, group), nil, 0
		}
		if cost > l.p.options.MaxSize-archiveCost {
			noteTooLarge(l.p, unit)
		}
		group, weight = append(group, unit...), weight+cost
	}
	return append(groups, group)
}

// part makes an archive of items.
func (l *layout) part(f *codecs.Format, chunk int, items []int, number int) (Part, error) {
	model := l.model(f, chunk)
	if model == nil {
		return Part{}, fmt.Errorf("%w: no archive of format %s to follow", ErrNothing, f.Name)
	}
	rules := f.Mounts()
	part := Part{Name: rules.PatchName(model.Name, number), Format: f, Chunk: chunk, Items: items, model: model}
	part.Order = int64(rules.Order(part.Name))
	// Delete records last, also where an asset was kept together.
	slices.SortStableFunc(part.Items, func(a, b int) int {
		return cmp.Compare(boolInt(l.p.Items[a].New == nil), boolInt(l.p.Items[b].New == nil))
	})
	mountPart(l.p.Items, &part)
	return part, nil
}

// mountPart gives a part its mount point, and its items their names after it.
func mountPart(items []Item, part *Part) {
	var paths []string
	for _, i := range part.Items {
		if f := items[i].New; f == nil || !f.unnamed() {
			paths = append(paths, items[i].Path)
		}
	}
	var below string
	part.MountPoint, below = mountFor(part.model.MountPoint, paths)
	for _, i := range part.Items {
		it := &items[i]
		if it.New != nil && it.New.unnamed() {
			part.names = append(part.names, it.New.Name)
		} else {
			part.names = append(part.names, it.Path[len(below):])
		}
	}
}

// addMounters adds an empty archive of the same stem beside each that is not
// mounted without.
func (l *layout) addMounters() {
	for _, part := range slices.Clone(l.p.Parts) {
		by := l.p.formats.named(part.Format.Mounts().By)
		if by == nil {
			continue
		}
		name := stem(part.Name) + by.Exts[0]
		if slices.ContainsFunc(l.p.Parts, func(o Part) bool { return strings.EqualFold(o.Name, name) }) {
			continue
		}
		model := l.p.formats.lead(l.p.Old, by)
		for _, m := range l.p.Old.Mounts {
			if m.Format == by.Name && strings.EqualFold(stem(m.Name), stem(part.model.Name)) {
				model = m
			}
		}
		mounter := Part{Name: name, Format: by, Chunk: part.Chunk, Order: int64(by.Mounts().Order(name)), model: model}
		if model != nil {
			mounter.MountPoint = model.MountPoint
		}
		l.p.Parts = append(l.p.Parts, mounter)
	}
}

func stem(name string) string { return strings.TrimSuffix(name, path.Ext(name)) }

// model is the archive of the old build whose kind and name a patch takes over:
// of those of the chunk one that is no patch, with the most entries. Where the
// old build has none, one of the new build is.
func (l *layout) model(f *codecs.Format, chunk int) *Mount {
	takes := func(m *Mount) bool { return !l.p.options.PerChunk || l.p.formats.chunkOf(m) == chunk }
	if m := l.p.formats.modelIn(l.p.Old, f, takes); m != nil {
		return m
	}
	return l.p.formats.modelIn(l.p.New, f, takes)
}

// mountFor returns the mount point for files at these paths of the game's file
// system, and the part of every path that it replaces: the model's, or, where
// a file lies elsewhere, the folder that all share, below the same root.
func mountFor(model string, paths []string) (point, below string) {
	model = strings.ReplaceAll(model, `\`, "/")
	if model != "" && !strings.HasSuffix(model, "/") {
		model += "/"
	}
	inside := mount.Path(model, "")
	root := "../../../"
	if inside == "" {
		root = model
	} else if cut, ok := strings.CutSuffix(model, inside+"/"); ok {
		root, inside = cut, inside+"/"
	} else {
		inside = "" // it has dots inside: nothing that can be cut
	}
	for _, path := range paths {
		for len(inside) > len(path) || !strings.EqualFold(path[:len(inside)], inside) {
			inside = inside[:strings.LastIndexByte(strings.TrimSuffix(inside, "/"), '/')+1]
		}
	}
	return root + inside, inside
}

// sources keeps the archives open that contents are taken from, with the entries
// that are wanted of them.
type sources struct {
	d       *Disk
	opened  map[string]*opened // by place
	entries map[*File]*codecs.Entry
}

func newSources(d *Disk) *sources {
	return &sources{d, map[string]*opened{}, map[*File]*codecs.Entry{}}
}

func (s *sources) close() error {
	var errs []error
	for _, o := range s.opened {
		errs = append(errs, o.Close())
	}
	s.opened = map[string]*opened{}
	return errors.Join(errs...)
}

func (s *sources) open(ctx context.Context, m *Mount) (*opened, error) {
	place := m.Location
	if m.staged != nil {
		place = "staged:" + place // it may take the place of one that is read
	}
	if o := s.opened[place]; o != nil {
		return o, nil
	}
	o, err := s.d.open(ctx, m)
	if err != nil {
		return nil, err
	}
	if m.ModTime != 0 && o.src.Size != m.Size {
		return nil, errors.Join(fmt.Errorf("%s: %w", m.Location, ErrChanged), o.Close())
	}
	s.opened[place] = o
	return o, nil
}

// ErrChanged means that an archive is not the one that was scanned.
var ErrChanged = errors.New("has changed since it was scanned")

// find looks the entries of files up, each archive gone through once.
func (s *sources) find(ctx context.Context, files []*File) error {
	byMount := map[*Mount]map[int]*File{}
	var mounts []*Mount
	for _, f := range files {
		if s.entries[f] != nil {
			continue
		}
		if byMount[f.Mount] == nil {
			byMount[f.Mount] = map[int]*File{}
			mounts = append(mounts, f.Mount)
		}
		byMount[f.Mount][f.Ordinal] = f
	}
	for _, m := range mounts {
		if err := s.findIn(ctx, m, byMount[m]); err != nil {
			return err
		}
	}
	return nil
}

func (s *sources) findIn(ctx context.Context, m *Mount, wanted map[int]*File) error {
	o, err := s.open(ctx, m)
	if err != nil {
		return err
	}
	left := len(wanted)
	for e, err := range o.Entries() {
		if e == nil {
			return err
		}
		f := wanted[e.Ordinal]
		if f == nil {
			continue
		}
		if err != nil {
			return err
		}
		if !m.Loose() && e.Name != f.Name || e.Size != f.Size {
			return fmt.Errorf("%s: %w: entry %d is %q", m.Location, ErrChanged, e.Ordinal, e.Name)
		}
		s.entries[f] = e
		if left--; left == 0 {
			return nil
		}
	}
	return fmt.Errorf("%s: %w: %s it had are gone", m.Location, ErrChanged, count(left, "entry"))
}

// entry returns the archive and the entry of a file.
func (s *sources) entry(ctx context.Context, f *File) (*opened, *codecs.Entry, error) {
	if s.entries[f] == nil {
		if err := s.find(ctx, []*File{f}); err != nil {
			return nil, nil, err
		}
	}
	o, err := s.open(ctx, f.Mount)
	return o, s.entries[f], err
}
