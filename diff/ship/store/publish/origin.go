package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/zeebo/blake3"

	"pakdb/diff/ship/internal/coder"
	"pakdb/diff/ship/store"
	"pakdb/internal/atomicfile"
	"pakdb/internal/process"
	"pakdb/internal/stored"
)

// deltaMaker makes lists of deltas for one build.
type deltaMaker struct {
	out     *storeWriter
	reader  *store.StoreReader
	follows *store.Build  // the last build; nil: none
	before  *pastContents // of that, if they are known
	files   []store.DeltaFile
	have    map[[2]store.Key]store.ContentDelta // made for this build; of no use: n is 0
	made    int
}

// from makes deltas from the contents of earlier builds to those of the build.
func (d *deltaMaker) from(ctx context.Context, earlier []*store.Build, b *store.Build) (refs []store.DeltaRef, err error) {
	for _, from := range slices.Backward(earlier) {
		pairs, err := d.pairs(ctx, b, from)
		if err != nil {
			return refs, fmt.Errorf("deltas from %q: %w", from.Label, err)
		}
		list, err := d.list(ctx, pairs)
		if err != nil {
			return nil, fmt.Errorf("deltas from %q: %w", from.Label, err)
		}
		if len(list.Deltas) == 0 {
			continue
		}
		id, err := d.out.object(list.Marshal())
		if err != nil {
			return nil, err
		}
		size, err := d.out.size(store.ObjectName(id))
		if err != nil {
			return nil, err
		}
		d.made += len(list.Deltas)
		refs = append(refs, store.DeltaRef{From: from.Label, Count: len(list.Deltas), Size: size, Object: id})
	}
	return refs, nil
}

// pair is a content and what it was.
type pair struct {
	old, new store.Named
	stream   []byte // nil: does not pay
	err      error
}

// pairs finds the contents of b that a build had in another form, in the order
// in which they are in the build.
func (d *deltaMaker) pairs(ctx context.Context, b, from *store.Build) (list []*pair, err error) {
	before := d.before
	if from != d.follows {
		if before, err = readPast(d.reader, from); err != nil {
			return nil, err
		}
	}
	seen := map[store.Key]bool{}
	for _, f := range b.Files {
		names, err := store.ReadNames(d.out.from, f.Sum)
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			if seen[n.Key] {
				continue
			}
			seen[n.Key] = true
			old, ok, err := before.Origin(ctx, f.Path, n, func() ([]byte, error) { return d.reader.Content(n.Key, n.Size) })
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
func (d *deltaMaker) list(ctx context.Context, pairs []*pair) (*store.DeltaList, error) {
	out, err := newDeltaFile(d.out.out)
	if err != nil {
		return nil, err
	}
	if err := d.make(ctx, pairs, out); err != nil {
		return nil, errors.Join(err, out.discard())
	}
	if err := out.close(); err != nil {
		return nil, err
	}
	if out.Size > 0 {
		if err := d.out.made(out.Name()); err != nil {
			return nil, err
		}
		d.files = append(d.files, out.DeltaFile)
		d.out.written += out.Size
	}
	l := &store.DeltaList{Files: d.files}
	for _, p := range pairs {
		if c := d.have[[2]store.Key{p.old.Key, p.new.Key}]; c.N > 0 {
			l.Deltas = append(l.Deltas, c)
		}
	}
	// A client reads lists of a bounded size: those that save most stay.
	for most := store.MaxDeltaList / 48; len(l.Deltas) > most; {
		slices.SortStableFunc(l.Deltas, func(a, b store.ContentDelta) int { return cmp.Compare(b.NewSize-b.N, a.NewSize-a.N) })
		l.Deltas = l.Deltas[:most]
	}
	slices.SortStableFunc(l.Deltas, func(a, b store.ContentDelta) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Off, b.Off))
	})
	return l, nil
}

func (d *deltaMaker) make(ctx context.Context, pairs []*pair, out *deltaWriter) error {
	encoders := sync.Pool{New: func() any { return &coder.Encoder{} }}
	work := func(_ context.Context, p *pair) {
		enc := encoders.Get().(*coder.Encoder)
		p.stream, p.err = d.delta(enc, p)
		encoders.Put(enc)
	}
	total := int64(0)
	var missing []*pair
	for _, p := range pairs {
		if _, there := d.have[[2]store.Key{p.old.Key, p.new.Key}]; !there {
			missing = append(missing, p)
			total += p.new.Size
		}
	}
	items := func(yield func(*pair, error) bool) {
		for _, p := range missing {
			if !yield(p, nil) {
				return
			}
		}
	}
	watch := stored.Step(ctx, store.StepDeltas, total)
	// Each holds both contents and an index of the old one.
	workers := min(runtime.GOMAXPROCS(0), 4)
	return process.InOrder(ctx, items, workers, workers, work, func(p *pair) error {
		if p.err != nil {
			return p.err
		}
		c := store.ContentDelta{
			Old: p.old.Key.Short(), New: p.new.Key.Short(), OldSize: p.old.Size, NewSize: p.new.Size,
			File: len(d.files), Off: out.Size, N: int64(len(p.stream)),
		}
		d.have[[2]store.Key{p.old.Key, p.new.Key}] = c
		watch.Add(p.new.Size)
		_, err := out.Write(p.stream)
		p.stream = nil
		return err
	}, func(*pair) {})
}

// delta makes one, unless it takes more than the chunks that the old content has
// not.
func (d *deltaMaker) delta(enc *coder.Encoder, p *pair) ([]byte, error) {
	old, err := d.reader.Content(p.old.Key, p.old.Size)
	if err != nil {
		return nil, err
	}
	new, err := d.reader.Content(p.new.Key, p.new.Size)
	if err != nil {
		return nil, err
	}
	stream := store.Encode(enc, old, new)
	if limit := missingSize(old, new); len(stream) > limit+limit/10 {
		return nil, nil // its chunks are in frames with others that deltas make
	}
	return stream, nil
}

// missingSize is about what the chunks take that old has not.
func missingSize(old, new []byte) int {
	have := map[store.Key]bool{}
	for at := 0; at < len(old); {
		n := store.CutWhole(old[at:], at)
		have[store.KeyOf(old[at:at+n])] = true
		at += n
	}
	var missing []byte
	for at := 0; at < len(new); {
		n := store.CutWhole(new[at:], at)
		if !have[store.KeyOf(new[at:at+n])] {
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
	store.DeltaFile
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
	w.Size += int64(len(b))
	return w.file.Write(b)
}

func (w *deltaWriter) discard() error { return w.file.Discard() }

func (w *deltaWriter) close() error {
	if w.Size == 0 {
		return w.discard()
	}
	w.Sum = store.Key(w.hash.Sum(nil)[:16])
	w.file.As(w.Name())
	err := w.file.Chmod(0o644)
	if err == nil {
		err = w.file.Sync()
	}
	if err == nil {
		err = w.file.Place()
	}
	return errors.Join(err, w.file.Discard())
}
