package indexer

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/zeebo/blake3"
	"golang.org/x/sync/errgroup"

	"pakdb/codecs"
	"pakdb/internal/asset"
	"pakdb/internal/atomicfile"
	"pakdb/internal/process"
	"pakdb/schema"
)

// Lists without tags are read by the classes of the game: those of its program, which
// mappings have, and those that other packages of the build declare. So such packages
// are read once more when the scan is over: those that declare classes first. Packages
// that do not state their engine are read by the one that most of them fit.

// again reads values that need more than their content.
type again struct {
	*worker
	open     *opener
	reader   *codecs.ValueReader
	mappings []schema.Mapping
	odd      []string       // items of mappings
	classes  codecs.Classes // nil: there are no mappings
	names    func() any     // of the program's classes, by mappings; nil: there are none
	votes    map[int64]int  // by the engine of the tables: by which values are understood best
}

// readAgain reads all such values of the build.
func (s *scan) readAgain(ctx context.Context) error {
	reader := s.o.Registry.Values
	if reader == nil {
		return nil
	}
	a := &again{worker: s.worker(), open: s.open, reader: reader, votes: map[int64]int{}}
	all, err := a.loadMappings(ctx, s.build, s.o.Mappings)
	if err != nil {
		return err
	}
	s.report.Opaque.MappingProblems = a.odd
	for i := range a.mappings {
		s.report.Opaque.Mappings = cmp.Or(s.report.Opaque.Mappings, a.mappings[i].Name)
	}
	targets, err := s.build.ValueTargets(ctx)
	if err != nil || len(targets) == 0 {
		return err
	}
	if len(all) > 0 {
		a.classes = reader.Classes(all)
		if all[0].Names != nil {
			a.names = sync.OnceValue(all[0].Names)
		}
	}
	state := a.state(targets)
	if err := s.build.SetValueState(ctx, state); err != nil {
		return err
	}
	taken, err := s.build.HoldValues(ctx, state, targets)
	if err != nil {
		return err
	}
	rest := a.filter(targets, func(t *schema.ValueTarget) bool { return !taken[[2]int64{t.Content, t.Header}] })
	if len(rest) == 0 {
		if a.classes != nil { // the values are marked
			s.report.Opaque.Doubted, err = s.build.MarkGuessed(ctx, nil)
		}
		return err
	}
	if s.o.Engine == 0 {
		if err := a.vote(ctx, rest); err != nil {
			return err
		}
	}
	if a.classes != nil {
		err = a.each(ctx, a.filter(targets, func(t *schema.ValueTarget) bool { return t.Declares && t.Unversioned }), &visit{workers: 1, do: a.declare})
	}
	if err != nil {
		return err
	}
	rest = a.filter(rest, func(t *schema.ValueTarget) bool {
		engine := int64(a.engineOf(t))
		return t.Unversioned && a.classes != nil || t.Guessed && engine != 0 && engine != t.Engine
	})
	if err := a.readAll(ctx, s.build, rest); err != nil || a.classes == nil {
		return err
	}
	s.report.Opaque.Doubted, err = s.build.MarkGuessed(ctx, a.classes.Doubted)
	return err
}

// loadMappings parses the mappings that were given, and has the catalog keep them; or
// else those that it keeps.
func (a *again) loadMappings(ctx context.Context, build *schema.Build, given []schema.Mapping) (all []*codecs.Mappings, err error) {
	a.mappings, given = given, slices.Clone(given)
	if len(given) == 0 {
		if a.mappings, err = build.Mappings(ctx); err != nil {
			return nil, err
		}
	}
	for i := range a.mappings {
		m, err := a.reader.Mappings(a.mappings[i].Name, a.mappings[i].Data)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
		for _, problem := range m.Problems {
			a.odd = append(a.odd, a.mappings[i].Name+": "+problem.Error())
		}
		if len(given) > 0 {
			given[i].Classes = &schema.Values{Reader: valuesName(a.reader), Exports: int64(m.Count), Rows: m.Rows()}
		}
	}
	if len(given) > 0 {
		err = build.RememberMappings(ctx, given)
	}
	return all, err
}

// state is a hash of everything that decides how values are read: the mappings, the engine that was
// given, and the packages that declare classes.
func (a *again) state(targets []schema.ValueTarget) int64 {
	h := blake3.New()
	_, _ = h.WriteString(valuesName(a.reader))
	for i := range a.mappings {
		digest := blake3.Sum256(a.mappings[i].Data)
		_, _ = h.Write(digest[:])
	}
	numbers := []int64{int64(a.options.Engine)}
	for i := range targets {
		if t := &targets[i]; t.Declares && t.Unversioned {
			numbers = append(numbers, t.Content, t.Header)
		}
	}
	for _, n := range numbers {
		_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, uint64(n)))
	}
	return int64(binary.LittleEndian.Uint64(h.Sum(nil)))
}

func (a *again) filter(targets []schema.ValueTarget, wanted func(*schema.ValueTarget) bool) (chosen []schema.ValueTarget) {
	for i := range targets {
		if wanted(&targets[i]) {
			chosen = append(chosen, targets[i])
		}
	}
	return chosen
}

// exportsIn is the exports of a package, ready to be read.
type exportsIn struct {
	facts      *codecs.Facts
	content    io.ReaderAt
	base, size int64
	name       string
}

// visit is what is to be done with the exports of targets. after, unless nil, is called
// with targets whose exports were read, in their order.
type visit struct {
	workers int
	do      func(ctx context.Context, t *schema.ValueTarget, x *exportsIn) error
	after   func([]schema.ValueTarget) error
}

// readBatch is how many packages are read before their values go to the catalog.
const readBatch = 64

// each visits targets file by file. What cannot be read any more is passed over.
func (a *again) each(ctx context.Context, targets []schema.ValueTarget, v *visit) error {
	for len(targets) > 0 {
		n := 1
		for n < len(targets) && targets[n].Location == targets[0].Location {
			n++
		}
		if err := a.eachOf(ctx, targets[:n], v); err != nil {
			return err
		}
		targets = targets[n:]
	}
	return nil
}

func (a *again) eachOf(ctx context.Context, targets []schema.ValueTarget, v *visit) error {
	o := a.open.reopen(ctx, targets[0].Location)
	defer o.close()
	if o.err != nil {
		return nil // known by its checksums, and gone
	}
	var near neighbours
	var items []item
	at := 0 // of targets: those before are done
	for e := range o.archive.Entries() {
		header := near.header(e)
		for e != nil && at+len(items) < len(targets) && targets[at+len(items)].Ordinal < int64(e.Ordinal) {
			items = append(items, item{}) // it is there no more
		}
		if e == nil || at+len(items) == len(targets) || targets[at+len(items)].Ordinal != int64(e.Ordinal) {
			continue
		}
		if items = append(items, item{entry: e, header: header}); len(items) == readBatch {
			if err := a.visitAll(ctx, o, items, targets[at:at+len(items)], v); err != nil {
				return err
			}
			at, items = at+len(items), nil
		}
	}
	return a.visitAll(ctx, o, items, targets[at:at+len(items)], v)
}

// visitAll visits targets of one file, whose entries are items.
func (a *again) visitAll(ctx context.Context, o *opened, items []item, targets []schema.ValueTarget, v *visit) error {
	g, inner := errgroup.WithContext(ctx)
	g.SetLimit(v.workers)
	for i, it := range items {
		if it.entry == nil {
			continue
		}
		g.Go(process.RescueFunc(func() error {
			err := a.open.failures.note(a.withExports(inner, o, it, &targets[i], v.do))
			var damaged *codecs.FormatError
			if inner.Err() == nil && errors.As(err, &damaged) {
				return nil // it is a problem already
			}
			return cmp.Or(inner.Err(), err)
		}))
	}
	if err := g.Wait(); err != nil || v.after == nil || len(targets) == 0 {
		return err
	}
	return v.after(targets)
}

// withExports reads an entry, and the tables beside it, for do.
func (a *again) withExports(ctx context.Context, o *opened, it item, t *schema.ValueTarget, do func(context.Context, *schema.ValueTarget, *exportsIn) error) (err error) {
	defer guard(&err, o.src.Name)
	content, size, release, err := spool(ctx, o, it.entry)
	if err != nil {
		return err
	}
	defer release()
	x := &exportsIn{content: content, size: size, name: t.Package}
	if isBody(it.entry) {
		stem, _, _ := asset.Split(it.entry.Name)
		p := a.readSplit(ctx, o, it, stem)
		if p == nil || p.facts == nil {
			return nil
		}
		x.facts, x.base = p.facts, p.facts.Base
		return do(ctx, t, x)
	}
	head := make([]byte, min(size, codecs.HeadSize))
	if _, err := content.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	in := a.options.Registry.Inspector(it.entry, head)
	if in == nil {
		return nil
	}
	if x.facts, err = runInspector(ctx, in, content, size, it.entry); err != nil || x.facts == nil {
		return err
	}
	if x.facts = a.resolved(ctx, in, x.facts); x.facts.Decoded != nil {
		x.content, x.size = x.facts.Decoded, x.facts.DecodedSize
	}
	return do(ctx, t, x)
}

// resolved returns facts with the names of classes of the program, which containers have
// hashes of: from the dictionary of the game, or else from mappings.
func (a *again) resolved(ctx context.Context, in *codecs.Inspector, f *codecs.Facts) *codecs.Facts {
	if in.Dictionary == nil || a.names == nil || a.dictionaries.dictionary(ctx, in) != nil {
		return a.dictionaries.resolved(ctx, in, f)
	}
	if names := a.names(); names != nil {
		return in.Dictionary.Resolve(f, names)
	}
	return f
}

// spool decodes an entry: to memory, or to a temporary file where it is large.
func spool(ctx context.Context, o *opened, e *codecs.Entry) (content io.ReaderAt, size int64, release func(), err error) {
	r, err := o.archive.Open(ctx, e)
	if err != nil {
		return nil, 0, nil, err
	}
	defer func() { _ = r.Close() }()
	if e.Size <= inMemory {
		buf := buffers.Get().(*buffer)
		b, err := readSmall(codecs.ContextReader(ctx, r), e.Size, &buf.b)
		if err != nil {
			buffers.Put(buf)
			return nil, 0, nil, err
		}
		buf.hold(b)
		return buf, int64(len(b)), func() { buffers.Put(buf) }, nil
	}
	scratch, err := atomicfile.NewScratch("")
	if err != nil {
		return nil, 0, nil, err
	}
	size, err = io.Copy(scratch, codecs.ContextReader(ctx, r))
	if err != nil {
		return nil, 0, nil, errors.Join(err, scratch.Close())
	}
	return scratch, size, func() { _ = scratch.Close() }, nil
}

// declare adds the classes of a package to those of the build.
func (a *again) declare(_ context.Context, t *schema.ValueTarget, x *exportsIn) error {
	return a.classes.Declare(x.facts, x.content, x.base, x.size, &codecs.ValueOptions{Package: x.name, Engine: a.engineOf(t)})
}

// engineOf returns the engine by which a package is read, 0 for the one that it states.
func (a *again) engineOf(t *schema.ValueTarget) int {
	switch {
	case !t.Guessed:
		return 0
	case a.options.Engine != 0:
		return a.options.Engine
	}
	return a.votes[t.Engine]
}

// voters is how many packages decide which engine made those that do not state it.
const voters = 50

// vote finds the engines by whose rules packages that do not state theirs are understood
// best. Those that have one layout of tables vote together.
func (a *again) vote(ctx context.Context, targets []schema.ValueTarget) error {
	layouts := map[int64][]schema.ValueTarget{}
	for _, t := range a.filter(targets, func(t *schema.ValueTarget) bool { return t.Guessed && (!t.Unversioned || a.classes != nil) }) {
		layouts[t.Engine] = append(layouts[t.Engine], t)
	}
	for _, layout := range slices.Sorted(maps.Keys(layouts)) {
		best, err := a.voteOf(ctx, layouts[layout])
		if err != nil {
			return err
		}
		a.votes[layout] = best
	}
	return nil
}

// voteOf returns the engine that packages of one layout fit best, 0 for none.
func (a *again) voteOf(ctx context.Context, targets []schema.ValueTarget) (best int, err error) {
	sample := targets
	if len(targets) > voters {
		sample = nil
		for i := range voters {
			sample = append(sample, targets[i*len(targets)/voters])
		}
	}
	var engines []int
	sums := map[int]*codecs.Values{}
	err = a.each(ctx, sample, &visit{workers: 1, do: func(ctx context.Context, _ *schema.ValueTarget, x *exportsIn) error {
		for _, engine := range a.reader.Candidates(x.facts) {
			v, err := a.reader.Read(ctx, x.facts, x.content, x.base, x.size, &codecs.ValueOptions{Package: x.name, Engine: engine, Classes: a.classes})
			if err != nil {
				return err
			}
			if sums[engine] == nil {
				engines, sums[engine] = append(engines, engine), &codecs.Values{}
			}
			sums[engine].Add(v)
		}
		return nil
	}})
	for _, engine := range engines {
		if best == 0 || a.reader.Better(sums[engine], sums[best]) {
			best = engine
		}
	}
	return best, err
}

// readAll reads the values of targets and stores them.
func (a *again) readAll(ctx context.Context, build *schema.Build, targets []schema.ValueTarget) error {
	at := make(map[*schema.ValueTarget]*codecs.Values, readBatch)
	var mu sync.Mutex
	return a.each(ctx, targets, &visit{workers: a.options.Workers,
		do: func(ctx context.Context, t *schema.ValueTarget, x *exportsIn) error {
			v, err := a.reader.Read(ctx, x.facts, x.content, x.base, x.size, &codecs.ValueOptions{Package: x.name, Engine: a.engineOf(t), Classes: a.classes})
			mu.Lock()
			at[t] = v
			mu.Unlock()
			return err
		},
		after: func(done []schema.ValueTarget) error {
			var sets []schema.ValueSet
			for i := range done {
				if v := at[&done[i]]; v != nil && v.Context != 0 {
					sets = append(sets, schema.ValueSet{Content: done[i].Content, Header: done[i].Header, Values: valueRows(a.reader, v)})
				}
			}
			clear(at)
			return build.AddSets(sets)
		}})
}
