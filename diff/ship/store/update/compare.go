package update

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/store"
	"pakdb/internal/stored"
)

// difference is what a folder has of a build.
type difference struct {
	same    int
	modes   []Mode        // files to keep whose executable bit differs
	todo    []*target     // files of the build that the folder has not
	right   []delta.Input // files in the folder that are as the build has them
	others  []delta.Input // files in the folder that are not
	gone    []string      // of these, what another build put there
	kept    []string      // and what nobody published
	altered []string      // of these, what another build had under the name, and somebody changed
}

// Difference says how a folder differs from a build. The lists are in the order of
// paths.
type Difference struct {
	Same    int      `json:"same"`            // files that are as the build has them
	Modes   []Mode   `json:"modes,omitempty"` // files to keep whose executable bit differs
	Changed []string `json:"changed"`         // that are not
	Missing []string `json:"missing"`
	Gone    []string `json:"gone"`    // that only other builds have: an update removes them
	Unknown []string `json:"unknown"` // that no build has: they stay
	Altered []string `json:"altered"` // of these, those whose name other builds have, and whose bytes somebody changed
}

// Difference returns how the folder differs from the build.
func (f *Folder) Difference() Difference {
	list := func(names []string) []string { return append([]string{}, names...) } // none is a list too, in JSON
	d := Difference{f.diff.same, f.diff.modes, list(nil), list(nil), list(f.diff.gone), list(f.diff.kept), list(f.diff.altered)}
	for _, t := range f.diff.todo {
		if t.isNew {
			d.Missing = append(d.Missing, t.Path)
		} else {
			d.Changed = append(d.Changed, t.Path)
		}
	}
	return d
}

// target is a file that must be made.
type target struct {
	store.File
	isNew  bool   // the folder has none of the name
	patch  string // that makes it; "": it is made of contents
	recipe *store.FileRecipe
	pieces []store.Piece
}

// contents calls use for the contents of a file.
func (t *target) contents(use func(store.ContentRef)) {
	for _, p := range t.pieces {
		use(p.ContentRef)
	}
	use(t.recipe.Skeleton)
}

// compare sorts files into those that are right and those to be made.
func (f *Folder) compare(ctx context.Context) (*difference, error) {
	d := &difference{}
	right := map[string]bool{}
	total := int64(0)
	for _, want := range f.build.Files {
		if in, there := f.disk.here[want.Path]; there && in.Size == want.Size {
			total += want.Size
		}
	}
	stored.Step(ctx, store.StepComparing, total)
	for i := range f.build.Files {
		want := &f.build.Files[i]
		same, err := f.disk.hasFile(ctx, want)
		if err == nil && same && f.build.Modes && !f.disk.hasMode(want) {
			var shared bool // a file of another folder would change, too: it is made anew
			if shared, err = f.disk.hasLinks(want.Path); shared {
				same = false
			} else {
				d.modes = append(d.modes, Mode{want.Path, want.Exec})
			}
		}
		if err != nil {
			return nil, err
		}
		if right[want.Path] = same; same {
			d.same++
			continue
		}
		_, there := f.disk.here[want.Path]
		d.todo = append(d.todo, &target{File: *want, isNew: !there})
	}
	for _, name := range f.disk.names() {
		if right[name] {
			d.right = append(d.right, f.disk.here[name])
		} else {
			d.others = append(d.others, f.disk.here[name])
		}
	}
	if err := f.sortOthers(ctx, d); err != nil {
		return nil, err
	}
	d.kept = append(d.kept, f.disk.odd...)
	return d, f.obstacles(d)
}

// sortOthers distinguishes files that another build put there from others, which stay. The
// build knows those of earlier ones, the last one published those of all.
func (f *Folder) sortOthers(ctx context.Context, d *difference) error {
	wanted := map[string]bool{}
	for _, file := range f.build.Files {
		wanted[file.Path] = true
	}
	others := slices.DeleteFunc(f.disk.names(), func(name string) bool { return wanted[name] })
	published, err := f.published(ctx, others)
	state, stateErr := f.disk.overlayState()
	err = errors.Join(err, stateErr)
	for _, name := range others {
		same, had := published[name]
		if same || slices.Contains(state.made(), name) {
			d.gone = append(d.gone, name)
			continue
		}
		if d.kept = append(d.kept, name); had {
			d.altered = append(d.altered, name)
		}
	}
	return err
}

// published has those of some files in the folder whose names a build had, and whether it
// had them so. It asks for what builds had only if there are such files, and keeps nothing
// else of it.
func (f *Folder) published(ctx context.Context, others []string) (known map[string]bool, err error) {
	if len(others) == 0 {
		return nil, nil
	}
	last := f.build
	if !f.isLast {
		if last, err = f.frames.remote.listed(ctx, f.list, f.list.last()); err != nil {
			return nil, err
		}
		if err := f.listFiles(ctx, last); err != nil {
			return nil, err
		}
	}
	asked := map[string]bool{}
	for _, name := range others {
		asked[name] = true
	}
	known, failed := map[string]bool{}, error(nil)
	compare := func(file *store.File) {
		if !asked[file.Path] || failed != nil {
			return
		}
		same, err := f.disk.hasFile(ctx, file)
		failed = err
		known[file.Path] = known[file.Path] || same
	}
	all := map[string]bool{}
	for _, b := range slices.Compact([]*store.Build{f.build, last}) {
		if err := f.frames.remote.earlier(ctx, b, func() { clear(known) }, compare); err != nil {
			return nil, err
		}
		for name, same := range known {
			all[name] = all[name] || same
		}
	}
	known = all
	for i := range last.Files {
		compare(&last.Files[i])
	}
	for i := range f.parts.left {
		compare(&f.parts.left[i])
	}
	return known, failed
}

// obstacles finds what is in the way of new files and will not be removed, before
// any of them is there.
func (f *Folder) obstacles(d *difference) error {
	paths := make([]string, len(d.todo))
	for i, t := range d.todo {
		paths[i] = t.Path
	}
	for _, name := range f.disk.odd {
		if slices.Contains(paths, name) {
			return fmt.Errorf("%s is not a regular file, and build %q has a file there: move it elsewhere: %w", name, f.build.Label, fs.ErrExist)
		}
	}
	stay := slices.DeleteFunc(slices.Clone(d.kept), func(name string) bool { return f.clean && slices.Contains(d.altered, name) })
	if list := inTheWay(paths, stay); len(list) > 0 {
		return fmt.Errorf("%s is in the way of a file of build %q, and was not published: move it elsewhere: %w", list[0], f.build.Label, fs.ErrExist)
	}
	for _, name := range paths {
		if st, err := f.disk.root.Lstat(name); err != nil || !st.IsDir() {
			continue
		}
		err := fs.WalkDir(f.disk.root.FS(), name, func(at string, e fs.DirEntry, err error) error {
			if _, known := f.disk.here[at]; err == nil && !e.IsDir() && !known {
				err = fmt.Errorf("%s is in the way of a file of build %q: move it elsewhere: %w", at, f.build.Label, fs.ErrExist)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(foldersOf(paths))) {
		if st, err := f.disk.root.Lstat(dir); err == nil && st.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("%s is a symbolic link, which updates do not follow, and build %q has files in a folder there: %w", dir, f.build.Label, fs.ErrExist)
		}
	}
	return nil
}

// inTheWay returns the names of files that are where folders of new ones are to be,
// or in what is to be a file.
func inTheWay(paths, names []string) []string {
	files, folders := map[string]bool{}, foldersOf(paths)
	for _, p := range paths {
		files[p] = true
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if files[dir] {
				return false
			}
		}
		return !folders[name]
	})
}

// foldersOf are the folders that files are in.
func foldersOf(paths []string) map[string]bool {
	all := map[string]bool{}
	for _, p := range paths {
		for dir := path.Dir(p); dir != "." && !all[dir]; dir = path.Dir(dir) {
			all[dir] = true
		}
	}
	return all
}
