package overlay

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"pakdb/codecs"
	"pakdb/internal/asset"
)

// changes lists what differs between the two views, by path, with what belongs
// to it.
func changes(p *Plan) []Item {
	cooked := !slices.ContainsFunc(p.New.Mounts, p.formats.patches)
	before, after := p.Old.View(), p.New.View()
	var over map[Key]*File
	if p.under != nil {
		over = p.under.View()
	}
	var items []Item
	for key, f := range after {
		if f.Mount.Loose() && !cooked {
			continue
		}
		it := Item{New: f, Old: before[key]}
		if it.Old != nil && it.Old.Mount.Loose() {
			it.Old = nil
		}
		other := it
		if other.Old = over[key]; p.under != nil && other.Old != nil && other.Old.Mount.Loose() {
			other.Old = nil
		}
		switch {
		case judge(p, &it):
			items = append(items, it)
		case p.under != nil && judge(p, &other):
			other.Old = it.Old
			items = append(items, other)
		}
	}
	for key, f := range before {
		if after[key] == nil && !f.Mount.Loose() {
			items = append(items, Item{Path: f.Path(), Action: Delete, Reason: "removed", Old: f})
		}
	}
	for key, f := range over {
		if after[key] == nil && before[key] == nil && !f.Mount.Loose() {
			items = append(items, Item{Path: f.Path(), Action: Delete, Reason: "removed", Old: f})
		}
	}
	byPath(items)
	return items
}

// Outside returns the paths of changed files that are in no archive of the new build, nor of
// the old one: the patch is of archives, and does not change them.
func (p *Plan) Outside() (paths []string) {
	if !slices.ContainsFunc(p.New.Mounts, p.formats.patches) {
		return nil // cooked files are packed
	}
	before, after := p.Old.View(), p.New.View()
	for key, f := range after {
		old := before[key]
		if f.Mount.Loose() && (old == nil || old.Mount.Loose() && !f.Mount.same(old.Mount) && !(f.Known && old.Known && f.Content == old.Content)) {
			paths = append(paths, f.Path())
		}
	}
	for key, old := range before {
		if old.Mount.Loose() && after[key] == nil {
			paths = append(paths, old.Path())
		}
	}
	slices.Sort(paths)
	return paths
}

func byPath(items []Item) {
	slices.SortFunc(items, func(a, b Item) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Path), strings.ToLower(b.Path)), strings.Compare(a.Path, b.Path))
	})
}

// judge decides about a file of the new build.
func judge(p *Plan, it *Item) bool {
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
	case p.options.PerChunk && p.formats.chunkOf(a.Mount) != p.formats.chunkOf(b.Mount) && p.formats.patches(b.Mount):
		it.Action, it.Reason = Carry, "moved from "+a.Mount.Name
	default:
		return false
	}
	if it.Path = b.Path(); a != nil && it.Path != a.Path() {
		it.Reason += ", was " + a.Path()
	}
	return true
}

// selection is which changes a patch is made of.
type selection struct {
	p       *Plan
	changed []Item
	chosen  map[Key]bool
}

// choose keeps what was asked for, adds what belongs to it, and sets aside what no
// archive of the format can do.
func choose(p *Plan, changed []Item) error {
	s := &selection{p, changed, map[Key]bool{}}
	for i := range changed {
		if o := p.options; o.Only == nil || o.Only(&changed[i]) {
			s.chosen[changed[i].Key()] = true
		}
	}
	b := s.bundles()
	if p.options.Needs != nil && p.options.Only != nil {
		if err := s.draw(b); err != nil {
			return err
		}
		b = s.bundles()
	}
	for _, it := range changed {
		switch {
		case !s.chosen[it.Key()] && !b.wants(&it):
			p.Left = append(p.Left, it)
		case it.Action == Delete && p.formats.patches(it.Old.Mount) && !p.formats.canDelete(p.Old, it.Old.Mount):
			p.Kept = append(p.Kept, it)
		default:
			p.Items = append(p.Items, it)
		}
	}
	p.Items = append(p.Items, b.carried...)
	byPath(p.Items)
	return refuseForeign(p)
}

// refuseForeign reports files that lie in archives of another format.
func refuseForeign(p *Plan) error {
	foreign := map[string]int{}
	total := 0
	for i := range p.Items {
		f := p.Items[i].either()
		if p.formats.patches(f.Mount) || f.Mount.Loose() {
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

// countHidden gives each item the number of entries of the old build it buries.
func countHidden(p *Plan) {
	at := make(map[Key]int, len(p.Items))
	for i := range p.Items {
		at[p.Items[i].Key()] = i
	}
	for i := range p.Old.Files {
		f := &p.Old.Files[i]
		if n, ok := at[f.Key]; ok && !f.Deleted() && !f.Mount.Loose() {
			p.Items[n].Hides++
		}
	}
}

// draw chooses the changes that chosen ones newly need: files that the old build
// has not, and those that an asset refers to which did not do so before. What
// those need comes along as well.
func (s *selection) draw(b *bundles) error {
	byName := map[string]int{}
	var queue []int
	for i := range s.changed {
		it := &s.changed[i]
		if it.New == nil {
			continue
		}
		byName[strings.ToLower(it.New.Name)] = i
		if s.chosen[it.Key()] || b.wants(it) {
			queue = append(queue, i)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		from := &s.changed[queue[0]]
		fresh, err := s.newNeeds(from)
		if err != nil {
			return err
		}
		for name, newly := range fresh {
			i, ok := byName[name]
			if !ok || s.chosen[s.changed[i].Key()] || !newly && s.changed[i].Action != Add {
				continue
			}
			it := &s.changed[i]
			s.chosen[it.Key()] = true
			it.Reason += ", needed by " + path.Base(from.Path)
			queue = append(queue, s.drawn(i)...)
		}
	}
	return nil
}

// drawn are the changes of an asset that a need has chosen one of: the file that
// holds the references may be another one.
func (s *selection) drawn(i int) (all []int) {
	of := asset.Of(s.changed[i].Path)
	if of == "" {
		return []int{i}
	}
	for n := range s.changed {
		if s.changed[n].New != nil && asset.Of(s.changed[n].Path) == of {
			all = append(all, n)
		}
	}
	return all
}

// newNeeds returns the names, in lower case, of what a file of the new build
// refers to, and whether it did not do so in the old one.
func (s *selection) newNeeds(it *Item) (map[string]bool, error) {
	names, err := s.p.options.Needs(it.New.Name, false)
	if err != nil {
		return nil, err
	}
	fresh := make(map[string]bool, len(names))
	for _, name := range names {
		fresh[strings.ToLower(name)] = true
	}
	if it.Old == nil {
		return fresh, nil
	}
	before, err := s.p.options.Needs(it.Old.Name, true)
	for _, name := range before {
		if _, ok := fresh[strings.ToLower(name)]; ok {
			fresh[strings.ToLower(name)] = false
		}
	}
	return fresh, err
}

// Settle plans the archive that makes what have mounts into want. Archives of gone
// are mounted too until they are removed: with them and without them a game then
// sees the same. Files of the same content must be known to be the same.
//
// Archives of a format without delete records cannot hide a file: [Plan.Kept] has
// those that want does not have, and they stay. The error is [ErrNothing] if nothing
// needs to be written.
func Settle(have, gone, want *Stack, registry *codecs.Registry) (*Plan, error) {
	p := &Plan{Old: have, New: want, under: have.Over(gone), merges: true, options: Options{Number: -1}}
	if err := refuse(p, registry, p.under, want, false); err != nil {
		return nil, err
	}
	if n := have.Nameless + gone.Nameless + want.Nameless; n > 0 {
		return nil, fmt.Errorf("%w: %s without a name", errors.ErrUnsupported, count(n, "entry"))
	}
	var err error
	if p.Format, err = patchFormat(have, registry); err != nil {
		return nil, err
	}
	p.formats = patchFormats(have, registry, p.Format)
	if err := choose(p, changes(p)); err != nil {
		return nil, err
	}
	if len(p.Items) == 0 {
		return p, ErrNothing
	}
	below := have.View()
	p.Kept = slices.DeleteFunc(p.Kept, func(it Item) bool { return below[it.Key()] == nil }) // it leaves with gone
	p.wanted = maps.Clone(want.View())
	for i := range p.Kept {
		p.wanted[p.Kept[i].Key()] = p.Kept[i].Old
	}
	if err := (&layout{p: p}).layOut(); err != nil {
		return nil, err
	}
	// What another archive mounts is there before that one is.
	slices.SortStableFunc(p.Parts, func(a, b Part) int {
		return cmp.Compare(boolInt(a.Format.Mounts().By == ""), boolInt(b.Format.Mounts().By == ""))
	})
	for n := range p.Parts {
		for _, i := range p.Parts[n].Items {
			p.Items[i].Part = n
		}
	}
	warnUnsigned(p)
	return p, nil
}

// IsPatchOrder reports whether archives of a mount order lie above those that are no patches.
func IsPatchOrder(order int64) bool { return order >= firstPatchOrder }

// Stored returns the stored bytes that go into the archives of the plan.
func (p *Plan) Stored() (n int64) {
	for i := range p.Parts {
		n += p.Parts[i].Stored(p)
	}
	return n
}

// KeptPaths returns the paths of [Plan.Kept].
func (p *Plan) KeptPaths() (paths []string) {
	for i := range p.Kept {
		paths = append(paths, p.Kept[i].Path)
	}
	return paths
}

// Mounted returns how many archives a game mounts by themselves.
func (s *Stack) Mounted() (n int) {
	for _, m := range s.Mounts {
		if m.rules.By == "" {
			n++
		}
	}
	return n
}

// Beside returns the folder of the archive that the plan's first archive is like.
func (p *Plan) Beside() string {
	for i := range p.Parts {
		if p.Parts[i].model != nil {
			return filepath.Dir(p.Parts[i].model.Location)
		}
	}
	return "."
}
