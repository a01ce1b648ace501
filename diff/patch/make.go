package patch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/diff/delta"
	"pakdb/diff/patch/table"
	"pakdb/internal/atomicfile"
	"pakdb/internal/progress"
	"pakdb/internal/rescue"
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
}

// Stats tell what became of the bytes of the new files.
type Stats struct {
	Copied  int64            // stored bytes taken from old files
	Made    map[Recipe]int64 // stored bytes made from content
	Raw     int64            // bytes coded as they are
	Derived int64            // bytes of digests
	Sealed  int64            // of copied, made and coded bytes, those that are encrypted anew
	Entries int              // of the new archives
	Changed int              // of these, not copied as a whole
}

// Make writes to out the patch by which the old files become the new ones. temp
// is a folder for what must wait until its hash is known. Make does not apply
// what it made; [MakeFile] does.
//
// It holds the tables of the archives, up to 32 MiB of an old content with 32 to
// 48 MiB to find bytes in it, and the segment at hand.
func Make(ctx context.Context, old, new []Input, out io.Writer, temp string, o *MakeOptions) (*Header, *Stats, error) {
	m, err := makePatch(ctx, old, new, out, temp, o, &trust{}, nil)
	if err != nil {
		return nil, nil, err
	}
	return m.h, m.stats, nil
}

// makePatch is Make, with what it may believe, and a proof, or nil, which is given
// what is made.
func makePatch(ctx context.Context, old, new []Input, out io.Writer, temp string, o *MakeOptions, t *trust, p *proof) (*maker, error) {
	if o == nil {
		o = &MakeOptions{}
	}
	if err := safename.CheckAll(new, func(in Input) string { return in.Name }); err != nil {
		return nil, fmt.Errorf("no patch can make it: %w", err)
	}
	registry := o.Registry
	if registry == nil {
		registry = &codecs.Registry{}
	}
	m := &maker{h: &Header{}, stats: &Stats{}, best: o.Best, trust: t, proof: p}
	progress.Step(ctx, stepReading, sizeOfInputs(old)+sizeOfInputs(new))
	var err error
	if m.old, err = newBuild(ctx, old, registry, o.Open, &m.ring); err != nil {
		return nil, err
	}
	open := o.OpenNew
	if open == nil {
		open = o.Open
	}
	if m.new, err = newBuild(ctx, new, registry, open, &m.ring); err != nil {
		return nil, err
	}
	files, err := hash(ctx, m.old, m.new)
	if err != nil {
		return nil, err
	}
	m.h.Old, m.h.New = files[0], files[1]
	if err := m.h.check(); err != nil {
		return nil, err
	}
	m.h.findSame()
	if p != nil {
		p.begin(m.h)
	}
	if m.spool, err = atomicfile.NewScratch(temp); err != nil {
		return nil, err
	}
	err = rescue.Call(func() (err error) {
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
	if !m.h.isListed() && len(m.h.segments) > 0 {
		only = make([]byte, m.h.segments[0].stored)
		if err := stored.ReadAt(m.spool, only, 0); err != nil {
			return err
		}
	}
	if _, err := out.Write(m.h.marshal(only)); err != nil {
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
	h        *Header
	stats    *Stats
	best     bool
	most     int // bytes of a segment after which the patch is given up; 0: any number
	old, new *build
	pairs    pairing
	ring     keyRing
	reader   oldFiles
	recipes  recipeList
	trust    *trust
	proof    *proof
	spool    *atomicfile.Scratch
	e        *emitter
	now      held // the source at hand
	index    delta.Index
	moved    *chunkIndex
	stored   *runIndex // nil until it is needed
	tabled   int64     // bytes of the largest that are predicted
	solid    *solid    // of small builds
}

func (m *maker) run(ctx context.Context) error {
	for _, f := range m.old.files {
		m.reader.files = append(m.reader.files, f.Source)
		m.reader.names = append(m.reader.names, f.Input.Name)
	}
	m.reader.listed = m.h.listed()
	m.reader.most = wideMargin + 2*margin // what is checked is read next
	m.pairs = newPairing(m.old, m.new)
	var err error
	copied := m.isCopied()
	if len(m.ring.list) == 0 { // what is encrypted is named block by block
		if m.solid, err = newSolid(m.old, int64(len(m.reader.listed)), copied, m.changedExtents(), m.check); err != nil {
			return err
		}
	}
	if sizeOf(m.h.Old)+sizeOf(m.h.New) <= maxBest {
		m.best = true // what it takes is not noticed
	}
	m.moved = newChunkIndex(m.old, copied, &m.pairs, m.best)
	m.reader.keys = m.ring.blocks
	m.e = &emitter{h: m.h, recipes: &m.recipes, keys: keyList{ring: &m.ring}, done: m.keep}
	m.e.enc.Best, m.e.enc.Most = m.best, m.most
	progress.Step(ctx, stepMaking, sizeOf(m.h.New))
	for i := range m.new.files {
		if !m.h.isMade(i) {
			m.unchanged(ctx, i)
			continue
		}
		m.e.begin(i)
		if err := m.file(ctx, i); err != nil {
			return err
		}
	}
	if err := m.e.end(); err != nil {
		return err
	}
	m.h.Recipes = m.recipes.list
	m.h.Keys = m.e.keys.keys()
	m.stats.Made = m.recipes.used
	m.h.Memory = memoryUsual + tableMemory*m.tabled
	return nil
}

// isCopied tells which old entries the new build has as they are.
func (m *maker) isCopied() func(*entry) bool {
	has := map[[16]byte]bool{}
	for i := range m.new.files {
		for _, x := range m.new.files[i].extents {
			has[x.sum] = true
		}
	}
	return func(e *entry) bool {
		for _, x := range m.old.files[e.file].extents[e.first : e.first+e.count] {
			if !has[x.sum] {
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
	progress.Of(ctx).Add(f.Size)
	if k := m.h.sameAs(i); k >= 0 {
		m.e.whole(k, i, f.Size)
	}
}

// check decodes a block of an old file, which may turn out not to be one.
func (m *maker) check(file int, x *extent) error {
	if x.sound || x.method == compress.None {
		return nil
	}
	_, err := m.reader.block(Range{File: file, Off: x.off, Stored: x.coded, Method: x.method, Size: x.size, Key: x.key})
	if errors.Is(err, ErrCorrupt) {
		x.opaque()
		err = nil
	}
	x.sound = err == nil
	return err
}

// keep puts a segment away until the header can have its hash.
func (m *maker) keep(stream []byte, file int) error {
	if len(stream) > maxSegment {
		return fmt.Errorf("a segment of %d bytes; at most %d may be", len(stream), maxSegment)
	}
	m.h.segments = append(m.h.segments, segment{stored: int64(len(stream)), sum: sumOfBytes(stream), file: file})
	if _, err := m.spool.Write(stream); err != nil || m.proof == nil {
		return err
	}
	return m.proof.take(provable{stream, file, slices.Clone(m.recipes.list), m.e.keys.blocks()})
}

// file makes the segments of one new file.
func (m *maker) file(ctx context.Context, i int) error {
	f := &fileMaker{maker: m, layout: &m.new.files[i], ctx: ctx, twin: m.pairs.files[i], wanted: -1}
	if err := f.readTables(); err != nil {
		return err
	}
	if err := f.firstTables(); err != nil {
		return err
	}
	if f.was != nil && f.was.kind == table.IoStore {
		if done, err := f.derive(0, f.Size); done || err != nil {
			return err
		}
	}
	for k := 0; k < len(f.extents); {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f.endFull(); err != nil {
			return err
		}
		before := f.pos
		n, err := f.extent(k)
		if err != nil {
			return err
		}
		progress.Of(ctx).Add(f.pos - before)
		k += n
		f.settle()
	}
	return f.lastTables()
}

// MakeFile makes a patch at path. It gets its name, in place of what is there,
// once it has been applied to the old files and the result was compared with the
// new ones, which is done while it is made; until then the folder needs room for
// the patch twice. The files must not mind being read by two goroutines.
func MakeFile(ctx context.Context, file string, old, new []Input, o *MakeOptions) (h *Header, s *Stats, err error) {
	out, err := atomicfile.Create(ctx, file, 0o644)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, out.Discard()) }()
	defer rescue.Into(&err)
	if h, s, err = makeProved(ctx, out.File, old, new, filepath.Dir(file), o, &trust{wanted: true}); err != nil {
		return nil, nil, err
	}
	if err := out.Chmod(0o644); err != nil {
		return nil, nil, err
	}
	return h, s, out.Commit()
}
