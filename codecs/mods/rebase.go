package mods

import (
	"context"
	"errors"
	"slices"
	"strings"

	"pakdb/codecs"
	"pakdb/internal/asset"
)

// Fate is what becomes of an asset of a mod that is made for another build.
type Fate string

// What becomes of an asset.
const (
	CarriedOver Fate = "carried over"
	AlreadyIn   Fate = "already in"
	Adapted     Fate = "adapted"
	Conflicting Fate = "conflict"
	Gone        Fate = "gone"
)

// Rebase carries a mod from one build to another.
type Rebase struct {
	Mod        *Side
	From, Onto *Side
	Renamed    map[string]string // units of Onto, by those of From
	// Prefer is which wins conflicts: 0 for the mod and 1 for the build, in an order.
	Prefer []int
	// Take decides single conflicts, as Prefer numbers the sides; -1 takes what From has.
	Take func(path, object, field string) (version int, ok bool)
	// Partial gives assets with conflicts what carries over.
	Partial bool

	Was, Is int // changes of the mod against each build, so far
}

// Rebased is what becomes of an asset. Its files have the names of the new build.
type Rebased struct {
	*MergedUnit
	Fate Fate
	Onto *Unit // nil: the new build has none
}

// Unit carries one asset. It returns nil for one that the mod does not change.
func (r *Rebase) Unit(ctx context.Context, key string) (*Rebased, error) {
	mod, from, onto := r.Mod.Units[key], r.From.Units[key], r.Onto.Units[key]
	if to := r.Renamed[key]; onto == nil && to != "" {
		onto = r.Onto.Units[to]
	}
	path := mod.Header().Path
	if from != nil {
		path = from.Header().Path
	}
	o := MergeOptions{Prefer: r.Prefer, Take: func(object, field string) (int, bool) { return r.Take(path, object, field) }}
	if from != nil && onto == nil {
		return r.gone(ctx, path, mod, from, o)
	}
	u, err := mergeSides(ctx, from, []*Unit{mod, onto}, o)
	if err != nil {
		return nil, err
	}
	u.Path = path
	out := &Rebased{MergedUnit: u, Onto: onto}
	switch {
	case !slices.Contains(u.Mods, 0):
		return nil, nil // the mod has what it is made for
	case len(u.Mods) == 1:
		out.Fate = CarriedOver
		r.Was, r.Is = r.Was+1, r.Is+1
	default:
		out.Fate = r.judge(u)
	}
	if u.Open() > 0 && r.Partial {
		if err := r.rest(ctx, from, mod, onto, u, o); err != nil {
			return nil, err
		}
	}
	if out.Fate == AlreadyIn {
		u.Files = nil
	}
	for i := range u.Files {
		u.Files[i].renameTo(onto)
	}
	return out, nil
}

// judge says what became of an asset that both changed, and drops what the game alone did.
func (r *Rebase) judge(u *MergedUnit) Fate {
	changed, conflict := false, false
	for i := range u.Items {
		item := &u.Items[i]
		_, ours := item.Values[0]
		_, theirs := item.Values[1]
		same := ours && theirs && item.Values[0] == item.Values[1] && item.Why == ""
		if ours {
			r.Was++
		}
		if !same {
			r.Is++
		}
		changed = changed || ours && !same && item.Taken == 0
		conflict = conflict || item.Open
	}
	u.Items = slices.DeleteFunc(u.Items, func(item MergeItem) bool { _, ours := item.Values[0]; return !ours })
	switch {
	case conflict:
		return Conflicting
	case changed:
		return Adapted
	}
	return AlreadyIn
}

// rest merges an asset with conflicts again: the game has what is open.
func (r *Rebase) rest(ctx context.Context, from, mod, onto *Unit, open *MergedUnit, o MergeOptions) error {
	o.Prefer = []int{1, 0}
	u, err := mergeSides(ctx, from, []*Unit{mod, onto}, o)
	if err == nil && r.judge(u) == Adapted {
		open.Files, open.Frame = u.Files, u.Frame
	}
	return err
}

// gone carries an asset that the new build lacks.
func (r *Rebase) gone(ctx context.Context, path string, mod, from *Unit, o MergeOptions) (*Rebased, error) {
	was, err := from.sum(ctx, everyPart)
	is, sumErr := mod.sum(ctx, everyPart)
	if err = errors.Join(err, sumErr); err != nil || was == is {
		return nil, err
	}
	item := MergeItem{Base: was, Values: map[int]string{0: is}, Taken: -1, Open: true, Why: r.Onto.Label + " has no such asset"}
	u := &MergedUnit{Path: path, Mods: []int{0}, Frame: -1, Whole: true}
	v, ok := o.Take("", "")
	switch {
	case len(r.Prefer) > 0 && r.Prefer[0] == 0 || ok && v == 0:
		item.Taken, item.Open = 0, false
		u.Files = mod.asFiles(nil)
	case len(r.Prefer) > 0 || ok:
		item.Open = false
	}
	u.Items = []MergeItem{item}
	return &Rebased{MergedUnit: u, Fate: Gone}, nil
}

// renameTo gives the file the name that its asset has in a build.
func (f *File) renameTo(onto *Unit) {
	if onto == nil || f.Entry.ID.Bits == codecs.ChunkBits {
		return
	}
	old, ext, part := asset.Split(f.Path)
	new, _, _ := asset.Split(onto.Header().Path)
	if part != asset.None && !strings.EqualFold(old, new) {
		f.Path = new + ext
	} else if part == asset.None {
		f.Path = onto.Header().Path
	}
}
