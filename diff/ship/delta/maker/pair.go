package maker

import (
	"bytes"
	"context"
	"errors"
	"path"

	"pakdb/diff/ship/delta/inside"
)

// place is an extent of a build.
type place struct{ file, extent int32 }

// pairing tells what of the old build corresponds to what of the new one.
type pairing struct {
	stored  map[[16]byte]place // first old extent with these stored bytes
	plain   map[[16]byte]place // and with these when decrypted
	starts  map[position]int32 // old extent that starts there
	files   []int              // for each new file: its old one, or -1
	entries []int32            // for each new entry: its old one, or -1
}

type position struct {
	file int32
	off  int64
}

func newPairing(old, new *inside.Build) pairing {
	p := pairing{stored: map[[16]byte]place{}, plain: map[[16]byte]place{}, starts: map[position]int32{}}
	for i := range old.Files {
		for k := range old.Files[i].Extents {
			x := &old.Files[i].Extents[k]
			p.starts[position{int32(i), x.Off}] = int32(k)
			if _, there := p.stored[x.Sum]; !there {
				p.stored[x.Sum] = place{int32(i), int32(k)}
			}
			if _, there := p.plain[x.Plain]; !there {
				p.plain[x.Plain] = place{int32(i), int32(k)}
			}
		}
	}
	p.pairEntries(old, new)
	p.pairFiles(old, new)
	p.pairWhole(old, new)
	return p
}

// pairEntries pairs by archive and name, else by name alone.
func (p *pairing) pairEntries(old, new *inside.Build) {
	full, bare := map[string]int32{}, map[string]int32{}
	for i, e := range old.Entries {
		if e.Count > 0 {
			full[e.Name] = int32(i)
			if e.Whole {
				continue
			}
			if _, there := bare[e.Bare()]; !there {
				bare[e.Bare()] = int32(i)
			}
		}
	}
	p.entries = make([]int32, len(new.Entries))
	for i, e := range new.Entries {
		p.entries[i] = -1
		if k, ok := full[e.Name]; ok {
			p.entries[i] = k
		} else if k, ok := bare[e.Bare()]; ok && !e.Whole {
			p.entries[i] = k
		}
	}
}

// pairWhole pairs files that are entries as files are.
func (p *pairing) pairWhole(old, new *inside.Build) {
	for i := range new.Entries {
		e := &new.Entries[i]
		if !e.Whole || p.entries[i] >= 0 || p.files[e.File] < 0 {
			continue
		}
		if l := &old.Files[p.files[e.File]]; len(l.Extents) > 0 && old.Entries[l.Extents[0].Entry].Whole {
			p.entries[i] = l.Extents[0].Entry
		}
	}
}

// pairFiles pairs by name, else by the old file that most entries are in, else
// the only ones there are.
func (p *pairing) pairFiles(old, new *inside.Build) {
	names := map[string]int{}
	for i := len(old.Files) - 1; i >= 0; i-- {
		names[old.Files[i].Name] = i
		names[path.Base(old.Files[i].Name)] = i
	}
	votes := make([]map[int]int, len(new.Files))
	for i, e := range new.Entries {
		if k := p.entries[i]; k >= 0 {
			if votes[e.File] == nil {
				votes[e.File] = map[int]int{}
			}
			votes[e.File][old.Entries[k].File]++
		}
	}
	p.files = make([]int, len(new.Files))
	for i := range new.Files {
		p.files[i] = bestFile(names, new.Files[i].Name, votes[i])
		if p.files[i] < 0 && len(old.Files) == 1 {
			p.files[i] = 0
		}
	}
}

func bestFile(names map[string]int, name string, votes map[int]int) int {
	if k, ok := names[name]; ok {
		return k
	}
	best, most := -1, 0
	for k, n := range votes {
		if n > most || n == most && k < best {
			best, most = k, n
		}
	}
	if best >= 0 {
		return best
	}
	if k, ok := names[path.Base(name)]; ok {
		return k
	}
	return -1
}

// find returns an old extent with the stored bytes of x: the one that stands at
// near if it has them, so that copies join.
func (p *pairing) find(old *inside.Build, x *inside.Extent, near position) (place, bool) {
	if k, ok := p.starts[near]; ok {
		if y := &old.Files[near.file].Extents[k]; y.Sum == x.Sum && y.Stored == x.Stored {
			return place{near.file, k}, true
		}
	}
	at, ok := p.stored[x.Sum]
	return at, ok && old.Files[at.file].Extents[at.extent].Stored == x.Stored
}

// equalAt reports that n bytes of two files are equal. It reads no further than to
// the first difference.
func equalAt(ctx context.Context, a *inside.Layout, aOff int64, b *inside.Layout, bOff, n int64) (bool, error) {
	if aOff < 0 || bOff < 0 || n > a.Size-aOff || n > b.Size-bOff {
		return false, nil
	}
	p, q := make([]byte, min(n, 1<<18)), make([]byte, min(n, 1<<18))
	for n > 0 {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		k := min(n, int64(len(p)))
		if err := errors.Join(a.ReadInto(p[:k], aOff), b.ReadInto(q[:k], bOff)); err != nil {
			return false, err
		}
		if !bytes.Equal(p[:k], q[:k]) {
			return false, nil
		}
		aOff, bOff, n = aOff+k, bOff+k, n-k
	}
	return true, nil
}
