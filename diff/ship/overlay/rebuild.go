package overlay

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"pakdb/codecs"
	"pakdb/internal/mount"
)

// rebuilder makes archives anew.
type rebuilder struct{ p *Plan }

// rebuild plans archives of formats that no archive can be mounted over: each
// archive of the old build that changed is made anew as a whole, in its order
// and with its copies. Of what did not change the stored bytes are passed
// through. Files that are new are at the end.
func (r *rebuilder) rebuild(registry *codecs.Registry) error {
	if err := r.rebuildFormat(registry); err != nil {
		return err
	}
	old, new := r.archivesOf(r.p.Old), r.archivesOf(r.p.New)
	for _, pair := range pairMounts(old, new) {
		switch {
		case pair[1] == nil:
			r.p.Gone = append(r.p.Gone, pair[0].Name)
			r.p.faultf("%s is not in the new build: take it out", pair[0].Name)
		case pair[0] == nil:
			r.addArchive(pair[1])
		case !pair[0].same(pair[1]):
			r.rebuildPair(pair[0], pair[1])
		}
	}
	if n := r.p.Old.Nameless + r.p.New.Nameless; n > 0 {
		return fmt.Errorf("%w: %s without a name", errors.ErrUnsupported, count(n, "entry"))
	}
	warn(r.p)
	return nil
}

func (r *rebuilder) rebuildFormat(registry *codecs.Registry) error {
	entries := map[string]int64{}
	for _, m := range r.p.Old.Mounts {
		f, ok := registry.Format(m.Format)
		if !ok || f.Create == nil || m.Loose() {
			continue
		}
		entries[f.Name] += 1 + m.Entries
		if r.p.Format == nil || entries[f.Name] > entries[r.p.Format.Name] {
			r.p.Format = f
		}
	}
	r.p.formats = []*codecs.Format{r.p.Format}
	if r.p.Format == nil {
		return fmt.Errorf("%w: %s has no archives that pakdb writes", errors.ErrUnsupported, r.p.Old.Label)
	}
	if r.p.options.Overlay && holdsAssets(r.p.Format) {
		return fmt.Errorf("%w: an archive of format %s holds all that its loader asks it for: there is no overlay", errors.ErrUnsupported, r.p.Format.Name)
	}
	return nil
}

func (r *rebuilder) archivesOf(s *Stack) (mounts []*Mount) {
	for _, m := range s.Mounts {
		if m.Format == r.p.Format.Name {
			mounts = append(mounts, m)
		}
	}
	return mounts
}

// pairMounts joins archives of one name; the last that are left over, one on each
// side, belong together as well, for a file's name often has the version.
func pairMounts(old, new []*Mount) (pairs [][2]*Mount) {
	byName := map[string]*Mount{}
	for _, m := range new {
		byName[m.Name] = m
	}
	var alone []int
	for _, m := range old {
		if byName[m.Name] == nil {
			alone = append(alone, len(pairs))
		}
		pairs = append(pairs, [2]*Mount{m, byName[m.Name]})
		delete(byName, m.Name)
	}
	for _, m := range new {
		switch {
		case byName[m.Name] != m:
		case len(alone) == 1 && len(byName) == 1:
			pairs[alone[0]][1] = m
		default:
			pairs = append(pairs, [2]*Mount{nil, m})
		}
	}
	return pairs
}

// nameKey is what the names of entries have in common that a game takes for one: which
// of them it sees depends on their order.
func nameKey(f *File) string { return mount.FileKey("", f.Name) }

// filesOf returns the entries of a mount, and the copies of each by [nameKey].
func filesOf(s *Stack, m *Mount) (files []*File, copies map[string][]*File) {
	copies = map[string][]*File{}
	for i := range s.Files {
		if f := &s.Files[i]; f.Mount == m {
			files = append(files, f)
			copies[nameKey(f)] = append(copies[nameKey(f)], f)
		}
	}
	return files, copies
}

// addArchive takes an archive that the old build has not.
func (r *rebuilder) addArchive(m *Mount) {
	files, _ := filesOf(r.p.New, m)
	part := Part{Name: filepath.Base(m.Name), Chunk: -1, Format: r.p.Format, Use: Beside, model: m, named: m}
	for _, f := range files {
		it := Item{Path: f.Path(), Action: Add, Reason: "in " + m.Name + ", which is new", New: f, Part: len(r.p.Parts)}
		if r.p.options.Only != nil && !r.p.options.Only(&it) {
			r.p.Left = append(r.p.Left, it)
			continue
		}
		part.whole, part.Items = append(part.whole, f), append(part.Items, len(r.p.Items))
		r.p.Items = append(r.p.Items, it)
	}
	if len(files) == 0 {
		r.p.faultf("%s is new and has no entries: copy it", m.Name)
	}
	if part.whole != nil {
		r.p.Parts = append(r.p.Parts, part)
	}
}

// rebuildPair makes an archive of the old build like its counterpart.
func (r *rebuilder) rebuildPair(a, b *Mount) {
	before, had := filesOf(r.p.Old, a)
	after, has := filesOf(r.p.New, b)
	part := Part{Name: filepath.Base(a.Name), Chunk: -1, Format: r.p.Format, Use: Instead, model: a, named: b}
	chosen := map[string]*Item{}
	for _, it := range r.pairChanges(before, after, had, has) {
		if r.p.options.Only != nil && !r.p.options.Only(&it) {
			r.p.Left, part.named = append(r.p.Left, it), a
			continue
		}
		if it.Action == Delete && r.p.options.Overlay {
			r.p.Kept = append(r.p.Kept, it)
			continue
		}
		it.Part = len(r.p.Parts)
		part.Items = append(part.Items, len(r.p.Items))
		r.p.Items = append(r.p.Items, it)
		chosen[nameKey(it.either())] = &it
	}
	if len(part.Items) == 0 {
		return
	}
	if r.p.options.Overlay {
		part.Use = Beside
		part.Name = strings.TrimSuffix(part.Name, filepath.Ext(part.Name)) + "_patch" + filepath.Ext(part.Name)
	}
	part.whole = r.lines(before, after, had, has, chosen)
	r.p.Parts = append(r.p.Parts, part)
}

// pairChanges compares two archives name by name, in the order of the old one,
// then of the new one.
func (r *rebuilder) pairChanges(before, after []*File, had, has map[string][]*File) (items []Item) {
	for _, f := range before {
		it := Item{Path: f.Path(), Old: f, Hides: len(had[nameKey(f)])}
		switch {
		case had[nameKey(f)][0] != f: // a copy
			continue
		case has[nameKey(f)] == nil:
			it.Action, it.Reason = Delete, "removed"
		case r.pairDiffers(had[nameKey(f)], has[nameKey(f)]):
			it.Action, it.Reason, it.New = Replace, "modified", has[nameKey(f)][0]
		default:
			continue
		}
		items = append(items, it)
	}
	for _, f := range after {
		if had[nameKey(f)] == nil && has[nameKey(f)][0] == f {
			items = append(items, Item{Path: f.Path(), Action: Add, Reason: "added", New: f})
		}
	}
	return items
}

// pairDiffers compares every copy that is there with the one that would take its
// place.
func (r *rebuilder) pairDiffers(had, has []*File) bool {
	for i, f := range had {
		if by := has[min(i, len(has)-1)]; !f.Known || !by.Known || f.Content != by.Content || f.Name != by.Name {
			return true
		}
	}
	return false
}

// lines are the entries of the archive that is written, in their order.
func (r *rebuilder) lines(before, after []*File, had, has map[string][]*File, chosen map[string]*Item) (all []*File) {
	nth := map[string]int{}
	for _, f := range before {
		it := chosen[nameKey(f)]
		switch {
		case it == nil && !r.p.options.Overlay:
			all = append(all, f)
		case it != nil && it.Action == Replace:
			if n := nth[nameKey(f)]; n < len(has[nameKey(f)]) || !r.p.options.Overlay {
				all = append(all, has[nameKey(f)][min(n, len(has[nameKey(f)])-1)])
			}
			nth[nameKey(f)]++
		}
	}
	for _, f := range after {
		if had[nameKey(f)] == nil && chosen[nameKey(f)] != nil {
			all = append(all, f)
		}
	}
	return all
}

// addNames adds the public names that an archive keeps beside its entries: those
// of the new build or, where only some of its changes were taken, of the old one.
func (f *filler) addNames(ctx context.Context, out codecs.Writer) error {
	names, ok := codecs.WriterAs[codecs.NameWriter](out)
	if !ok || !f.part.anew() {
		return nil
	}
	src, err := f.w.sources.open(ctx, f.part.named)
	if err != nil {
		return err
	}
	namer, ok := src.Archive.(codecs.Namer)
	if !ok {
		return nil
	}
	for n, err := range namer.Named() {
		if err == nil {
			err = names.AddName(n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
