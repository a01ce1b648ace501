package publish

import (
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"

	"github.com/zeebo/blake3"
	"golang.org/x/sync/errgroup"

	"pakdb/diff/ship/store"
	"pakdb/internal/process"
)

// packs are those of a store.
type packs struct {
	out   *storeWriter
	quick bool // see [store.Deflater.DeflateQuickly]
	infos store.Tables
	last  int // largest number
	added int
}

// next returns the number of a new pack. Numbers are not used again.
func (p *packs) next() (n int, err error) {
	if p.out.bucket == nil {
		p.last++
		return p.last, nil
	}
	if n, err = p.out.bucket.number(p.last); err == nil {
		p.last = max(p.last, n)
	}
	return n, err
}

// packNumbers returns the packs that are in a store, in their order.
func packNumbers(dir string) (numbers []int, err error) {
	entries, err := os.ReadDir(filepath.Join(dir, "p"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil && n > 0 && store.PackName(n) == "p/"+e.Name() {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// packer writes packs of one kind: data, or lists. Where a frame and a pack end
// depends on what is in them, not on how well that compresses, so that places
// are known before frames are compressed, which all processors do.
type packer struct {
	packs  *packs
	goal   int
	number int // of the open pack
	frames [][]byte
	size   int  // decoded
	apart  bool // the next chunk begins a frame
	rows   []store.Row
	before *pack // that is being written; nil: none
}

// pack is on its way to the disk.
type pack struct {
	info   store.PackInfo
	frames [][]byte
	rows   []store.Row
	size   int64         // stored
	done   chan struct{} // closed after err
	err    error
}

// cut begins a frame: what follows is not fetched together with what was before.
func (p *packer) cut() { p.apart = true }

// add puts a chunk into the open frame.
func (p *packer) add(kind int, k store.Key, data []byte, content int64) (store.Place, error) {
	if p.size > store.PackGoal && (p.apart || len(p.frames[len(p.frames)-1])+len(data) > p.goal) {
		if err := p.end(); err != nil {
			return store.Place{}, err
		}
	}
	if p.number == 0 {
		var err error
		if p.number, err = p.packs.next(); err != nil {
			return store.Place{}, err
		}
	}
	last := len(p.frames) - 1
	if last < 0 || len(p.frames[last]) > 0 && (p.apart || len(p.frames[last])+len(data) > p.goal) {
		p.frames = append(p.frames, nil)
		last++
	}
	p.apart = false
	at := store.Place{Pack: p.number, Frame: last, At: len(p.frames[last]), Size: len(data)}
	p.frames[last] = append(p.frames[last], data...)
	p.size += len(data)
	if k != (store.Key{}) {
		p.rows = append(p.rows, store.Row{Kind: kind, Key: k, Place: at, Content: content})
	}
	return at, nil
}

// end lets the open pack be written, while others are filled. It waits for the one before.
func (p *packer) end() error {
	if err := p.wait(); err != nil || len(p.frames) == 0 {
		return err
	}
	w := &pack{info: store.PackInfo{Number: p.number}, frames: p.frames, rows: p.rows, done: make(chan struct{})}
	p.before = w
	p.number, p.frames, p.size, p.rows = 0, nil, 0, nil
	go func() {
		defer close(w.done)
		w.err = process.RescueCall(func() error { return w.write(p.packs) })
	}()
	return nil
}

// wait waits until the pack before the open one is on the disk, and lists it.
func (p *packer) wait() error {
	w := p.before
	if w == nil {
		return nil
	}
	<-w.done
	p.before = nil
	if w.err != nil {
		return w.err
	}
	p.packs.infos[w.info.Number] = w.info
	p.packs.added++
	p.packs.out.written += w.size
	return nil
}

// write compresses and writes a pack.
func (w *pack) write(p *packs) error {
	deflate := deflater.Deflate
	if p.quick {
		deflate = deflater.DeflateQuickly
	}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	stored := make([][]byte, len(w.frames))
	for i, f := range w.frames {
		g.Go(process.RescueFunc(func() (err error) {
			stored[i], err = deflate(f)
			return err
		}))
	}
	if err := g.Wait(); err != nil {
		return err
	}
	w.info.Ends = make([]uint32, len(stored))
	var out []byte
	for i, b := range stored {
		out = append(out, b...)
		w.info.Ends[i] = uint32(len(out))
	}
	dir, err := deflater.Deflate(store.MarshalRows(&w.info, w.rows))
	if err != nil {
		return err
	}
	out = append(out, dir...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(dir)))
	out = append(out, store.PackMagic...)
	w.info.Sum, w.size = store.KeyOf(out), int64(len(out))
	return p.out.writeFile(store.PackName(w.info.Number), out)
}

// earlierTables are the tables of packs that the last build has.
type earlierTables struct {
	refs  []store.TableRef
	packs [][]int // which packs each has
}

// write writes where the frames of all packs are. Those that earlier tables
// have stay in them, so that clients read of new packs alone; but a table that is
// not twice as large as what follows it is joined with that, so that there are
// few.
func (t *earlierTables) write(p *packs) ([]store.TableRef, error) {
	refs := slices.Clone(t.refs)
	known := map[int]bool{}
	for i := range refs {
		for _, n := range t.packs[i] {
			known[n] = true
		}
	}
	var fresh []int
	for _, n := range slices.Sorted(maps.Keys(p.infos)) {
		if !known[n] {
			fresh = append(fresh, n)
		}
	}
	if len(fresh) == 0 {
		return refs, nil
	}
	for k := len(refs) - 1; k >= 0 && (refs[k].Last >= fresh[0] || len(t.packs[k]) <= 2*len(fresh)); k-- {
		fresh = append(fresh, t.packs[k]...)
		slices.Sort(fresh)
		refs = refs[:k]
	}
	fresh = slices.DeleteFunc(fresh, func(n int) bool { _, there := p.infos[n]; return !there })
	for len(fresh) > 0 {
		n := p.infos.Fit(fresh)
		id, err := p.out.object(p.infos.Marshal(fresh[:n]))
		if err != nil {
			return nil, err
		}
		refs = append(refs, store.TableRef{First: fresh[0], Last: fresh[n-1], Object: id})
		fresh = fresh[n:]
	}
	return refs, nil
}

// pastContents are those of an earlier build, by their names. It is not safe for concurrent use; nil
// has none.
type pastContents struct {
	files  map[string]map[uint64]int32 // in list, by path
	any    map[uint64]int32            // whatever the file, of entries
	keys   map[store.Key]int32
	list   []store.Named // each once, by the first of its names
	reader *store.StoreReader
	fine   *fineIndex // nil: not asked for yet
}

// readPast reads the names of the contents of a build.
func readPast(s *store.StoreReader, b *store.Build) (*pastContents, error) {
	e := &pastContents{files: map[string]map[uint64]int32{}, any: map[uint64]int32{}, keys: map[store.Key]int32{}, reader: s}
	gaps := map[uint64]bool{store.NameOf(store.SkeletonName, 0): true, store.NameOf("\x00end", 0): true}
	for i := range 64 {
		gaps[store.NameOf("\x00gap", i)] = true
	}
	for _, f := range b.Files {
		names, err := store.ReadNames(s.From, f.Sum)
		if err != nil {
			return nil, err
		}
		m := make(map[uint64]int32, len(names))
		for _, n := range names {
			at, there := e.keys[n.Key]
			if !there {
				at = int32(len(e.list))
				e.keys[n.Key] = at
				e.list = append(e.list, n)
			}
			m[n.Name] = at
			if _, there := e.any[n.Name]; !there && !gaps[n.Name] {
				e.any[n.Name] = at
			}
		}
		e.files[f.Path] = m
	}
	return e, nil
}

// Origin returns what a content of a file was in the earlier build: that of its
// name in the file of that path, else in any, else the most similar one; data
// gives it. There is none for a content that the earlier build has too.
func (e *pastContents) Origin(ctx context.Context, path string, n store.Named, data func() ([]byte, error)) (old store.Named, ok bool, err error) {
	if e == nil || n.Size == 0 || n.Size > store.MaxCoded {
		return store.Named{}, false, nil
	}
	if _, has := e.keys[n.Key]; has {
		return store.Named{}, false, nil
	}
	at, ok := e.files[path][n.Name]
	if !ok {
		at, ok = e.any[n.Name]
	}
	if ok {
		old = e.list[at]
		return old, old.Size > 0 && old.Size <= store.MaxCoded, nil
	}
	b, err := data()
	if err != nil || b == nil {
		return store.Named{}, false, err
	}
	if e.fine == nil {
		if e.fine, err = newFineIndex(ctx, e.reader, e.list); err != nil {
			return store.Named{}, false, err
		}
	}
	old, ok = e.fine.origin(b)
	return old, ok, nil
}

// pastContents whose names show nothing, since they were renamed, moved and edited,
// or made of parts of others, are paired by what they have in common: pieces of
// about 1 KiB that end where their own bytes say so.
const (
	minFine   = 256
	maxFine   = 8 << 10
	fineBits  = 10
	leastFine = 512     // bytes in common that make an origin
	mostFine  = 1 << 20 // pieces that are remembered; of larger builds one in two, four ...
)

// fine calls use for the pieces of a content.
func fine(b []byte, use func(id uint64, n int)) {
	for len(b) > 0 {
		n := store.Rolling.Cut(b[:min(len(b), maxFine)], minFine, fineBits)
		sum := blake3.Sum256(b[:n])
		use(store.Key(sum[:16]).Short(), n)
		b = b[n:]
	}
}

// pieces of the contents of an earlier build, by which similar ones are found.
type fineIndex struct {
	list []store.Named
	at   map[uint64]int32 // in the list: the first that has a piece
	mask uint64           // of ids that are not remembered
}

// newFineIndex reads the contents of an earlier build.
func newFineIndex(ctx context.Context, s *store.StoreReader, list []store.Named) (*fineIndex, error) {
	x := &fineIndex{list: list, at: map[uint64]int32{}}
	total := int64(0)
	for _, n := range list {
		total += n.Size
	}
	for total>>fineBits/int64(x.mask+1) > mostFine {
		x.mask = x.mask<<1 | 1
	}
	type look struct {
		i   int32
		has []uint64
		err error
	}
	all := func(yield func(*look, error) bool) {
		for i, n := range list {
			if n.Size > 0 && n.Size <= store.MaxCoded && !yield(&look{i: int32(i)}, nil) {
				return
			}
		}
	}
	work := func(_ context.Context, l *look) {
		var b []byte
		if b, l.err = s.Content(list[l.i].Key, list[l.i].Size); l.err != nil {
			return
		}
		fine(b, func(id uint64, _ int) {
			if id&x.mask == 0 {
				l.has = append(l.has, id)
			}
		})
	}
	workers := runtime.GOMAXPROCS(0)
	err := process.InOrder(ctx, all, workers, 2*workers, work, func(l *look) error {
		for _, id := range l.has {
			if _, there := x.at[id]; !there {
				x.at[id] = l.i
			}
		}
		return l.err
	}, func(*look) {})
	return x, err
}

// origin returns the content that has most of b.
func (x *fineIndex) origin(b []byte) (store.Named, bool) {
	score := map[int32]int{}
	fine(b, func(id uint64, n int) {
		if i, ok := x.at[id]; ok {
			score[i] += n
		}
	})
	best, most := int32(-1), leastFine-1
	for i, n := range score {
		if n > most || n == most && i < best {
			best, most = i, n
		}
	}
	if best < 0 {
		return store.Named{}, false
	}
	return x.list[best], true
}
