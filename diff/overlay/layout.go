package overlay

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/mount"
)

// layOut cuts the items into archives and gives each its name.
func (p *Plan) layOut() error {
	if len(p.Items) == 0 {
		return nil
	}
	number := p.options.Number
	if number < 0 {
		number = p.firstNumber(p.strangers())
	}
	for _, f := range p.formats {
		for _, chunk := range p.chunks() {
			items := p.itemsOf(f, chunk)
			if len(items) == 0 {
				continue
			}
			for _, group := range p.split(items) {
				part, err := p.part(f, chunk, group, number)
				if err != nil {
					return err
				}
				p.Parts = append(p.Parts, part)
				if p.options.MaxSize > 0 {
					number++
				}
			}
		}
	}
	p.addMounters()
	for n := range p.Parts {
		for _, i := range p.Parts[n].Items {
			p.Items[i].Part = n
		}
	}
	return p.refuseTaken()
}

// highest is the highest order that the old build mounts anything with.
func (p *Plan) highest() int64 {
	top := int64(0)
	for _, m := range p.Old.Mounts {
		if m.rules.Order != nil {
			top = max(top, m.Order)
		}
	}
	return top
}

// firstNumber is the lowest N that is mounted over all of the old build and of the
// strangers, in whatever folder the patch comes to lie.
func (p *Plan) firstNumber(strangers []string) int {
	top, rules := p.highest(), p.Format.Mounts()
	for _, name := range strangers {
		top = max(top, p.patchOrder(name))
	}
	for _, m := range p.Old.Mounts { // a container without its pak is not mounted, and has its name all the same
		top = max(top, p.patchOrder(m.Name))
	}
	n := 0
	for n < math.MaxUint16 && int64(rules.Order(rules.PatchName("x", n))) <= top {
		n++
	}
	return n
}

// chunks returns the chunks that the patch has archives for.
func (p *Plan) chunks() []int {
	if !p.options.PerChunk {
		return []int{-1}
	}
	var all []int
	for i := range p.Items {
		all = append(all, p.chunksOf(&p.Items[i])...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// chunksOf returns where an item goes: to the chunk that the new build has it
// in, and what is deleted to every chunk that has it now.
func (p *Plan) chunksOf(it *Item) []int {
	if it.New != nil {
		return []int{p.chunkOf(it.New.Mount)}
	}
	return p.held()[it.Old.Key]
}

// held returns the chunks that hold each of the deleted files.
func (p *Plan) held() map[Key][]int {
	if p.holders != nil {
		return p.holders
	}
	p.holders = map[Key][]int{}
	for i := range p.Items {
		if p.Items[i].New == nil {
			p.holders[p.Items[i].Old.Key] = nil
		}
	}
	for i := range p.Old.Files {
		f := &p.Old.Files[i]
		if chunks, ok := p.holders[f.Key]; ok && !f.Deleted() && p.patches(f.Mount) {
			if c := p.chunkOf(f.Mount); !slices.Contains(chunks, c) {
				p.holders[f.Key] = append(chunks, c)
			}
		}
	}
	return p.holders
}

// itemsOf returns the items of a format and chunk in the order in which they are stored:
// that of the new build, which its loading order made; delete records last.
func (p *Plan) itemsOf(f *codecs.Format, chunk int) []int {
	var items []int
	for i := range p.Items {
		if p.formatOf(&p.Items[i]) != f {
			continue
		}
		if !p.options.PerChunk || slices.Contains(p.chunksOf(&p.Items[i]), chunk) {
			items = append(items, i)
		}
	}
	rank := map[*Mount]int{}
	for i, m := range p.New.Mounts {
		rank[m] = i
	}
	slices.SortStableFunc(items, func(a, b int) int {
		x, y := p.Items[a].New, p.Items[b].New
		if x == nil || y == nil {
			return cmp.Compare(boolInt(x == nil), boolInt(y == nil))
		}
		return cmp.Or(cmp.Compare(rank[x.Mount], rank[y.Mount]), cmp.Compare(x.Offset, y.Offset), cmp.Compare(x.Ordinal, y.Ordinal))
	})
	return items
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
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

func (p *Plan) cost(i int) int64 {
	it := &p.Items[i]
	n := int64(entryCost) + 3*int64(len(it.Path))
	if it.New != nil {
		n += max(it.New.Stored, 0) + it.New.Size/blockSize*blockCost
		if it.New.Mount.loose() {
			n += it.New.Size / 1000 // what does not compress grows a little
		}
	}
	return n
}

// split cuts items so that no archive outweighs Options.MaxSize. The files of an
// asset stay together.
func (p *Plan) split(items []int) (groups [][]int) {
	if p.options.MaxSize <= 0 {
		return [][]int{items}
	}
	weight := int64(0)
	var group []int
	for _, unit := range p.units(items) {
		cost := int64(0)
		for _, i := range unit {
			cost += p.cost(i)
		}
		if len(group) > 0 && weight+cost > p.options.MaxSize-archiveCost {
			groups, group, weight = append(groups, group), nil, 0
		}
		if cost > p.options.MaxSize-archiveCost {
			p.tellTooLarge(unit)
		}
		group, weight = append(group, unit...), weight+cost
	}
	return append(groups, group)
}

// units are the items that stay together, in the order of their first.
func (p *Plan) units(items []int) (units [][]int) {
	at := map[string]int{}
	for _, i := range items {
		asset := bundleOf(p.Items[i].Path)
		if n, ok := at[asset]; ok && asset != "" {
			units[n] = append(units[n], i)
			continue
		}
		at[asset] = len(units)
		units = append(units, []int{i})
	}
	return units
}

// part makes an archive of items.
func (p *Plan) part(f *codecs.Format, chunk int, items []int, number int) (Part, error) {
	model := p.model(f, chunk)
	if model == nil {
		return Part{}, fmt.Errorf("%w: no archive of format %s to follow", ErrNothing, f.Name)
	}
	rules := f.Mounts()
	part := Part{Name: rules.PatchName(model.Name, number), Format: f, Chunk: chunk, Items: items, model: model}
	part.Order = int64(rules.Order(part.Name))
	// Delete records last, also where an asset was kept together.
	slices.SortStableFunc(part.Items, func(a, b int) int {
		return cmp.Compare(boolInt(p.Items[a].New == nil), boolInt(p.Items[b].New == nil))
	})
	p.mountPart(&part)
	return part, nil
}

// mountPart gives a part its mount point, and its items their names behind it.
func (p *Plan) mountPart(part *Part) {
	var paths []string
	for _, i := range part.Items {
		if f := p.Items[i].New; f == nil || !f.unnamed() {
			paths = append(paths, p.Items[i].Path)
		}
	}
	var below string
	part.MountPoint, below = mountFor(part.model.MountPoint, paths)
	for _, i := range part.Items {
		it := &p.Items[i]
		if it.New != nil && it.New.unnamed() {
			part.names = append(part.names, it.New.Name)
		} else {
			part.names = append(part.names, it.Path[len(below):])
		}
	}
}

// addMounters adds an empty archive of the same stem beside each that is not
// mounted without.
func (p *Plan) addMounters() {
	for _, part := range slices.Clone(p.Parts) {
		by := p.format(part.Format.Mounts().By)
		if by == nil {
			continue
		}
		name := stem(part.Name) + by.Exts[0]
		if slices.ContainsFunc(p.Parts, func(o Part) bool { return strings.EqualFold(o.Name, name) }) {
			continue
		}
		model := p.lead(by)
		for _, m := range p.Old.Mounts {
			if m.Format == by.Name && strings.EqualFold(stem(m.Name), stem(part.model.Name)) {
				model = m
			}
		}
		mounter := Part{Name: name, Format: by, Chunk: part.Chunk, Order: int64(by.Mounts().Order(name)), model: model}
		if model != nil {
			mounter.MountPoint = model.MountPoint
		}
		p.Parts = append(p.Parts, mounter)
	}
}

func stem(name string) string { return strings.TrimSuffix(name, path.Ext(name)) }

// model is the archive of the old build whose kind and name a patch takes over:
// of those of the chunk one that is no patch, with the most entries. Where the
// old build has none, one of the new build is.
func (p *Plan) model(f *codecs.Format, chunk int) *Mount {
	takes := func(m *Mount) bool { return !p.options.PerChunk || p.chunkOf(m) == chunk }
	if m := p.modelIn(p.Old, f, takes); m != nil {
		return m
	}
	return p.modelIn(p.New, f, takes)
}

// lead is the model for all chunks: that of the lowest.
func (p *Plan) lead(f *codecs.Format) *Mount {
	return p.modelIn(p.Old, f, func(*Mount) bool { return true })
}

func (p *Plan) modelIn(s *Stack, f *codecs.Format, takes func(*Mount) bool) (best *Mount) {
	better := func(a, b *Mount) bool {
		return cmp.Or(cmp.Compare(boolInt(a.patches()), boolInt(b.patches())),
			cmp.Compare(max(p.chunkOf(a), 0), max(p.chunkOf(b), 0)), cmp.Compare(b.Entries, a.Entries),
			strings.Compare(a.Name, b.Name)) < 0
	}
	for _, m := range s.Mounts {
		if m.Format == f.Name && takes(m) && (best == nil || better(m, best)) {
			best = m
		}
	}
	return best
}

// mountFor returns the mount point for files at these paths of the game's file
// system, and the part of every path that it stands for: the model's, or, where
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
