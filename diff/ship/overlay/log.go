package overlay

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pakdb/internal/regular"
)

// Patch is a patch in a folder, by its manifest.
type Patch struct {
	Manifest
	Path    string   // of the manifest
	Missing []string // archives that are not there, or have another size
}

// FindPatches returns the patches whose manifests lie at or below a folder, by
// path. A file of the name that is no manifest is an error. passed is as [Disk.Passed].
func FindPatches(ctx context.Context, root string, passed func(error)) (patches []Patch, err error) {
	files, odd, err := regular.Walk(ctx, root, regular.Read, nil)
	if err != nil {
		return nil, err
	}
	for _, err := range odd {
		if passed != nil {
			passed(err)
		}
	}
	for _, f := range files {
		file := f.Path
		if !strings.HasSuffix(file, ManifestExt) {
			continue
		}
		text, err := regular.ReadFile(file)
		if err != nil {
			return nil, err
		}
		p := Patch{Path: file}
		if err := json.Unmarshal(text, &p.Manifest); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if p.Pakdb != manifestVersion {
			return nil, fmt.Errorf("%s: manifest of version %d; %d is known", file, p.Pakdb, manifestVersion)
		}
		for _, a := range p.Archives {
			st, err := os.Stat(filepath.Join(filepath.Dir(file), filepath.Base(a.Name)))
			if err != nil || st.Size() != a.Size {
				p.Missing = append(p.Missing, a.Name)
			}
		}
		patches = append(patches, p)
	}
	return patches, nil
}

// Reach is a build that a folder of archives can be brought to.
type Reach struct {
	State
	Keep, Remove []string // archives of patches
	Missing      []string // archives that would be needed; nil: it can be done
}

// same reports whether two states are one: by what is seen, where it is known.
func (s State) same(o State) bool {
	if s.View != "" && o.View != "" {
		return s.View == o.View
	}
	return s.Build == o.Build
}

// Reaches returns the builds that patches lead to, from those that none leads
// to: each with the patches that must stay, in their order, and those that must
// go. A build that several ways lead to is listed by the shortest.
func Reaches(patches []Patch) (all []Reach) {
	type step struct {
		State
		by []int
	}
	var steps []step
	known := func(s State) bool {
		return slices.ContainsFunc(steps, func(t step) bool { return t.State.same(s) })
	}
	for _, root := range roots(patches) {
		steps = append(steps, step{State: root})
	}
	for i := 0; i < len(steps); i++ {
		for n := range patches {
			if p := &patches[n]; p.Old.same(steps[i].State) && !known(p.New) {
				steps = append(steps, step{p.New, append(slices.Clone(steps[i].by), n)})
			}
		}
	}
	for _, s := range steps {
		all = append(all, reach(patches, s.State, s.by))
	}
	return all
}

// roots are the builds that no patch leads to; where all lead to each other, the
// first.
func roots(patches []Patch) (roots []State) {
	for _, p := range patches {
		from := p.Old
		led := slices.ContainsFunc(patches, func(q Patch) bool { return q.New.same(from) })
		if !led && !slices.ContainsFunc(roots, func(s State) bool { return s.same(from) }) {
			roots = append(roots, from)
		}
	}
	if roots == nil && len(patches) > 0 {
		roots = append(roots, patches[0].Old)
	}
	return roots
}

func reach(patches []Patch, s State, by []int) Reach {
	r := Reach{State: s}
	for n := range patches {
		needed := slices.Contains(by, n)
		for _, a := range patches[n].Archives {
			here := !slices.Contains(patches[n].Missing, a.Name)
			switch {
			case needed && here:
				r.Keep = append(r.Keep, a.Name)
			case needed:
				r.Missing = append(r.Missing, a.Name)
			case here:
				r.Remove = append(r.Remove, a.Name)
			}
		}
	}
	return r
}
