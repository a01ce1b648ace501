package overlay

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// ErrTooLarge means that an archive would be larger than Options.MaxSize.
var ErrTooLarge = errors.New("larger than an archive may be")

// ErrExists means that a file of the patch exists already.
var ErrExists = errors.New("exists already")

// ErrName means that an archive of the name would not be mounted where it must.
var ErrName = errors.New("the name decides over what the archive wins")

// strangers are patches that lie beside the archives of the old build and are not
// of it: an earlier patch for the same build, most often. The game mounts them, so
// that a new one must have another name, and win.
func strangers(p *Plan) (names []string) {
	own, seen := map[string]bool{}, map[string]bool{}
	for _, m := range p.Old.Mounts {
		own[strings.ToLower(filepath.Base(m.Location))] = true
	}
	for _, m := range p.Old.Mounts {
		dir := filepath.Dir(m.Location)
		if seen[dir] || !p.formats.patches(m) {
			continue
		}
		seen[dir] = true
		files, _ := os.ReadDir(dir) // builds may be in the catalog alone
		for _, f := range files {
			if !own[strings.ToLower(f.Name())] && p.formats.order(f.Name()) > 0 {
				names = append(names, f.Name())
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// refuseTaken returns ErrName if a part has the name of an archive of the old
// build, or of a stranger: where the patch is put, that would be gone.
func refuseTaken(p *Plan) error {
	taken := strangers(p)
	for _, m := range p.Old.Mounts {
		taken = append(taken, path.Base(filepath.ToSlash(m.Name)))
	}
	for i := range p.Parts {
		name := p.Parts[i].Name
		if p.Parts[i].Use == Over && slices.ContainsFunc(taken, func(t string) bool { return strings.EqualFold(t, name) }) {
			return fmt.Errorf("%w: %s exists already beside the archives of %s", ErrName, name, p.Old.Label)
		}
	}
	return nil
}

// warnOfStrangers reports what the proof does not cover.
func warnOfStrangers(p *Plan) {
	for _, name := range strangers(p) {
		p.warnf("%s lies beside the archives of %s and is not of that build: what a game sees that mounts both patches is not proved", name, p.Old.Label)
	}
}

// noteTooLarge is for files that stay together and are too large for an archive of
// Options.MaxSize. What is stored as it is will not shrink, so that nothing can be
// written; how far the rest does, the writer finds out.
func noteTooLarge(p *Plan, unit []int) {
	stored, certain := int64(0), true
	for _, i := range unit {
		if f := p.Items[i].New; f != nil {
			stored += max(f.Stored, 0)
			certain = certain && !f.Mount.Loose()
		}
	}
	text := fmt.Sprintf("%s has %d stored bytes", unitName(p.Items, unit), stored)
	if certain && stored > p.options.MaxSize {
		p.tooLarge = append(p.tooLarge, text)
		return
	}
	p.warnf("%s, so that its archive may be larger than %d", text, p.options.MaxSize)
}

func unitName(items []Item, unit []int) string {
	name := items[unit[0]].Path
	if n := len(unit) - 1; n > 0 {
		name += fmt.Sprintf(" with %s that belong to it", count(n, "file"))
	}
	return name
}

// refuseTooLarge returns ErrTooLarge if an entry does not fit into any archive of
// Options.MaxSize.
func refuseTooLarge(p *Plan) error {
	if len(p.tooLarge) == 0 {
		return nil
	}
	text := p.tooLarge[0]
	if n := len(p.tooLarge) - 1; n > 0 {
		text += fmt.Sprintf(" (and %d more)", n)
	}
	return fmt.Errorf("%w: %s, and an archive may have %d", ErrTooLarge, text, p.options.MaxSize)
}

// checkSize returns ErrTooLarge for an archive that became larger than
// Options.MaxSize.
func checkSize(p *Plan, part *Part, size int64) error {
	limit := p.options.MaxSize
	if limit <= 0 || size <= limit {
		return nil
	}
	units := units(p.Items, part.Items)
	switch {
	case part.anew():
		return fmt.Errorf("%w: %s is made anew as a whole and has %d bytes, more than %d", ErrTooLarge, part.Name, size, limit)
	case len(units) == 1:
		return fmt.Errorf("%w: %s has %d bytes, more than %d, with nothing in it but %s", ErrTooLarge, part.Name, size, limit, unitName(p.Items, units[0]))
	}
	return fmt.Errorf("%w: %s has %d bytes, more than %d: its files grew when they were encoded", ErrTooLarge, part.Name, size, limit)
}

// warn reports what the user should know.
func warn(p *Plan) {
	kept := map[string]int{}
	for i := range p.Kept {
		kept[p.Kept[i].Old.Mount.Format]++
	}
	for _, f := range p.formats {
		if n := kept[f.Name]; n > 0 {
			p.warnf("removed files stay in the game, %d of them: %s archives of version %s cannot hold delete records", n, f.Name, p.formats.lead(p.Old, f).Version)
		}
	}
	warnUnsigned(p)
	if len(p.Parts) > 0 && p.Parts[0].Use == Over {
		warnOfStrangers(p)
	}
	if n := p.Old.Nameless + p.New.Nameless; n > 0 {
		p.warnf("%s without a name could not be compared", count(n, "entry"))
	}
	unknown := 0
	for i := range p.Items {
		unknown += boolInt(p.Items[i].Action == Replace && !(p.Items[i].Old.Known && p.Items[i].New.Known))
	}
	if unknown > 0 {
		p.warnf("%s, of which a content is not known, may be in for nothing: index both builds without --quick", count(unknown, "file"))
	}
	for _, m := range p.Old.Mounts {
		if st, err := os.Stat(m.Location); err == nil && m.ModTime != 0 && st.Size() != m.Size {
			p.warnf("%s has changed since it was scanned as %s: the patch is for the scanned archive", m.Location, p.Old.Label)
		}
	}
	top := p.Old.highest()
	for _, part := range p.Parts {
		if part.Use != Over {
			continue
		}
		if part.Order <= top {
			p.warnf("%s is mounted with order %d, and the old build goes up to %d: it may not win", part.Name, part.Order, top)
		}
		if part.model == nil {
			continue
		}
		if v := part.model.Version; part.Format == p.Format && top >= firstPatchOrder && (v == "3" || v == "4") {
			p.warnf("engines up to 4.16 mount every _P archive with the same order: whether %s wins over the patches of the old build is up to its name", part.Name)
		}
	}
}

// warnUnsigned reports that the game will not mount what is written, where it checks
// signatures. pakdb cannot make them.
func warnUnsigned(p *Plan) {
	if signed := signed(p); signed != "" {
		p.faultf("%s is signed: a game that checks signatures refuses a patch without a .sig, which only the holder of its private key can make", signed)
	}
}

// signed names an archive of the old build that has a signature, "" for none.
func signed(p *Plan) string {
	mounts := p.Old.Mounts
	if p.merges {
		mounts = p.New.Mounts // all that takes part
	}
	for _, m := range mounts {
		if m.Loose() && strings.EqualFold(filepath.Ext(m.Name), ".sig") {
			return strings.TrimSuffix(m.Name, filepath.Ext(m.Name))
		}
		if p.formats.patches(m) {
			if _, err := os.Stat(strings.TrimSuffix(m.Location, filepath.Ext(m.Location)) + ".sig"); err == nil {
				return m.Name
			}
		}
	}
	return ""
}
