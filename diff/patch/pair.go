package patch

import (
	"bytes"
	"context"
	"errors"
	"path"
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

func newPairing(old, new *build) pairing {
	p := pairing{stored: map[[16]byte]place{}, plain: map[[16]byte]place{}, starts: map[position]int32{}}
	for i := range old.files {
		for k := range old.files[i].extents {
			x := &old.files[i].extents[k]
			p.starts[position{int32(i), x.off}] = int32(k)
			if _, there := p.stored[x.sum]; !there {
				p.stored[x.sum] = place{int32(i), int32(k)}
			}
			if _, there := p.plain[x.plain]; !there {
				p.plain[x.plain] = place{int32(i), int32(k)}
			}
		}
	}
	p.pairEntries(old, new)
	p.pairFiles(old, new)
	p.pairWhole(old, new)
	return p
}

// pairEntries pairs by archive and name, else by name alone.
func (p *pairing) pairEntries(old, new *build) {
	full, bare := map[string]int32{}, map[string]int32{}
	for i, e := range old.entries {
		if e.count > 0 {
			full[e.name] = int32(i)
			if e.whole {
				continue
			}
			if _, there := bare[e.bare()]; !there {
				bare[e.bare()] = int32(i)
			}
		}
	}
	p.entries = make([]int32, len(new.entries))
	for i, e := range new.entries {
		p.entries[i] = -1
		if k, ok := full[e.name]; ok {
			p.entries[i] = k
		} else if k, ok := bare[e.bare()]; ok && !e.whole {
			p.entries[i] = k
		}
	}
}

// pairWhole pairs files that are entries as files are.
func (p *pairing) pairWhole(old, new *build) {
	for i := range new.entries {
		e := &new.entries[i]
		if !e.whole || p.entries[i] >= 0 || p.files[e.file] < 0 {
			continue
		}
		if l := &old.files[p.files[e.file]]; len(l.extents) > 0 && old.entries[l.extents[0].entry].whole {
			p.entries[i] = l.extents[0].entry
		}
	}
}

// pairFiles pairs by name, else by the old file that most entries are in, else
// the only ones there are.
func (p *pairing) pairFiles(old, new *build) {
	names := map[string]int{}
	for i := len(old.files) - 1; i >= 0; i-- {
		names[old.files[i].Input.Name] = i
		names[path.Base(old.files[i].Input.Name)] = i
	}
	votes := make([]map[int]int, len(new.files))
	for i, e := range new.entries {
		if k := p.entries[i]; k >= 0 {
			if votes[e.file] == nil {
				votes[e.file] = map[int]int{}
			}
			votes[e.file][old.entries[k].file]++
		}
	}
	p.files = make([]int, len(new.files))
	for i := range new.files {
		p.files[i] = bestFile(names, new.files[i].Input.Name, votes[i])
		if p.files[i] < 0 && len(old.files) == 1 {
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
func (p *pairing) find(old *build, x *extent, near position) (place, bool) {
	if k, ok := p.starts[near]; ok {
		if y := &old.files[near.file].extents[k]; y.sum == x.sum && y.stored == x.stored {
			return place{near.file, k}, true
		}
	}
	at, ok := p.stored[x.sum]
	return at, ok && old.files[at.file].extents[at.extent].stored == x.stored
}

// equalAt reports that n bytes of two files are equal. It reads no further than to
// the first difference.
func equalAt(ctx context.Context, a *layout, aOff int64, b *layout, bOff, n int64) (bool, error) {
	if aOff < 0 || bOff < 0 || n > a.Size-aOff || n > b.Size-bOff {
		return false, nil
	}
	p, q := make([]byte, min(n, 1<<18)), make([]byte, min(n, 1<<18))
	for n > 0 {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		k := min(n, int64(len(p)))
		if err := errors.Join(a.readInto(p[:k], aOff), b.readInto(q[:k], bOff)); err != nil {
			return false, err
		}
		if !bytes.Equal(p[:k], q[:k]) {
			return false, nil
		}
		aOff, bOff, n = aOff+k, bOff+k, n-k
	}
	return true, nil
}
