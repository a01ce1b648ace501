package overlay

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"

	"pakdb/codecs"
)

// Split parts a stack by its mounts.
func (s *Stack) Split(takes func(*Mount) bool) (taken, rest *Stack) {
	taken, rest = &Stack{Label: s.Label, Damage: s.Damage}, &Stack{Label: s.Label, passed: s.passed}
	for _, group := range s.groups() {
		if m := group[0].Mount; takes(m) {
			taken.Add(m, group)
		} else {
			rest.Add(m, group)
		}
	}
	taken.arrange()
	rest.arrange()
	return taken, rest
}

// IsPatch reports whether an archive is mounted above those that are no patches.
func (m *Mount) IsPatch() bool { return m.patches() }

// Merged says what became of the parts of a merge.
type Merged struct {
	*Plan
	Archives int
	Buried   int   // entries that no one could see
	Freed    int64 // stored bytes of them
	Dropped  int   // delete records that hide nothing any more
}

// MergeOptions say what a merge makes.
type MergeOptions struct {
	Name     string // of the archive: it decides over what it wins
	IntoBase bool   // fold the base in as well
}

// Merge plans one archive called o.Name that has the effect of all patches mounted
// over a base: what a game then sees is the same. base may be empty when nobody
// knows it: then every delete record that counts is kept; else only those that
// hide something of it. With o.IntoBase the archive takes in the base as well, and
// has no delete records.
//
// Stored bytes are passed through. The archives must be of one format.
// Damaged archives are a [codecs.DamageError].
func Merge(base, patches *Stack, registry *codecs.Registry, o MergeOptions) (*Merged, error) {
	full := base.Over(patches)
	m := &Merged{Plan: &Plan{Old: base, New: full, merges: true}, Archives: len(patches.Mounts)}
	if err := refuse(m.Plan, registry, base, patches, false); err != nil {
		return nil, err
	}
	if n := patches.Nameless; n > 0 {
		return nil, fmt.Errorf("%w: %s without a name", errors.ErrUnsupported, count(n, "entry"))
	}
	name, intoBase := o.Name, o.IntoBase
	if intoBase {
		m.Archives, m.Old = len(full.Mounts), &Stack{}
	}
	var err error
	if m.Format, err = patchFormat(full, registry); err != nil {
		return nil, err
	}
	m.formats, m.wanted = formats{m.Format}, full.View()
	if intoBase {
		m.foldAll(full)
	} else {
		m.fold(base, patches)
	}
	if err := errors.Join(refuseForeign(m.Plan), m.refuseName(name, intoBase)); err != nil {
		return nil, err
	}
	byPath(m.Items)
	m.measure(full)
	warnUnsigned(m.Plan)
	return m, m.mergedPart(name, base, patches)
}

// refuseName keeps a tie, or the base, from deciding.
func (m *Merged) refuseName(name string, intoBase bool) error {
	order, top := int64(m.Format.Mounts().Order(name)), m.Old.highest()
	switch {
	case intoBase:
		return nil
	case slices.ContainsFunc(m.Old.Mounts, func(b *Mount) bool { return path.Base(b.Name) == name }):
		return fmt.Errorf("%w: %s is an archive of the base", ErrName, name)
	case order <= top || order < firstPatchOrder:
		return fmt.Errorf("%w: %s is mounted with order %d, the base up to %d", ErrName, name, order, top)
	}
	return nil
}

// Leads takes from the manifests of the merged patches from which build to which the
// archive leads. If they do not say, it gets no manifest.
func (m *Merged) Leads(patches []Patch) {
	merged := map[string]bool{}
	for _, mount := range m.New.Mounts {
		if mount.patches() {
			merged[path.Base(mount.Name)] = true
		}
	}
	reaches := Reaches(patches)
	for _, r := range reaches {
		all := len(r.Missing) == 0 && len(r.Keep) == len(merged)
		for _, name := range r.Keep {
			all = all && merged[name]
		}
		if all {
			m.leads = &[2]State{reaches[0].State, r.State}
		}
	}
}

// foldAll takes everything that is seen.
func (m *Merged) foldAll(full *Stack) {
	for _, f := range full.View() {
		m.Items = append(m.Items, Item{Path: f.Path(), Action: Carry, Reason: "in " + f.Mount.Name, New: f})
	}
}

// fold takes what the patches show, and delete records for what they hide.
func (m *Merged) fold(base, patches *Stack) {
	below := base.View()
	done := make(map[Key]bool, len(patches.Files))
	for i := range patches.Files {
		f := &patches.Files[i]
		if done[f.Key] {
			continue
		}
		done[f.Key] = true
		seen, under := m.wanted[f.Key], below[f.Key]
		switch {
		case seen != nil && under != nil && seen.Mount.same(under.Mount) && seen.Ordinal == under.Ordinal:
			// The base wins, with the patches and without.
		case seen != nil:
			m.Items = append(m.Items, Item{Path: seen.Path(), Action: Carry, Reason: "in " + seen.Mount.Name, Old: under, New: seen})
		case under != nil || len(base.Mounts) == 0:
			m.Items = append(m.Items, Item{Path: f.Path(), Action: Delete, Reason: "deleted", Old: cmp.Or(under, f)})
		}
	}
}

// measure counts what falls away.
func (m *Merged) measure(full *Stack) {
	kept, deletes := map[*File]bool{}, 0
	for i := range m.Items {
		if it := &m.Items[i]; it.New != nil {
			kept[it.New] = true
		} else {
			deletes++
		}
	}
	records := 0
	for i := range full.Files {
		f := &full.Files[i]
		switch {
		case f.Deleted():
			records++
		case !kept[f] && (len(m.Old.Mounts) == 0 || f.Mount.patches()):
			m.Buried++
			m.Freed += f.Stored
		}
	}
	m.Dropped = max(records-deletes, 0)
}

// mergedPart is the one archive, of the kind of the base where that goes in, else
// of the patch with the most entries.
func (m *Merged) mergedPart(name string, base, patches *Stack) error {
	if len(m.Items) == 0 {
		return ErrNothing
	}
	all := make([]int, len(m.Items))
	for i := range all {
		all[i] = i
	}
	order := map[*Mount]int{}
	for _, mount := range m.New.Mounts {
		order[mount] = -mount.Place
	}
	slices.SortStableFunc(all, func(a, b int) int {
		x, y := m.Items[a].New, m.Items[b].New
		if x == nil || y == nil {
			return cmp.Compare(boolInt(x == nil), boolInt(y == nil))
		}
		return cmp.Or(cmp.Compare(order[x.Mount], order[y.Mount]), cmp.Compare(x.Offset, y.Offset))
	})
	from := patches
	if len(m.Old.Mounts) == 0 && len(base.Mounts) > 0 {
		from = base
	}
	part := Part{Name: name, Format: m.Format, Chunk: -1, Order: int64(m.Format.Mounts().Order(name)), Items: all, model: m.largest(from)}
	if part.model == nil {
		return fmt.Errorf("%w: none of the archives is of format %s", ErrForeign, m.Format.Name)
	}
	mountPart(m.Items, &part)
	m.Parts = []Part{part}
	return nil
}

func (m *Merged) largest(s *Stack) (best *Mount) {
	for _, mount := range s.Mounts {
		if mount.Format == m.Format.Name && (best == nil || mount.Entries > best.Entries) {
			best = mount
		}
	}
	return best
}
