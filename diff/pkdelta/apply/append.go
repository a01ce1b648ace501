package apply

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"pakdb/codecs"
	"pakdb/diff/pkdelta"
	"pakdb/diff/pkdelta/program"
	"pakdb/internal/atomicfile"
	"pakdb/internal/stored"
)

// notAppended says why a file cannot be appended to.
type notAppended struct{ why error }

func (e *notAppended) Error() string { return e.why.Error() }
func (e *notAppended) Unwrap() error { return e.why }

func refuse(format string, args ...any) error { return &notAppended{fmt.Errorf(format, args...)} }

// appending is a place where what is new goes behind archives. A file that cannot be
// appended to is written anew, or, where the way back is kept, changed where it is.
type appending struct {
	*replacing
	registry *codecs.Registry
	open     *codecs.Options
}

func (a *appending) decide(ctx context.Context) error {
	return a.each(func(p *replaced) error {
		var err error
		p.grown, err = a.grow(ctx, p)
		var no *notAppended
		switch {
		case err == nil:
			return nil
		case !errors.As(err, &no):
			return err
		}
		p.note = fmt.Sprintf("not appended to: %s: %v", pkdelta.Printable(p.Name), no.why)
		if a.o.Undo == "" {
			p.whole = true
			return nil
		}
		if p.before.Sum, err = pkdelta.SumOf(ctx, p.f, p.before.Size); err != nil {
			return err
		}
		return p.compare(ctx)
	})
}

// growth is what is appended to an archive so that its entries are those of a
// newer version.
type growth struct {
	result *program.Virtual // the archive as it will be: what is there, and the rest behind it
	from   int64            // where the rest begins
	footer []byte           // with which the archive ends now
	kept   int              // entries that stay where they are
	moved  int              // entries that are appended
	dead   int64            // bytes that nothing needs then
	sealed bool             // a .sig is beside it
}

// size is how many bytes are written.
func (g *growth) size() int64 {
	return g.result.Size() - g.from + int64(len(g.footer))
}

// grow plans what is to be appended. Nothing is written.
func (a *appending) grow(ctx context.Context, p *replaced) (*growth, error) {
	old, err := a.relocator(ctx, codecs.Source{ReaderAt: p.base, Name: p.Name, Size: p.before.Size})
	if err != nil {
		return nil, err
	}
	m, err := a.mover(ctx, p.out, p.Name)
	if err != nil {
		return nil, err
	}
	if old.Footer() != m.of.Footer() {
		return nil, refuse("the new file is of another version of the format")
	}
	g := &growth{result: &program.Virtual{Spool: program.TempSpool()}, from: p.before.Size, footer: make([]byte, old.Footer())}
	if err := stored.ReadAt(p.base, g.footer, g.from-old.Footer()); err != nil {
		return nil, err
	}
	g.result.Add(p.base, 0, g.from)
	err = g.build(ctx, a, p, m)
	if err != nil {
		err = errors.Join(err, g.result.Spool.Close())
		return nil, err
	}
	_, err = a.s.dir.Stat(signatureOf(p.Name))
	g.sealed = err == nil
	return g, nil
}

func (g *growth) build(ctx context.Context, a *appending, p *replaced, m *mover) error {
	if err := m.stay(p.base, p.before.Size); err != nil {
		return err
	}
	if err := m.place(g.result, p.Size); err != nil {
		return err
	}
	footer, err := m.index(g.result)
	if err != nil {
		return err
	}
	if err := writeRecord(ctx, g.result, p.out, p.File, m, footer); err != nil {
		return err
	}
	if _, err := g.result.WriteAt(footer, g.result.Size()); err != nil {
		return err
	}
	if g.size() >= p.Size {
		return refuse("%d bytes would be appended, and the new file has %d", g.size(), p.Size)
	}
	g.kept, g.moved = m.kept, m.moved
	g.dead = g.result.Size() - m.live - int64(len(footer))
	if err := a.proveMoved(ctx, g.result, m, p.Name); err != nil {
		return err
	}
	return proveRecord(ctx, g.result, p.File)
}

// relocator opens an archive that can be appended to.
func (a *appending) relocator(ctx context.Context, src codecs.Source) (codecs.Relocator, error) {
	return openRelocator(ctx, a.registry, a.open, src)
}

func openRelocator(ctx context.Context, registry *codecs.Registry, opt *codecs.Options, src codecs.Source) (codecs.Relocator, error) {
	if registry == nil {
		return nil, refuse("no format is known")
	}
	f, err := registry.Detect(src)
	if err != nil {
		return nil, &notAppended{err}
	}
	opened, err := f.Open(ctx, src, opt)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &notAppended{err}
	}
	r, ok := codecs.ArchiveAs[codecs.Relocator](opened)
	if !ok {
		return nil, errors.Join(refuse("%s has no index at its end", f.Name), opened.Close())
	}
	return r, nil
}

// mover puts the entries of an archive, which is virtual, to other places.
type mover struct {
	of      codecs.Relocator
	from    *program.Virtual
	entries []transfer // by ordinal
	order   []*transfer
	kept    int
	moved   int
	live    int64 // bytes of entries and of the index
	indexAt int64
	indexN  int64
}

// transfer is an entry: where its record is, and where it will be.
type transfer struct {
	ordinal int
	off, n  int64
	head    int64 // of these, before the payload
	place   int64 // -1: not known yet
	same    bool  // the head does not change
}

func (a *appending) mover(ctx context.Context, v *program.Virtual, name string) (*mover, error) {
	r, err := a.relocator(ctx, codecs.Source{ReaderAt: v, Name: name, Size: v.Size()})
	if err != nil {
		return nil, err
	}
	return newMover(r, v)
}

func newMover(r codecs.Relocator, v *program.Virtual) (*mover, error) {
	m := &mover{of: r, from: v}
	for _, err := range r.Entries() {
		if err != nil {
			return nil, &notAppended{err}
		}
		e := transfer{ordinal: len(m.entries), place: -1}
		if e.off, e.n, err = r.Record(e.ordinal); err != nil {
			return nil, &notAppended{err}
		}
		if e.n > 0 {
			head, err := r.Head(e.ordinal, e.off)
			if err != nil {
				return nil, &notAppended{err}
			}
			e.head = int64(len(head))
		}
		m.entries = append(m.entries, e)
	}
	for i := range m.entries {
		if m.entries[i].n > 0 {
			m.order = append(m.order, &m.entries[i])
		}
	}
	slices.SortStableFunc(m.order, func(x, y *transfer) int { return cmp.Compare(x.off, y.off) })
	return m, nil
}

// stay leaves what stands in an old file, of size bytes, where it is.
func (m *mover) stay(old *program.Part, size int64) error {
	taken := map[int64]int64{} // by whose record: entries share one only if they did before
	for _, e := range m.order {
		at, ok := m.from.StandsAt(old, e.off+e.head, e.n-e.head)
		if at -= e.head; e.n == e.head {
			at, ok = m.from.StandsAt(old, e.off, e.n)
		}
		if !ok || at < 0 || at > size-e.n {
			continue
		}
		if by, twice := taken[at]; twice && by != e.off {
			continue
		}
		want, err := m.of.Head(e.ordinal, at)
		if err != nil {
			return err
		}
		have := make([]byte, len(want))
		if err := stored.ReadAt(old, have, at); err != nil {
			return err
		}
		if bytes.Equal(have, want) {
			e.place, taken[at] = at, e.off
			m.kept++
			m.live += e.n
		}
	}
	return nil
}

// maxAlign is the largest alignment that is kept.
const maxAlign = 64 << 10

// align is the power of two that all entries' places have been multiples of.
func (m *mover) align() int64 {
	align := int64(maxAlign)
	for _, e := range m.order {
		for e.off%align != 0 {
			align /= 2
		}
	}
	return align
}

// place appends what has no place yet to the result, unless that gets larger
// than it may by limit bytes.
func (m *mover) place(result *program.Virtual, limit int64) error {
	align, from := m.align(), result.Size()
	var last *transfer
	for _, e := range m.order {
		if e.place < 0 && last != nil && last.off == e.off && last.n == e.n {
			e.place = last.place // they are one already
		}
		if e.place < 0 {
			if err := m.append(e, result, align); err != nil {
				return err
			}
			if result.Size()-from > limit {
				return refuse("more would be appended than the %d bytes of the new file", limit)
			}
			m.moved++
			m.live += e.n
		}
		var err error
		if e.same, err = m.isSame(e); err != nil {
			return err
		}
		last = e
	}
	return nil
}

func (m *mover) append(e *transfer, result *program.Virtual, align int64) error {
	if over := result.Size() % align; over > 0 {
		if _, err := result.WriteAt(make([]byte, align-over), result.Size()); err != nil {
			return err
		}
	}
	e.place = result.Size()
	same, err := m.isSame(e)
	if err != nil {
		return err
	}
	if same {
		result.CopyFrom(m.from, e.off, e.n)
		return nil
	}
	head, err := m.of.Head(e.ordinal, e.place)
	if err != nil {
		return err
	}
	_, err = result.WriteAt(head, e.place)
	result.CopyFrom(m.from, e.off+e.head, e.n-e.head)
	return err
}

// isSame reports whether the head of an entry is in its place what it was.
func (m *mover) isSame(e *transfer) (bool, error) {
	before, err := m.of.Head(e.ordinal, e.off)
	if err != nil {
		return false, err
	}
	after, err := m.of.Head(e.ordinal, e.place)
	return bytes.Equal(before, after), err
}

// index appends the index, and returns the footer that belongs to it.
func (m *mover) index(result *program.Virtual) (footer []byte, err error) {
	places := make([]int64, len(m.entries))
	for i, e := range m.entries {
		places[i] = e.place
	}
	m.indexAt = result.Size()
	index, footer, err := m.of.Relocate(m.indexAt, places)
	if err != nil {
		return nil, &notAppended{err}
	}
	m.indexN = int64(len(index))
	m.live += m.indexN
	_, err = result.WriteAt(index, m.indexAt)
	return footer, err
}

// proveMoved opens the result and compares its entries, and where their bytes
// come from, with those that were to be moved.
func (a *appending) proveMoved(ctx context.Context, result *program.Virtual, m *mover, name string) error {
	r, err := a.relocator(ctx, codecs.Source{ReaderAt: result, Name: name, Size: result.Size()})
	if err != nil {
		return err
	}
	return m.compare(r, result)
}

func (m *mover) compare(r codecs.Relocator, result *program.Virtual) error {
	differ := func(i int) error { return refuse("entry %d would not be what it is in the new file", i) }
	var before []*codecs.Entry
	for e := range m.of.Entries() {
		before = append(before, e)
	}
	n := 0
	for e, err := range r.Entries() {
		if err != nil || n >= len(before) || !sameEntry(before[n], e) {
			return differ(n)
		}
		x := m.entries[n]
		off, size, err := r.Record(n)
		if err != nil || size != x.n || x.n > 0 && (off != x.place || !m.from.SameAs(x.off+x.head, result, x.place+x.head, x.n-x.head)) {
			return differ(n)
		}
		want, err := m.of.Head(n, x.place)
		if err != nil {
			return err
		}
		have := make([]byte, len(want))
		if err := stored.ReadAt(result, have, max(0, x.place)); err != nil || !bytes.Equal(have, want) {
			return differ(n)
		}
		n++
	}
	if n != len(before) {
		return differ(n)
	}
	if before, after := m.of.Info(), r.Info(); before.Version != after.Version || before.MountPoint != after.MountPoint || len(after.Warnings) > len(before.Warnings) {
		return refuse("the index would not be that of the new file")
	}
	return nil
}

// sameEntry compares what an index says about an entry, but for its place.
func sameEntry(x, y *codecs.Entry) bool {
	return x.Name == y.Name && x.PathHash == y.PathHash && x.Method == y.Method && x.Flags == y.Flags && x.Stored == y.Stored && x.Size == y.Size &&
		bytes.Equal(x.Sum.Bytes, y.Sum.Bytes) && slices.EqualFunc(x.Blocks, y.Blocks, func(p, q codecs.Block) bool {
		return p.Offset-x.Offset == q.Offset-y.Offset && p.Stored == q.Stored && p.Size == q.Size
	})
}

// action is what completes the growth once everything but its end is written: the
// old footer, which stands there, makes way for it.
func (g *growth) action(p *replaced, journal *program.Spool) (a action, err error) {
	a = action{kind: actGrow, name: p.Name, before: pkdelta.File{Size: g.from}, after: pkdelta.File{Size: g.result.Size()}}
	if a.before.Sum, err = identityOf(p.f, g.from); err != nil {
		return a, err
	}
	if a.after.Sum, err = tailSum(g.result, g.from, g.result.Size()); err != nil {
		return a, err
	}
	last := make([]byte, g.result.Size()-g.switched())
	if err := stored.ReadAt(g.result, last, g.switched()); err != nil {
		return a, err
	}
	at, err := journal.Store(last)
	a.pieces = []piece{{g.switched(), int64(len(last)), int64(len(journal.Head)) + at}}
	return a, err
}

// switched is where the part begins that makes the file the new version: the end
// of the record, and the footer.
func (g *growth) switched() int64 {
	return g.result.Size() - int64(len(g.footer)) - int64(len(recordMagic))
}

// append writes what is behind the old ends of archives, each of which remains
// what it is: the first thing that is written is the old footer, at the new end.
// How to take it back is on the disk before.
func (r *replacing) append(ctx context.Context) error {
	var cuts []action
	var list []*replaced
	for _, p := range r.list {
		if p.grown == nil {
			continue
		}
		id, err := identityOf(p.f, p.grown.from)
		if err != nil {
			return err
		}
		list = append(list, p)
		cuts = append(cuts, action{kind: actCut, name: p.Name, after: pkdelta.File{Size: p.grown.from, Sum: id}})
	}
	if len(list) == 0 {
		return nil
	}
	if err := writeJournal(r.s.dir, journalAppend, cuts); err != nil {
		return err
	}
	for _, p := range list {
		if err := p.grown.write(ctx, r.s.dir, p); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return nil
}

func (g *growth) write(ctx context.Context, dir *atomicfile.Dir, p *replaced) error {
	f, err := dir.OpenFile(p.Name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(g.footer, g.switched())
	if err == nil {
		err = writeRuns(ctx, f, g.result, g.from, g.switched())
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// signatureOf is the name of the file that signs an Unreal pak.
func signatureOf(name string) string {
	if i := len(name) - len(".pak"); i > 0 && name[i] == '.' {
		name = name[:i]
	}
	return name + ".sig"
}
