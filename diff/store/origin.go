package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/zeebo/blake3"

	"pakdb/diff/delta"
	"pakdb/internal/atomicfile"
	"pakdb/internal/fields"
	"pakdb/internal/ordered"
	"pakdb/internal/progress"
)

// A content delta makes a content of a build from one of an earlier build
// (package delta), wherever that is: in the file as it was published, in a mix,
// in a modded one.
type contentDelta struct {
	old, new         uint64 // ids
	oldSize, newSize int64
	file             int // of the list's files
	off, n           int64
}

// deltaList is a build's deltas from one earlier build.
type deltaList struct {
	files  []deltaFile
	deltas []contentDelta
}

// deltaFile holds deltas, one behind the other. It is named by the first 16
// bytes of its BLAKE3.
type deltaFile struct {
	sum  key
	size int64
}

func (f *deltaFile) name() string { return deltaName(hex.EncodeToString(f.sum[:])) }

const (
	deltasMagic = "pkdeltas\x01"
	maxCoded    = 64 << 20 // bytes of a content that deltas are made for, and of its origin
	maxStream   = 8 << 20  // bytes of a delta that a client takes: some are fetched at a time, and held; larger ones save little
)

func (l *deltaList) marshal() []byte {
	b := binary.AppendUvarint([]byte(deltasMagic), uint64(len(l.files)))
	for _, f := range l.files {
		b = append(b, f.sum[:]...)
		b = binary.AppendUvarint(b, uint64(f.size))
	}
	b = binary.AppendUvarint(b, uint64(len(l.deltas)))
	for _, d := range l.deltas {
		b = binary.LittleEndian.AppendUint64(b, d.old)
		b = binary.LittleEndian.AppendUint64(b, d.new)
	}
	for _, d := range l.deltas {
		b = binary.AppendUvarint(b, uint64(d.oldSize))
		b = binary.AppendVarint(b, d.newSize-d.oldSize)
	}
	file, at := 0, int64(0)
	for _, d := range l.deltas {
		b = binary.AppendUvarint(b, uint64(d.n))
		b = binary.AppendVarint(b, int64(d.file-file))
		b = binary.AppendVarint(b, d.off-at)
		file, at = d.file, d.off+d.n
	}
	return b
}

func parseDeltaList(b []byte) (*deltaList, error) {
	f := fields.New(b, ErrCorrupt)
	if string(f.Bytes(len(deltasMagic))) != deltasMagic {
		f.Fail("not a list of deltas")
	}
	l := &deltaList{files: make([]deltaFile, f.Count("files", maxNumber, 16+1))}
	for i := range l.files {
		l.files[i] = deltaFile{key(f.Bytes(16)), f.Number("size of a file", maxDelta)}
	}
	l.deltas = make([]contentDelta, f.Count("deltas", maxNumber, 8+8+1+1+1+1+1))
	for i := range l.deltas {
		l.deltas[i].old, l.deltas[i].new = f.Uint64(), f.Uint64()
	}
	for i := range l.deltas {
		d := &l.deltas[i]
		d.oldSize = f.Number("size of a content", maxCoded)
		d.newSize = d.oldSize + f.Signed("size of a content", maxCoded)
		if d.newSize <= 0 || d.newSize > maxCoded {
			f.Fail("a content of %d bytes", d.newSize)
		}
	}
	file, at := int64(0), int64(0)
	for i := range l.deltas {
		d := &l.deltas[i]
		d.n = f.Number("size of a delta", maxCoded)
		file += f.Signed("file", maxNumber)
		d.off = at + f.Signed("place of a delta", maxDelta)
		if d.file = int(file); file < 0 || d.file >= len(l.files) || d.off < 0 || d.n > l.files[d.file].size || d.off > l.files[d.file].size-d.n {
			f.Fail("a delta that is not in its file")
			break
		}
		at = d.off + d.n
	}
	return l, end(f)
}

// encode makes the delta from old to new.
func encode(enc *delta.Encoder, old, new []byte) []byte {
	enc.Reset()
	x := delta.NewIndex(old)
	guess := int64(0)
	for at := 0; at < len(new); at += delta.MaxContent {
		enc.Content(new[at:min(at+delta.MaxContent, len(new))], x, guess, int64(len(old)))
		guess = enc.Next()
	}
	return bytes.Clone(enc.Bytes())
}

// deltaReader decodes a delta.
type deltaReader struct {
	dec   *delta.Decoder
	old   delta.Old
	left  int64
	guess int64
	rest  []byte
}

func newDeltaReader(dec *delta.Decoder, stream []byte, old delta.Old, size int64) *deltaReader {
	dec.Reset(stream)
	return &deltaReader{dec: dec, old: old, left: size}
}

func (r *deltaReader) Read(p []byte) (n int, err error) {
	if len(r.rest) == 0 {
		if r.left == 0 {
			return 0, io.EOF
		}
		if r.rest, err = r.dec.Content(int(min(r.left, delta.MaxContent)), r.old, r.guess, r.old.Size()); err != nil {
			return 0, fmt.Errorf("%w: %w", ErrCorrupt, err)
		}
		r.guess = r.dec.Next()
		r.left -= int64(len(r.rest))
	}
	n = copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// contentDeltas makes deltas from the contents of the last builds to those of
// the build.
func (p *publisher) contentDeltas(ctx context.Context, b *Build, earlier []*Build) (refs []DeltaRef, err error) {
	earlier = slices.DeleteFunc(slices.Clone(earlier), func(e *Build) bool { return e.Label == b.Label })
	d := &deltaMaker{p: p, have: map[[2]key]contentDelta{}, s: p.reader()}
	for _, from := range slices.Backward(earlier[max(0, len(earlier)-p.opt.Deltas):]) {
		pairs, err := d.pairs(ctx, b, from)
		if err != nil {
			return refs, fmt.Errorf("deltas from %q: %w", from.Label, err)
		}
		list, err := d.list(ctx, pairs)
		if err != nil {
			return nil, fmt.Errorf("deltas from %q: %w", from.Label, err)
		}
		if len(list.deltas) == 0 {
			continue
		}
		id, err := p.object(list.marshal())
		if err != nil {
			return nil, err
		}
		st, err := os.Stat(filepath.Join(p.dir, "m", id))
		if err != nil {
			return nil, err
		}
		p.stats.ContentDeltas += len(list.deltas)
		refs = append(refs, DeltaRef{From: from.Label, Count: len(list.deltas), Size: st.Size(), Object: id})
	}
	return refs, nil
}

// deltaMaker makes lists of deltas for one build.
type deltaMaker struct {
	p     *publisher
	s     *storeReader
	files []deltaFile
	have  map[[2]key]contentDelta // made for this build; of no use: n is 0
}

// pair is a content and what it was.
type pair struct {
	old, new named
	stream   []byte // nil: does not pay
	err      error
}

// pairs finds the contents of b that a build had in another form, in the order
// in which they stand in the build.
func (d *deltaMaker) pairs(ctx context.Context, b, from *Build) (list []*pair, err error) {
	before := d.p.before
	if from != d.p.follows {
		if before, err = newEarlierContents(d.s, from); err != nil {
			return nil, err
		}
	}
	seen := map[key]bool{}
	for _, f := range b.Files {
		names, err := readNames(d.p.dir, f.Sum)
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			if seen[n.key] {
				continue
			}
			seen[n.key] = true
			old, ok, err := before.origin(ctx, f.Path, n, func() ([]byte, error) { return d.s.content(n.key, n.size) })
			if err != nil {
				return nil, err
			}
			if ok {
				list = append(list, &pair{old: old, new: n})
			}
		}
	}
	return list, nil
}

// list makes the deltas that are not there, in one file, and lists all.
func (d *deltaMaker) list(ctx context.Context, pairs []*pair) (*deltaList, error) {
	out, err := newDeltaFile(d.p.out)
	if err != nil {
		return nil, err
	}
	if err := d.make(ctx, pairs, out); err != nil {
		return nil, errors.Join(err, out.discard())
	}
	if err := out.close(); err != nil {
		return nil, err
	}
	if out.size > 0 {
		d.files = append(d.files, out.deltaFile)
		d.p.stats.Written += out.size
	}
	l := &deltaList{files: d.files}
	for _, p := range pairs {
		if c := d.have[[2]key{p.old.key, p.new.key}]; c.n > 0 {
			l.deltas = append(l.deltas, c)
		}
	}
	// A client reads lists of a bounded size: those that save most stay.
	for most := maxDeltaList / 48; len(l.deltas) > most; {
		slices.SortStableFunc(l.deltas, func(a, b contentDelta) int { return cmp.Compare(b.newSize-b.n, a.newSize-a.n) })
		l.deltas = l.deltas[:most]
	}
	slices.SortStableFunc(l.deltas, func(a, b contentDelta) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.off, b.off))
	})
	return l, nil
}

func (d *deltaMaker) make(ctx context.Context, pairs []*pair, out *deltaWriter) error {
	encoders := sync.Pool{New: func() any { return &delta.Encoder{} }}
	work := func(_ context.Context, p *pair) {
		enc := encoders.Get().(*delta.Encoder)
		p.stream, p.err = d.delta(enc, p)
		encoders.Put(enc)
	}
	total := int64(0)
	var missing []*pair
	for _, p := range pairs {
		if _, there := d.have[[2]key{p.old.key, p.new.key}]; !there {
			missing = append(missing, p)
			total += p.new.size
		}
	}
	items := func(yield func(*pair, error) bool) {
		for _, p := range missing {
			if !yield(p, nil) {
				return
			}
		}
	}
	watch := progress.Step(ctx, stepDeltas, total)
	// Each holds both contents and an index of the old one.
	workers := min(runtime.GOMAXPROCS(0), 4)
	return ordered.Do(ctx, items, workers, workers, work, func(p *pair) error {
		if p.err != nil {
			return p.err
		}
		c := contentDelta{
			old: p.old.key.short(), new: p.new.key.short(), oldSize: p.old.size, newSize: p.new.size,
			file: len(d.files), off: out.size, n: int64(len(p.stream)),
		}
		d.have[[2]key{p.old.key, p.new.key}] = c
		watch.Add(p.new.size)
		_, err := out.Write(p.stream)
		p.stream = nil
		return err
	}, func(*pair) {})
}

// delta makes one, unless it takes more than the chunks that the old content has
// not.
func (d *deltaMaker) delta(enc *delta.Encoder, p *pair) ([]byte, error) {
	old, err := d.s.content(p.old.key, p.old.size)
	if err != nil {
		return nil, err
	}
	new, err := d.s.content(p.new.key, p.new.size)
	if err != nil {
		return nil, err
	}
	stream := encode(enc, old, new)
	if limit := missingSize(old, new); len(stream) > limit+limit/10 {
		return nil, nil // its chunks are in frames with others that deltas make
	}
	return stream, nil
}

// missingSize is about what the chunks take that old has not.
func missingSize(old, new []byte) int {
	have := map[key]bool{}
	for at := 0; at < len(old); {
		n := cutWhole(old[at:], at)
		have[keyOf(old[at:at+n])] = true
		at += n
	}
	var missing []byte
	for at := 0; at < len(new); {
		n := cutWhole(new[at:], at)
		if !have[keyOf(new[at:at+n])] {
			missing = append(missing, new[at:at+n]...)
		}
		at += n
	}
	z, _ := quick.Get().(*zstd.Encoder)
	if z == nil {
		return len(missing)
	}
	defer quick.Put(z)
	return len(z.EncodeAll(missing, nil))
}

var quick = sync.Pool{New: func() any {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20))
	if err != nil {
		return nil
	}
	return z
}}

// deltaWriter writes a file of deltas, which has no name until it is complete.
type deltaWriter struct {
	deltaFile
	file *atomicfile.Temp
	hash *blake3.Hasher
}

func newDeltaFile(dir *atomicfile.Dir) (*deltaWriter, error) {
	if err := dir.MkdirAll("d"); err != nil {
		return nil, err
	}
	f, err := dir.Create("d/contents", 0o644)
	return &deltaWriter{file: f, hash: blake3.New()}, err
}

func (w *deltaWriter) Write(b []byte) (int, error) {
	_, _ = w.hash.Write(b)
	w.size += int64(len(b))
	return w.file.Write(b)
}

func (w *deltaWriter) discard() error { return w.file.Discard() }

func (w *deltaWriter) close() error {
	if w.size == 0 {
		return w.discard()
	}
	w.sum = key(w.hash.Sum(nil)[:16])
	w.file.As(w.name())
	err := w.file.Chmod(0o644)
	if err == nil {
		err = w.file.Sync()
	}
	if err == nil {
		err = w.file.Place()
	}
	return errors.Join(err, w.file.Discard())
}
