package apply

import (
	"context"
	"errors"
	"fmt"
	"os"

	"pakdb/diff/ship/delta"
	"pakdb/internal/atomicfile"
	"pakdb/internal/safename"
)

// leftovers finds which old files lie in the folder under names that no new file has. An
// update removes those that are as they were; what somebody changed stays.
func (p *Plan) leftovers(ctx context.Context) error {
	p.Removed, p.Changed, p.Kept = nil, nil, nil
	if p.dir == nil {
		return nil
	}
	for _, i := range p.Header.Removed() {
		f := &p.Header.Old[i]
		if safename.Check(f.Name) != nil || delta.IsOwn(f.Name) {
			continue // no folder has it
		}
		st, err := lstat(p.dir, f.Name)
		if atomicfile.IsAbsent(err) || err == nil && (st.IsDir() || p.isNew(f.Name, st)) {
			continue
		}
		same := false
		if err == nil && st.Mode().IsRegular() && st.Size() == f.Size {
			same, err = p.isOld(ctx, i, st)
		}
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", f.Name, err)
		case !same:
			p.Changed = append(p.Changed, f.Name)
		case p.o.Keep:
			p.Kept = append(p.Kept, f.Name)
		default:
			p.Removed = append(p.Removed, f.Name)
		}
	}
	return nil
}

// isNew reports that a file is a new one as well, on a system on which names in capitals
// and others are the same.
func (p *Plan) isNew(name string, st os.FileInfo) bool {
	if p.folded == nil {
		p.folded = map[string]string{}
		for _, f := range p.Header.New {
			p.folded[safename.Fold(f.Name)] = f.Name
		}
	}
	other, ok := p.folded[safename.Fold(name)]
	if !ok {
		return false
	}
	there, err := p.dir.Lstat(other)
	return err == nil && os.SameFile(st, there)
}

// isOld reports that a file of the folder is old file i. If that is where it was found, it
// was hashed then.
func (p *Plan) isOld(ctx context.Context, i int, st os.FileInfo) (bool, error) {
	if i < len(p.found) {
		if found, err := p.old.Open[p.found[i]].Stat(); err == nil && os.SameFile(st, found) {
			return true, nil
		}
	}
	f, err := p.dir.OpenRegular(p.Header.Old[i].Name)
	if err != nil {
		return false, err
	}
	same, err := isFile(ctx, f, p.Header.Old[i])
	return same, errors.Join(err, f.Close())
}

// removes are the actions by which old files go.
func (p *Plan) removes() (list []action) {
	removed := map[string]bool{}
	for _, name := range p.Removed {
		removed[name] = true
	}
	for _, i := range p.Header.Removed() {
		if f := p.Header.Old[i]; removed[f.Name] {
			list = append(list, action{kind: actRemove, name: f.Name, before: f})
		}
	}
	return list
}

// tidy completes a folder that has all new files already: it removes old ones, and makes
// files executable, or not.
func (p *Plan) tidy(ctx context.Context) (err error) {
	s := &staging{dir: p.dir, h: p.Header, sums: p.sums, removes: p.removes()}
	defer func() { err = errors.Join(err, s.closeTemp(), s.remove()) }()
	if err := p.closeOld(); err != nil {
		return err
	}
	var changes []action
	for i, f := range p.Header.New {
		f.Sum, f.Unknown = p.sums[i], 0
		st, err := p.dir.Lstat(f.Name)
		if err != nil {
			return err
		}
		if !s.hasModes() || atomicfile.IsExec(st.Mode()) == f.Exec {
			continue
		}
		shared, err := s.hasLinks(f.Name)
		if err == nil && shared {
			err = s.copy(ctx, f.Name)
		}
		if err != nil {
			return err
		}
		if !shared {
			changes = append(changes, action{kind: actChange, name: f.Name, before: f, after: f, exec: execOf(f)})
		}
	}
	if err := s.keepModes(); err != nil {
		return err
	}
	list := append(s.actions(), changes...)
	if len(list) == 0 {
		return nil
	}
	err = goLive(ctx, p.dir, list)
	if IsInterrupted(p.dir.Name()) {
		s.done = nil // the journal needs them
	}
	return err
}

// hasLinks reports whether a file has more than one name.
func (s *staging) hasLinks(name string) (bool, error) {
	f, err := s.dir.OpenRegular(name)
	if err != nil {
		return false, err
	}
	shared, err := atomicfile.HasLinks(f)
	return shared, errors.Join(err, f.Close())
}
