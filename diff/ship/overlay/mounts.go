package overlay

import (
	"cmp"
	"slices"

	"pakdb/codecs"
)

// MountState is what an archive contributes to what a game sees.
type MountState struct {
	*Mount
	Files   int   // entries that are no delete records
	Seen    int   // of them, that the game sees
	Dead    int   // that it cannot reach
	Bytes   int64 // stored, of what it cannot reach
	Deletes int   // delete records
	Idle    int   // of them, that hide nothing
	Ties    int   // files that it wins or loses by its name alone
}

// Shadow is an entry that a game does not see, and what hides it.
type Shadow struct {
	File, By *File
	Tie      bool // both have one mount order: the name decides
	Same     bool // both have the same content
}

// Chunk returns the chunk of a game that the name of the archive states. ok is false if
// its format has no chunks in names, or this name has none.
func (m *Mount) Chunk(registry *codecs.Registry) (chunk int, ok bool) {
	f, known := registry.Format(m.Format)
	if !known || f.Mounts().Chunk == nil {
		return 0, false
	}
	return f.Mounts().Chunk(m.Name)
}

// SumShadows returns the stored bytes of the hidden entries, and how many of them are
// hidden by a name alone.
func SumShadows(shadows []Shadow) (stored int64, ties int) {
	for i := range shadows {
		stored += shadows[i].File.Stored
		if shadows[i].Tie {
			ties++
		}
	}
	return stored, ties
}

// Survey tells of each mount what it contributes, the one that wins first, and
// lists what is hidden, by path. Loose files are left out.
func (s *Stack) Survey() ([]MountState, []Shadow) {
	states := map[*Mount]*MountState{}
	for _, m := range s.Mounts {
		states[m] = &MountState{Mount: m}
	}
	var shadows []Shadow
	idle := map[*File]bool{}
	for i := range s.Files {
		f := &s.Files[i]
		st := states[f.Mount]
		if f.Deleted() {
			st.Deletes++
			idle[f] = true
		} else {
			st.Files++
			st.Seen++
		}
	}
	s.resolve(func(f, by *File) {
		st := states[f.Mount]
		st.Seen--
		st.Dead++
		st.Bytes += f.Stored
		delete(idle, by)
		sh := Shadow{File: f, By: by, Tie: f.Mount != by.Mount && f.Mount.Order == by.Mount.Order,
			Same: f.Known && by.Known && f.Content == by.Content}
		if sh.Tie {
			st.Ties++
			states[by.Mount].Ties++
		}
		shadows = append(shadows, sh)
	})
	s.blame(idle)
	for f := range idle {
		states[f.Mount].Idle++
	}
	return sorted(states), byFile(shadows)
}

// blame takes delete records off the list of the idle which hide an entry that
// lies below them: resolve names what the game sees instead, if there is
// anything.
func (s *Stack) blame(idle map[*File]bool) {
	byKey := map[Key][]*File{}
	for f := range idle {
		byKey[f.Key] = append(byKey[f.Key], f)
	}
	for i := range s.Files {
		f := &s.Files[i]
		if f.Deleted() {
			continue
		}
		for _, record := range byKey[f.Key] {
			if f.Mount.Order < record.Mount.Order {
				delete(idle, record)
			}
		}
	}
}

func sorted(states map[*Mount]*MountState) (all []MountState) {
	for m, st := range states {
		if !m.Loose() {
			all = append(all, *st)
		}
	}
	slices.SortFunc(all, func(a, b MountState) int { return cmp.Compare(a.Place, b.Place) })
	return all
}

func byFile(shadows []Shadow) []Shadow {
	shadows = slices.DeleteFunc(shadows, func(s Shadow) bool { return s.File.Mount.Loose() })
	slices.SortFunc(shadows, func(a, b Shadow) int {
		return cmp.Or(cmp.Compare(a.File.Path(), b.File.Path()), cmp.Compare(a.File.Mount.Place, b.File.Mount.Place),
			cmp.Compare(a.File.Ordinal, b.File.Ordinal))
	})
	return shadows
}
