package indexer

import (
	"cmp"
	"context"
	"hash/maphash"
	"iter"
	"math/bits"
	"runtime"
	"slices"

	"pakdb/codecs"
	"pakdb/internal/asset"
)

// Two sides that are compared, and thrown away then, have most of their entries alike.
// What lies in both as the same bytes need not be decoded, hashed, or written to a
// catalog, if nothing that is told of a change depends on it.

// LeaveAlike finds the entries that are stored alike on both sides and that say nothing
// about the others, and has [Run] leave them out of both. What a comparison of the two
// builds tells of changes is the same as without; which entries and contents a build
// holds is not, so the catalog must be for comparing these two alone. Entries are left out
// that
//
//   - are the only one of their file on either side, in archives that are counterparts,
//     with the same stored bytes, method and flags;
//   - belong to an asset all of whose files are such;
//   - have a content that no entry has which is not left out: whoever has the old build
//     need not fetch it;
//   - do not tell what others are called ([codecs.Inspector.Names]).
//
// Nothing of two counterparts is left out if the entries that both have lie in another
// order. What cannot be read is not left out; Run says what is wrong with it. progress, if
// not nil, tells of what is compared. The error is that of the context.
func LeaveAlike(ctx context.Context, old, new *Options, progress *Progress) error {
	a := &alike{seed: maphash.MakeSeed(), registry: old.Registry, progress: progress}
	a.workers = cmp.Or(max(old.Workers, 0), runtime.GOMAXPROCS(0))
	if progress == nil {
		a.progress = &Progress{}
	}
	defer a.close()
	for i, o := range []*Options{old, new} {
		if !a.list(ctx, &a.sides[i], o) {
			return ctx.Err()
		}
	}
	a.pair()
	if err := a.compare(ctx); err != nil {
		return err
	}
	a.keepAssets()
	if err := a.keepHeld(ctx); err != nil {
		return err
	}
	old.alike, new.alike = a.left(0), a.left(1)
	return ctx.Err()
}

// alike is what LeaveAlike knows.
type alike struct {
	seed     maphash.Seed
	registry *codecs.Registry
	workers  int
	progress *Progress
	sides    [2]alikeSide
	pairs    []*alikePair // of counterparts
}

// alikeSide is what is scanned as one build.
type alikeSide struct {
	files []*alikeFile
	sole  map[uint64]entryAt // by the key of a file of the game; nowhere for several entries
}

// entryAt is where an entry lies.
type entryAt struct{ file, entry int32 }

// nowhere stands for several entries, and for what is not to be left out.
var nowhere = entryAt{-1, -1}

// alikeFile is an archive of a side.
type alikeFile struct {
	*opened
	at      int32            // in files
	entries []alikeEntry     // in the order of the archive
	among   map[uint64]int32 // by key, those of a file that has several entries on its side; -1 for several here
	left    ordinals
}

// alikeEntry is what is remembered of an entry: keys are hashes with a secret seed.
type alikeEntry struct {
	ordinal int32
	named   bool   // and may be left out
	key     uint64 // of its file; 0 for none
	look    uint64 // of its name, method, sizes, flags: all but where it lies
	stem    uint64 // of its asset
	size    int64  // decoded
}

// alikePair are two counterparts, and the entries that both have.
type alikePair struct {
	old, new *alikeFile
	both     [][2]int32 // indexes of entries, in the order of both
}

// ordinals is a set of them.
type ordinals []uint64

func (s ordinals) has(n int) bool { return n>>6 < len(s) && s[n>>6]>>(n&63)&1 != 0 }

func (s *ordinals) set(n int, in bool) {
	for n>>6 >= len(*s) {
		*s = append(*s, 0)
	}
	if (*s)[n>>6] &^= 1 << (n & 63); in {
		(*s)[n>>6] |= 1 << (n & 63)
	}
}

func (s ordinals) len() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// maxAlike is how many entries of both sides are remembered, 64 bytes each. Larger builds
// are scanned in whole.
const maxAlike = 4 << 20

// list opens the archives of a side. It reports whether entries can be left out.
func (a *alike) list(ctx context.Context, side *alikeSide, o *Options) bool {
	files, err := o.archives(ctx, nil)
	if err != nil {
		return false // Run says why
	}
	side.sole = map[uint64]entryAt{}
	open := &opener{options: o, failures: &failures{}}
	n := 0
	for _, f := range files {
		x := &alikeFile{opened: &opened{file: f}, at: int32(len(side.files))}
		side.files = append(side.files, x)
		if ctx.Err() != nil || !a.openFile(ctx, open, x) || !a.listEntries(ctx, side, x) {
			return false
		}
		if n += len(x.entries); n > maxAlike/2 {
			return false
		}
	}
	for _, x := range side.files {
		x.among = map[uint64]int32{}
		for i, e := range x.entries {
			if e.key == 0 || side.sole[e.key] != nowhere {
				continue
			}
			if _, twice := x.among[e.key]; twice {
				i = -1
			}
			x.among[e.key] = int32(i)
		}
	}
	return true
}

// find returns the entry of a key that a file has; sole says that no other entry of its
// side is of the same file of the game. It is -1 if the file has none, or several.
func (s *alikeSide) find(x *alikeFile, key uint64) (i int32, sole bool) {
	at, found := s.sole[key]
	switch {
	case key == 0 || !found:
		return -1, false
	case at != nowhere && at.file == x.at:
		return at.entry, true
	case at == nowhere:
		if i, found := x.among[key]; found {
			return i, false
		}
	}
	return -1, false
}

// openFile opens an archive without what is nested in it: its own entries come first and
// have the same ordinals.
func (a *alike) openFile(ctx context.Context, open *opener, x *alikeFile) bool {
	if open.openSource(x.opened) != nil {
		return false
	}
	var err error
	if x.format, err = open.detect(x.src); err == nil {
		x.archive, err = open.openArchive(ctx, x.opened)
	}
	if err != nil {
		return true // a finding about the file, of which no entry is known
	}
	x.mountPoint = x.archive.Info().MountPoint
	return true
}

// listEntries remembers the entries of an archive. A table that is damaged may hide any.
func (a *alike) listEntries(ctx context.Context, side *alikeSide, x *alikeFile) (ok bool) {
	if x.archive == nil {
		return false
	}
	var err error
	defer func() { ok = ok && err == nil }()
	defer guard(&err, x.src.Name)
	_, padded := codecs.ArchiveAs[codecs.Padder](x.archive)
	for e, err := range x.archive.Entries() {
		if ctx.Err() != nil || e == nil {
			return false
		}
		known := a.entry(x, e)
		if err != nil || padded || a.explains(e) || isLoose(x.opened) || e.Flags&(codecs.Deleted|codecs.Nested|codecs.Sealed) != 0 {
			known.named = false
		}
		x.entries = append(x.entries, known)
		if known.key == 0 {
			continue
		}
		if _, twice := side.sole[known.key]; twice {
			side.sole[known.key] = nowhere
		} else {
			side.sole[known.key] = entryAt{x.at, int32(len(x.entries) - 1)}
		}
	}
	return true
}

// explains reports whether the content of e may tell what other entries are called.
func (a *alike) explains(e *codecs.Entry) bool {
	return slices.ContainsFunc(a.registry.Inspectors, func(in *codecs.Inspector) bool { return in.Names != nil && in.Names(e) })
}

// entry is what is remembered of e.
func (a *alike) entry(x *alikeFile, e *codecs.Entry) alikeEntry {
	stem, _, _ := asset.Split(e.Name)
	known := alikeEntry{ordinal: int32(e.Ordinal), named: e.Name != "", stem: assetKey(stem), size: e.Size}
	if file := x.fileOf(e); file != "" {
		known.key = max(maphash.String(a.seed, file), 1)
	}
	var h maphash.Hash
	h.SetSeed(a.seed)
	for _, s := range []string{e.Name, string(e.Method), e.Type} {
		maphash.WriteComparable(&h, len(s))
		_, _ = h.WriteString(s)
	}
	maphash.WriteComparable(&h, [...]uint64{uint64(e.Stored), uint64(e.Size), uint64(e.Flags), e.ID.Hi, e.ID.Lo, uint64(e.ID.Bits),
		e.PathHash.Hi, e.PathHash.Lo, uint64(e.Mod.Unix()), uint64(e.Sum.Kind), uint64(len(e.Blocks))})
	_, _ = h.Write(e.Sum.Bytes)
	for _, b := range e.Blocks {
		maphash.WriteComparable(&h, [...]int64{b.Offset - e.Offset, b.Stored, b.Size})
	}
	known.look = h.Sum64()
	return known
}

// pair finds the counterparts, and what both have.
func (a *alike) pair() {
	old, new := a.sides[0].files, a.sides[1].files
	byName := map[string]*alikeFile{}
	for _, x := range old {
		byName[x.name] = x
	}
	for _, y := range new {
		x := byName[y.name]
		if x == nil && len(old) == 1 && len(new) == 1 {
			x = old[0] // as comparisons pair them
		}
		if x == nil || x.format.Name != y.format.Name {
			continue
		}
		if p, ok := a.pairFiles(x, y); ok {
			a.pairs = append(a.pairs, p)
		}
	}
	for i := range a.sides {
		a.sides[i].sole = nil
	}
	for x := range a.files() {
		x.among = nil
	}
}

// pairFiles pairs the entries of two counterparts. ok is false if they lie in another
// order.
func (a *alike) pairFiles(x, y *alikeFile) (p *alikePair, ok bool) {
	p = &alikePair{old: x, new: y}
	before := int32(-1)
	for i := range y.entries {
		e := &y.entries[i]
		from, soleOld := a.sides[0].find(x, e.key)
		to, soleNew := a.sides[1].find(y, e.key)
		if from < 0 || to < 0 {
			continue
		}
		if from < before {
			return p, false
		}
		before = from
		if other := &x.entries[from]; soleOld && soleNew && e.named && other.named && e.look == other.look {
			p.both = append(p.both, [2]int32{from, to})
		}
	}
	return p, true
}

// keepAssets keeps all files of an asset one of which is kept.
func (a *alike) keepAssets() {
	kept := map[uint64]bool{}
	for x := range a.files() {
		for _, e := range x.entries {
			if !x.left.has(int(e.ordinal)) {
				kept[e.stem] = true
			}
		}
	}
	for _, p := range a.pairs {
		for _, at := range p.both {
			if kept[p.old.entries[at[0]].stem] {
				p.leave(at, false)
			}
		}
	}
}

// files yields the archives of both sides.
func (a *alike) files() iter.Seq[*alikeFile] {
	return func(yield func(*alikeFile) bool) {
		for _, side := range a.sides {
			for _, x := range side.files {
				if !yield(x) {
					return
				}
			}
		}
	}
}

// leave says whether an entry that both have is left out.
func (p *alikePair) leave(at [2]int32, out bool) {
	p.old.left.set(int(p.old.entries[at[0]].ordinal), out)
	p.new.left.set(int(p.new.entries[at[1]].ordinal), out)
}

// left returns what Run leaves out of a side, by the paths of its files.
func (a *alike) left(side int) map[string]ordinals {
	left := map[string]ordinals{}
	for _, x := range a.sides[side].files {
		if x.left.len() > 0 {
			left[x.path] = x.left
		}
	}
	return left
}

func (a *alike) close() {
	for x := range a.files() {
		x.close()
	}
}
