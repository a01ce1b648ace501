package unrealpak

import (
	"cmp"
	"slices"

	"pakdb/codecs"
	"pakdb/internal/aes256"
)

// SealedBy implements codecs.Sealer. Regions of the index that overlap, which only
// a damaged pak has, are left out.
func (a *archive) SealedBy() (key []byte, id [16]byte, tables []codecs.Region) {
	f := a.footer
	if a.crypt.block == nil || a.crypt.ctr || !a.keyKnown() && a.keySign() == against {
		return nil, f.keyID, nil
	}
	if f.encrypted {
		tables = a.indexRegions()
	}
	return a.keys(f.keyID), f.keyID, tables
}

func (a *archive) indexRegions() (list []codecs.Region) {
	all := []region{a.footer.index}
	if a.hashed != nil {
		for _, g := range []*region{a.hashed.primary.pathHash, a.hashed.primary.fullDir} {
			if g != nil {
				all = append(all, *g)
			}
		}
	}
	slices.SortFunc(all, func(x, y region) int { return cmp.Compare(x.off, y.off) })
	end := int64(0)
	for _, g := range all {
		if g.off >= end && g.size%aes256.Block == 0 && g.check(a.footer.start, 0) == nil {
			list = append(list, codecs.Region{Offset: g.off, Size: g.size})
			end = g.off + g.size
		}
	}
	return list
}

// SealedUnit implements codecs.Sealer: UnrealPak pads every block of an entry with
// the beginning of the first.
func (a *archive) SealedUnit() bool { return true }
