package update

import (
	"math"
	"slices"

	"pakdb/diff/ship/store"
)

// A folder is playable without the optional parts of a build that it has not yet. So files
// of no part come into place first, and then those of each part, in the order in which the
// publisher names them. Parts of which the folder has files of another build do not wait: a
// game would see two builds.

// stage is what of a plan is put into place at once.
type stage struct {
	parts []string // that are then in place; "" are the files of no part
	rank  int      // of the last of them
	plan  *Plan
}

// everyRank is that of no part, after all.
const everyRank = math.MaxInt

// stages splits a plan at the parts of its build.
func (f *Folder) stages(p *Plan) []stage {
	ranks := f.parts.ranks
	split := ranks.together(p)
	if f.over != nil || split >= len(f.parts.wanted) {
		return []stage{{append([]string{""}, f.parts.wanted...), everyRank, p}}
	}
	first := *p
	first.Files = ranks.files(p, 0, split)
	list := []stage{{append([]string{""}, f.parts.wanted[:split]...), split, &first}}
	for i, name := range f.parts.wanted[split:] {
		rank := split + i + 1
		list = append(list, stage{[]string{name}, rank, &Plan{Build: p.Build, Files: ranks.files(p, rank, rank)}})
	}
	return list
}

// ranks has, of each file of a part that is wanted, the place of the first such part in
// the order of parts, from 1 on.
type ranks map[string]int

func (r ranks) files(p *Plan, from, to int) (list []File) {
	for i := range p.Files {
		if rank := r[p.Files[i].Path]; rank >= from && rank <= to {
			list = append(list, p.Files[i])
		}
	}
	return list
}

// together returns the rank up to which all files come into place together: those that
// replace others, those that patches make, and those that are made of what goes.
func (r ranks) together(p *Plan) (rank int) {
	goes := map[string]bool{}
	for _, name := range p.Remove {
		goes[name] = true
	}
	for i := range p.Files {
		goes[p.Files[i].Path] = !p.Files[i].New
	}
	for i := range p.Files {
		file := &p.Files[i]
		if !file.New || file.Patch != "" || slices.ContainsFunc(file.From, func(name string) bool { return goes[name] }) {
			rank = max(rank, r[file.Path])
		}
	}
	return rank
}

// rankOf returns, for parts of the store, the rank of the first file that needs each.
func (c *contents) rankOf(r ranks) (frames map[store.FrameID]int, deltas map[Content]int) {
	frames, deltas = map[store.FrameID]int{}, map[Content]int{}
	files := slices.Clone(c.files)
	slices.SortStableFunc(files, func(a, b *target) int { return r[b.Path] - r[a.Path] }) // the first one overwrites
	for _, t := range files {
		t.contents(func(ref store.ContentRef) {
			id := Content{ref.ID, ref.Size}
			w := c.wanted[id]
			if w == nil {
				return
			}
			if deltas[id] = r[t.Path]; !c.coded[id] {
				c.local.Missing(w.chunks, func(x store.ChunkRef) { frames[x.Place.ID()] = r[t.Path] })
			}
		})
	}
	return frames, deltas
}
