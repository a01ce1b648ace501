package overlay

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// patchOrder is the mount order of a file that its name makes an archive of a
// patch, 0 of any other.
func (p *Plan) patchOrder(name string) int64 {
	for _, f := range p.formats {
		if f.Mounts().Order == nil || !slices.ContainsFunc(f.Exts, func(ext string) bool { return strings.EqualFold(ext, path.Ext(name)) }) {
			continue
		}
		if order := int64(f.Mounts().Order(name)); order >= firstPatchOrder {
			return order
		}
	}
	return 0
}

// strangers are patches that lie beside the archives of the old build and are not
// of it: an earlier patch for the same build, most often. The game mounts them, so
// that a new one must have another name, and win.
func (p *Plan) strangers() (names []string) {
	own, seen := map[string]bool{}, map[string]bool{}
	for _, m := range p.Old.Mounts {
		own[strings.ToLower(filepath.Base(m.Location))] = true
	}
	for _, m := range p.Old.Mounts {
		dir := filepath.Dir(m.Location)
		if seen[dir] || !p.patches(m) {
			continue
		}
		seen[dir] = true
		files, _ := os.ReadDir(dir) // builds may be in the catalog alone
		for _, f := range files {
			if !own[strings.ToLower(f.Name())] && p.patchOrder(f.Name()) > 0 {
				names = append(names, f.Name())
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// refuseTaken returns ErrName if a part has the name of an archive of the old
// build, or of a stranger: where the patch is put, that would be gone.
func (p *Plan) refuseTaken() error {
	taken := p.strangers()
	for _, m := range p.Old.Mounts {
		taken = append(taken, path.Base(filepath.ToSlash(m.Name)))
	}
	for i := range p.Parts {
		name := p.Parts[i].Name
		if p.Parts[i].Use == Over && slices.ContainsFunc(taken, func(t string) bool { return strings.EqualFold(t, name) }) {
			return fmt.Errorf("%w: %s is there already beside the archives of %s", ErrName, name, p.Old.Label)
		}
	}
	return nil
}

// warnOfStrangers tells what the proof does not cover.
func (p *Plan) warnOfStrangers() {
	for _, name := range p.strangers() {
		p.warnf("%s lies beside the archives of %s and is not of that build: what a game sees that mounts both patches is not proved", name, p.Old.Label)
	}
}

// tellTooLarge is for files that stay together and are too large for an archive of
// Options.MaxSize. What is stored as it is will not shrink, so that nothing can be
// written; how far the rest does, the writer finds out.
func (p *Plan) tellTooLarge(unit []int) {
	stored, certain := int64(0), true
	for _, i := range unit {
		if f := p.Items[i].New; f != nil {
			stored += max(f.Stored, 0)
			certain = certain && !f.Mount.loose()
		}
	}
	text := fmt.Sprintf("%s has %d stored bytes", p.unitName(unit), stored)
	if certain && stored > p.options.MaxSize {
		p.tooLarge = append(p.tooLarge, text)
		return
	}
	p.warnf("%s, so that its archive may be larger than %d", text, p.options.MaxSize)
}

func (p *Plan) unitName(unit []int) string {
	name := p.Items[unit[0]].Path
	if n := len(unit) - 1; n > 0 {
		name += fmt.Sprintf(" with %s that belong to it", count(n, "file"))
	}
	return name
}

// refuseTooLarge returns ErrTooLarge if an entry does not fit into any archive of
// Options.MaxSize.
func (p *Plan) refuseTooLarge() error {
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
func (p *Plan) checkSize(part *Part, size int64) error {
	limit := p.options.MaxSize
	if limit <= 0 || size <= limit {
		return nil
	}
	units := p.units(part.Items)
	switch {
	case part.anew():
		return fmt.Errorf("%w: %s is made anew as a whole and has %d bytes, more than %d", ErrTooLarge, part.Name, size, limit)
	case len(units) == 1:
		return fmt.Errorf("%w: %s has %d bytes, more than %d, with nothing in it but %s", ErrTooLarge, part.Name, size, limit, p.unitName(units[0]))
	}
	return fmt.Errorf("%w: %s has %d bytes, more than %d: its files grew when they were encoded", ErrTooLarge, part.Name, size, limit)
}
