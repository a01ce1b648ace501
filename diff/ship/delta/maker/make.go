package maker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/inside"
	"pakdb/diff/ship/internal/program"
	"pakdb/internal/atomicfile"
	"pakdb/internal/process"
	"pakdb/internal/safename"
	"pakdb/internal/stored"
)

// MakeOptions for [Make]. The zero value reads no archives.
type MakeOptions struct {
	Registry *codecs.Registry // formats to read archives with; nil: files are bytes
	Best     bool             // the greatest effort: up to a tenth smaller, for up to six times the CPU
	// Open has limits and keys. With keys, what is encrypted is taken apart, and
	// the patch has new content in the clear.
	Open    *codecs.Options
	OpenNew *codecs.Options // of the new files; nil: as Open

	segment int // stored bytes after which a segment ends; 0: the usual. For tests of many of them
}

// Make writes to out the patch by which the old files become the new ones. temp
// is a folder for what must wait until its hash is known. Make does not apply
// what it made; [MakeFile] does.
//
// It holds the tables of the archives, up to 32 MiB of an old content with 32 to
// 48 MiB to find bytes in it, and the segment at hand.
func Make(ctx context.Context, old, new []delta.Input, out io.Writer, temp string, o *MakeOptions) (*delta.Header, *Stats, error) {
	m, err := makePatch(ctx, old, new, out, temp, o, &trust{}, nil)
	if err != nil {
		return nil, nil, err
	}
	return m.h, m.stats, nil
}

// makePatch is Make, with what it may believe, and a proof, or nil, which is given
// what is made.
func makePatch(ctx context.Context, old, new []delta.Input, out io.Writer, temp string, o *MakeOptions, t *trust, p *proof) (*maker, error) {
	if o == nil {
		o = &MakeOptions{}
	}
	if err := safename.CheckAll(new, func(in delta.Input) string { return in.Name }); err != nil {
		return nil, fmt.Errorf("no patch can make it: %w", err)
	}
	registry := o.Registry
	if registry == nil {
		registry = &codecs.Registry{}
	}
	m := &maker{h: &delta.Header{}, stats: &Stats{}, best: o.Best, segment: o.segment, trust: t, proof: p}
	stored.Step(ctx, delta.StepReading, delta.SizeOfInputs(old)+delta.SizeOfInputs(new))
	var err error
	if m.old, err = inside.NewBuild(ctx, old, registry, o.Open, &m.ring); err != nil {
		return nil, err
	}
	open := o.OpenNew
	if open == nil {
		open = o.Open
	}
	if m.new, err = inside.NewBuild(ctx, new, registry, open, &m.ring); err != nil {
		return nil, err
	}
	files, err := inside.Hash(ctx, m.old, m.new)
	if err != nil {
		return nil, err
	}
	m.h.Old, m.h.New, m.h.Modes = files[0], files[1], delta.Modes(new)
	for i, in := range new {
		m.h.New[i].Exec = m.h.Modes && atomicfile.IsExec(in.Mode)
	}
	if err := m.h.Check(); err != nil {
		return nil, err
	}
	m.h.FindSame()
	if p != nil {
		p.begin(m.h)
	}
	if m.spool, err = atomicfile.NewScratch(temp); err != nil {
		return nil, err
	}
	err = process.RescueCall(func() (err error) {
		if !m.isSmall() {
			return m.run(ctx)
		}
		m, err = m.shorter(ctx, temp, old, new)
		return err
	})
	if err == nil {
		err = m.write(out)
	}
	return m, errors.Join(err, m.close())
}

// close removes the file with the segments.
func (m *maker) close() error { return m.spool.Close() }

// write puts the header before the segments.
func (m *maker) write(out io.Writer) error {
	var only []byte
	if !m.h.IsListed() && len(m.h.Parts) > 0 {
		only = make([]byte, m.h.Parts[0].Stored)
		if err := stored.ReadAt(m.spool, only, 0); err != nil {
			return err
		}
	}
	if _, err := out.Write(m.h.Marshal(only)); err != nil {
		return err
	}
	if _, err := m.spool.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := io.Copy(out, m.spool)
	return err
}

// maker makes one patch.
type maker struct {
	h        *delta.Header
	stats    *Stats
	best     bool
	segment  int // stored bytes after which a segment ends; 0: the usual
	most     int // bytes of a segment after which the patch is given up; 0: any number
	old, new *inside.Build
	pairs    pairing
	ring     delta.KeyRing
	recipes  program.RecipeList
	trust    *trust
	proof    *proof
	spool    *atomicfile.Scratch
	e        *program.Emitter
	load     loader
	moved    *chunkIndex
	stored   oldRuns
	tabled   int64  // bytes of the largest that are predicted
	solid    *solid // of small builds
}

func (m *maker) run(ctx context.Context) error {
	for _, f := range m.old.Files {
		m.load.files.Files = append(m.load.files.Files, f.Source)
		m.load.files.Names = append(m.load.files.Names, f.Name)
	}
	m.load.files.Listed = m.h.Listed()
	m.load.files.Most = wideMargin + 2*margin // what is checked is read next
	m.pairs = newPairing(m.old, m.new)
	var err error
	copied := m.isCopied()
	if len(m.ring.List) == 0 { // what is encrypted is named block by block
		changed, edited := m.changedExtents()
		kept := func(e *inside.Entry) bool { return copied(e) && !edited[e] }
		if m.solid, err = newSolid(m.old, int64(len(m.load.files.Listed)), kept, changed, m.load.check); err != nil {
			return err
		}
	}
	if delta.SizeOf(m.h.Old)+delta.SizeOf(m.h.New) <= maxBest {
		m.best = true // what it takes is not noticed
	}
	m.moved = newChunkIndex(m.old, copied, &m.pairs, m.best)
	m.load.files.Keys = m.ring.Blocks
	m.e = &program.Emitter{H: m.h, Recipes: &m.recipes, Keys: delta.KeyList{Ring: &m.ring}, Done: m.keep, Goal: m.segment}
	m.load.e, m.stored.files = m.e, m.old.Files
	m.e.Enc.Best, m.e.Enc.Most = m.best, m.most
	stored.Step(ctx, delta.StepMaking, delta.SizeOf(m.h.New))
	for i := range m.new.Files {
		if !m.h.IsMade(i) {
			m.unchanged(ctx, i)
			continue
		}
		m.e.Begin(i)
		if err := newFileMaker(ctx, m, i).run(); err != nil {
			return err
		}
	}
	if err := m.e.End(); err != nil {
		return err
	}
	m.h.Recipes = m.recipes.List
	m.h.Keys = m.e.Keys.Keys()
	m.stats.Made = m.recipes.Used
	m.h.Memory = delta.MemoryUsual + tableMemory*m.tabled
	return nil
}

// isCopied reports which old entries the new build has as they are.
func (m *maker) isCopied() func(*inside.Entry) bool {
	has := map[[16]byte]bool{}
	for i := range m.new.Files {
		for _, x := range m.new.Files[i].Extents {
			has[x.Sum] = true
		}
	}
	return func(e *inside.Entry) bool {
		for _, x := range m.old.Files[e.File].Extents[e.First : e.First+e.Count] {
			if !has[x.Sum] {
				return false
			}
		}
		return true
	}
}

// unchanged passes over a new file that the header explains.
func (m *maker) unchanged(ctx context.Context, i int) {
	f := m.h.New[i]
	m.stats.Copied += f.Size
	stored.ProgressOf(ctx).Add(f.Size)
	if k := m.h.SameAs(i); k >= 0 {
		m.e.Whole(k, i, f.Size)
	}
}

// keep puts a segment away until the header can have its hash.
func (m *maker) keep(stream []byte, file int) error {
	if len(stream) > delta.MaxSegment {
		return fmt.Errorf("a segment of %d bytes; at most %d may be", len(stream), delta.MaxSegment)
	}
	m.h.Parts = append(m.h.Parts, delta.Segment{Stored: int64(len(stream)), Sum: delta.SumOfBytes(stream), File: file})
	if _, err := m.spool.Write(stream); err != nil || m.proof == nil {
		return err
	}
	return m.proof.take(provable{stream, file, slices.Clone(m.recipes.List), m.e.Keys.Blocks()})
}

// MakeFile makes a patch at path. It gets its name, in place of an existing file,
// once it has been applied to the old files and the result was compared with the
// new ones, which is done while it is made; until then the folder needs room for
// the patch twice. The files must not mind being read by two goroutines.
func MakeFile(ctx context.Context, file string, old, new []delta.Input, o *MakeOptions) (h *delta.Header, s *Stats, err error) {
	out, err := atomicfile.Create(ctx, file, 0o644)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, out.Discard()) }()
	defer process.Rescue(&err)
	if h, s, err = makeProved(ctx, out.File, old, new, filepath.Dir(file), o, &trust{wanted: true}); err != nil {
		return nil, nil, err
	}
	if err := out.Chmod(0o644); err != nil {
		return nil, nil, err
	}
	return h, s, out.Commit()
}

// patchFile is a file that a patch is written to, read from, and written to again.
type patchFile interface {
	io.ReadWriteSeeker
	Truncate(size int64) error
}

// makeProved makes a patch in a file of dir, and proves it.
func makeProved(ctx context.Context, out patchFile, old, new []delta.Input, dir string, o *MakeOptions, t *trust) (h *delta.Header, s *Stats, err error) {
	for {
		p, making := newProof(ctx, old, new)
		m, err := makePatch(making, old, new, out, dir, o, t, p)
		wrong := p.end(stored.ProgressOf(ctx), err == nil)
		switch {
		case wrong == nil && err != nil:
			return nil, nil, err
		case wrong == nil:
			wrong = readBack(ctx, out, m.h, m.ring.Texts)
		}
		if wrong == nil {
			return m.h, m.stats, nil
		}
		if t.used == 0 || ctx.Err() != nil {
			return nil, nil, fmt.Errorf("the patch was made, but applying it failed: %w", wrong)
		}
		*t = trust{}
		_, err = out.Seek(0, io.SeekStart)
		if err = errors.Join(err, out.Truncate(0)); err != nil {
			return nil, nil, err
		}
	}
}

// Facts of an archive's inside take operations of their own, each
// with numbers: of a small archive they may take more than they spare. Then it is
// explained a second time, as bytes, and the shorter patch counts.

// How large builds may be that are explained twice: a second or so. A larger old
// build is worth it if the first patch is not a small part of the new one.
const (
	maxPlain    = 1 << 20
	maxPlainOld = 16 << 20
	smallPart   = 8
)

// isSmall reports that builds are worth a second try: there are archives, which
// nothing is known of but by keys.
func (m *maker) isSmall() bool {
	if delta.SizeOf(m.h.Old) > maxPlainOld || delta.SizeOf(m.h.New) > maxPlain || len(m.ring.List) > 0 {
		return false
	}
	for _, b := range []*inside.Build{m.old, m.new} {
		for i := range b.Entries {
			if !b.Entries[i].Whole {
				return true
			}
		}
	}
	return false
}

// shorter explains small builds in both ways, and returns the maker that did it in
// fewer bytes, also after an error: it has to be closed. The proof is given only
// its segments.
func (m *maker) shorter(ctx context.Context, temp string, old, new []delta.Input) (*maker, error) {
	proof := m.proof
	m.proof = nil
	if err := m.run(ctx); err != nil {
		return m, err
	}
	if delta.SizeOf(m.h.Old) > maxPlain && m.h.Stored() < delta.SizeOf(m.h.New)/smallPart {
		return m, m.giveTo(proof)
	}
	if noise, err := m.noise(noiseRatio * m.h.Stored()); err != nil {
		return m, err
	} else if noise > noiseRatio*m.h.Stored() {
		return m, m.giveTo(proof)
	}
	other, err := m.asBytes(ctx, temp, old, new)
	if errors.Is(err, errLonger) {
		return m, m.giveTo(proof)
	}
	if err != nil {
		return m, err
	}
	best, rest := m, other
	if other.h.Stored() < m.h.Stored() {
		best, rest = other, m
	}
	return best, errors.Join(rest.close(), best.giveTo(proof))
}

// noiseRatio is how many times the patch what is noise to it must be, for not trying.
const noiseRatio = 2

// noise is how many stored bytes of the new build look new to a reader without formats: those
// of zlib's blocks after the first that the block in their place has otherwise: there
// the codes differ. Blocks of LZ4 and LZO resemble each other. It stops counting above most.
func (m *maker) noise(most int64) (n int64, err error) {
	for i := range m.new.Files {
		l := &m.new.Files[i]
		for k := range l.Extents {
			x := &l.Extents[k]
			if _, ok := m.pairs.find(m.old, x, position{-1, 0}); ok || x.Method != compress.Zlib {
				continue
			}
			same, err := m.alike(l, k)
			if err != nil {
				return n, err
			}
			if n += x.Stored - same; n > most {
				return n, nil
			}
		}
	}
	return n, nil
}

// alike is how many bytes at the front of extent k the old one in its place has too.
func (m *maker) alike(l *inside.Layout, k int) (int64, error) {
	x := &l.Extents[k]
	if m.pairs.entries[x.Entry] < 0 {
		return 0, nil
	}
	e := &m.old.Entries[m.pairs.entries[x.Entry]]
	j := k - m.new.Entries[x.Entry].First
	if j >= e.Count {
		return 0, nil
	}
	old := &m.old.Files[e.File]
	y := &old.Extents[e.First+j]
	a, err := l.Read(x.Off, min(x.Stored, y.Stored))
	if err != nil {
		return 0, err
	}
	b, err := old.Read(y.Off, int64(len(a)))
	if err != nil {
		return 0, err
	}
	n := 0
	for n < len(a) && a[n] == b[n] {
		n++
	}
	return int64(n), nil
}

// asBytes explains the same builds without any format. It gives up with errLonger where a
// segment alone is longer than the patch of m: stored blocks that changed are noise, which
// takes ten times as long to code as what m made of them.
func (m *maker) asBytes(ctx context.Context, temp string, old, new []delta.Input) (*maker, error) {
	b := &maker{h: m.h.Unmade(), stats: &Stats{}, best: m.best, segment: m.segment, trust: m.trust, most: int(m.h.Stored())}
	var err error
	if b.old, err = inside.NewBuild(ctx, old, &codecs.Registry{}, nil, &b.ring); err != nil {
		return nil, err
	}
	if b.new, err = inside.NewBuild(ctx, new, &codecs.Registry{}, nil, &b.ring); err != nil {
		return nil, err
	}
	if _, err = inside.Hash(stored.WatchProgress(ctx, nil), b.old, b.new); err != nil {
		return nil, err
	}
	if b.spool, err = atomicfile.NewScratch(temp); err != nil {
		return nil, err
	}
	if err := process.RescueCall(func() error { return b.run(ctx) }); err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

// giveTo gives all segments to a proof, if there is one.
func (m *maker) giveTo(p *proof) error {
	if m.proof = p; p == nil {
		return nil
	}
	at := int64(0)
	for _, s := range m.h.Parts {
		stream := make([]byte, s.Stored)
		if err := stored.ReadAt(m.spool, stream, at); err != nil {
			return err
		}
		if err := p.take(provable{stream, s.File, m.recipes.List, m.e.Keys.Blocks()}); err != nil {
			return err
		}
		at += s.Stored
	}
	return nil
}
