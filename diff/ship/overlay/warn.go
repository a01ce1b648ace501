package overlay

import (
	"os"
	"path/filepath"
	"strings"
)

// warn tells what the user should know.
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

// warnUnsigned tells that the game will not mount what is written, where it checks
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
