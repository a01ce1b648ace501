package maker

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"

	"pakdb/diff/delta"
	"pakdb/diff/pkdelta/inside"
	"pakdb/diff/pkdelta/program"
	"pakdb/diff/pkdelta/table"
	"pakdb/internal/stored"
)

// manyJumps is how often copies must not go on where the one before ended for
// pieces to pay: naming tables costs what a few such copies do.
const manyJumps = 8

// tableMemory is how many bytes of memory one of tables takes at most, read and
// predicted.
const tableMemory = 20

// readTables reads the tables of the old file and the new one, if both have some
// that can be predicted.
func (f *fileMaker) readTables() error {
	if f.twin < 0 {
		return nil
	}
	if ok, err := f.readContainer(); ok || err != nil {
		return err
	}
	for kind := range table.IoStore {
		var err error
		if f.oldTables, err = tablesOf(kind, &f.m.old.Files[f.twin], f.twin); err != nil || f.oldTables == nil {
			continue
		}
		if f.newTables, err = tablesOf(kind, f.file, f.m.e.File); f.newTables != nil || err != nil {
			if err == nil && (f.jumps() >= manyJumps || slices.ContainsFunc(f.oldTables.Pieces, program.HasHead)) {
				f.m.e.Plan = f.oldTables
			}
			return err
		}
	}
	f.oldTables = nil
	return nil
}

// tablesOf reads the tables of an archive, which is file number i of those that
// are patched. It returns nil where there are none.
func tablesOf(kind table.Kind, l *inside.Layout, i int) (*program.Known, error) {
	off, n := l.GapBefore(len(l.Extents))
	if kind.Front() {
		var err error
		if off, n, err = front(kind, l); errors.Is(err, table.ErrTable) {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
	}
	files := &program.OldFiles{Files: make([]io.ReaderAt, i+1)}
	files.Files[i] = l.Source
	k, err := program.ReadTables(files, kind, program.Range{File: i, Off: off, Stored: n, Size: n}, i, l.Size)
	if errors.Is(err, table.ErrTable) {
		return nil, nil
	}
	return k, err
}

// front is where tables before the entries are. The first entry may begin before
// its first extent does.
func front(kind table.Kind, l *inside.Layout) (off, n int64, err error) {
	if _, n = l.GapBefore(0); n > table.MaxSize {
		return 0, 0, nil
	}
	content, err := l.Read(0, n)
	if err != nil {
		return 0, 0, err
	}
	k, err := table.Len(kind, content)
	return 0, int64(k), err
}

// jumps counts entries that do not follow the one that they followed.
func (f *fileMaker) jumps() (n int) {
	old := map[string]*table.Row{}
	rows := f.oldTables.Rows()
	for i := range rows {
		old[rows[i].Key] = &rows[i]
	}
	list := slices.Clone(f.newTables.Rows())
	slices.SortStableFunc(list, func(a, b table.Row) int { return cmp.Compare(a.Off, b.Off) })
	end := int64(0)
	for _, r := range list {
		if before := old[r.Key]; before != nil && r.Off >= 0 {
			if before.Off != end {
				n++
			}
			end = before.Off + before.Size
		}
	}
	return n
}

// script says how to come from old rows to new ones.
type script struct {
	order int
	rows  int // in that order
	form  table.Form
	steps []program.Step
	added []table.Item
	items []table.Item
}

// script makes one for rows in an order.
func (f *fileMaker) script(order int, all *program.Known, places []int64) *script {
	rows := all.Rows()
	base := program.RowsIn(order, rows, places)
	s := &script{order: order, rows: len(base)}
	at := map[string][]int{} // places in base by key
	for i, k := range base {
		at[rows[k].Key] = append(at[rows[k].Key], i)
	}
	next := 0
	for i, r := range f.newTables.Rows() {
		if list := at[r.Key]; len(list) > 0 {
			it := table.Item{Old: base[list[0]], Off: places[base[list[0]]]}
			if f.isSame(it, i) {
				at[r.Key] = list[1:]
				s.take(list[0], list[0] == next)
				next = list[0] + 1
				s.items = append(s.items, it)
				continue
			}
		}
		s.add(table.Item{Old: -1, New: f.newTables.New(i), Off: r.Off})
	}
	return s
}

// isSame reports that an old row, where its entry is now, leads to row i.
func (f *fileMaker) isSame(it table.Item, i int) bool {
	if f.oldTables.Kind.Front() {
		return f.oldTables.New(it.Old) == f.newTables.New(i)
	}
	return it.Off == f.newTables.Rows()[i].Off && (f.oldTables.Kind != table.IoStore || f.oldTables.New(it.Old) == f.newTables.New(i))
}

// take goes on with a row of the base, which may be the one behind the last.
func (s *script) take(i int, next bool) {
	if k := len(s.steps); k > 0 && next && s.steps[k-1].Added == 0 {
		s.steps[k-1].Run++
	} else {
		s.steps = append(s.steps, program.Step{First: i, Run: 1})
	}
}

// add goes on with a new row.
func (s *script) add(it table.Item) {
	if len(s.steps) == 0 {
		s.steps = []program.Step{{}}
	}
	s.steps[len(s.steps)-1].Added++
	s.added = append(s.added, it)
	s.items = append(s.items, it)
}

// possible reports that the script is within what a reader takes.
func (s *script) possible(front bool) bool {
	size := 0
	for _, it := range s.added {
		size += len(it.New)
		if it.Off < 0 && !front {
			return false // only the file at hand could say
		}
	}
	return len(s.added) <= program.MaxAdded && size <= delta.MaxContent
}

// predicted is a prediction of tables.
type predicted struct {
	*script
	content []byte
	index   *delta.Index
	all     *program.Known // tables that it was made of
	more    []*program.Known
	places  []int64 // where the entries of their rows went
}

// firstTables explains what stands before the first entry, if those are tables.
func (f *fileMaker) firstTables() error {
	if f.oldTables == nil || !f.oldTables.Kind.Front() {
		return nil
	}
	_, err := f.derive(0, f.newTables.At.Size)
	return err
}

// lastTables explains what stands behind the last entry.
func (f *fileMaker) lastTables() error {
	if f.oldTables == nil || f.oldTables.Kind.Front() {
		return f.tables(len(f.file.Extents))
	}
	if done, err := f.derive(f.gapBefore(len(f.file.Extents))); done || err != nil {
		return err
	}
	return f.tables(len(f.file.Extents))
}

// gapBefore is layout's, less what is explained.
func (f *fileMaker) gapBefore(k int) (off, n int64) {
	off, n = f.file.GapBefore(k)
	if done := f.pos - off; done > 0 && done <= n {
		return f.pos, n - done
	}
	return off, n
}

// derive explains n bytes of tables, unless the old ones as they are explain them
// better.
func (f *fileMaker) derive(off, n int64) (bool, error) {
	near := f.near(0)
	same, err := equalAt(f.ctx, f.file, off, &f.m.old.Files[near.file], near.off, n)
	if err != nil {
		return false, err
	}
	if same {
		f.m.e.CopyOld(int(near.file), near.off, n)
		f.m.stats.Copied += n
		f.pos = off + n
		return true, nil
	}
	f.m.e.FlushCopy()
	want, err := f.file.Read(off, n)
	if err != nil {
		return false, err
	}
	p := f.predictTables(want, off)
	if p == nil {
		return false, nil
	}
	return true, f.codeTables(p, want, off)
}

// minJoined is how many rows tables must have that others lack to be worth naming.
const minJoined = 3

// joined returns the old tables, with those of other archives that the new one has
// entries of, which are more, and with its seed.
func (f *fileMaker) joined() (all *program.Known, more []*program.Known, err error) {
	all = f.oldTables
	if all.Kind == table.Unreal {
		more, err = f.others()
	}
	if len(more) > 0 && err == nil {
		all, err = all.Join(more)
	}
	if seed, ok := newSeed(f.oldTables, f.newTables); ok && err == nil {
		all, err = all.Seeded(seed)
	}
	return all, more, err
}

// others returns the tables of other archives that the new one has entries of.
func (f *fileMaker) others() (more []*program.Known, err error) {
	var wanted map[string]bool // keys of rows
	asked, size := map[int]bool{f.oldTables.File: true, len(f.m.old.Files): true}, f.oldTables.Size
	for _, c := range f.m.e.Copies {
		if c.To != f.newTables.File || asked[c.File] || len(more) == program.MaxJoined {
			continue
		}
		if asked[c.File] = true; wanted == nil {
			wanted = map[string]bool{}
			for _, r := range f.newTables.Rows() {
				wanted[r.Key] = true
			}
			without(wanted, f.oldTables)
		}
		if len(wanted) < minJoined {
			return more, nil
		}
		k, err := tablesOf(table.Unreal, &f.m.old.Files[c.File], c.File)
		if err != nil {
			return nil, err
		}
		if k == nil || size+k.Size > table.MaxSize || !has(k, wanted) {
			continue
		}
		if _, err := f.oldTables.Join([]*program.Known{k}); err == nil { // of the same version
			more, size = append(more, k), size+k.Size
			without(wanted, k)
		}
	}
	return more, nil
}

// has reports that tables have enough of what is wanted.
func has(k *program.Known, wanted map[string]bool) bool {
	n := 0
	for _, r := range k.Rows() {
		if wanted[r.Key] {
			n++
		}
	}
	return n >= minJoined
}

// without takes from what is wanted what tables have.
func without(wanted map[string]bool, k *program.Known) {
	for _, r := range k.Rows() {
		delete(wanted, r.Key)
	}
}

// newSeed is the seed that tables have, if others have another.
func newSeed(from, to *program.Known) (uint64, bool) {
	old, _ := table.Seed(from.Tables)
	seed, ok := table.Seed(to.Tables)
	return seed, ok && seed != old
}

// predictTables returns the best prediction, or nil when the old tables as they
// are are better.
func (f *fileMaker) predictTables(want []byte, at int64) (best *predicted) {
	all, more, err := f.joined()
	if err != nil {
		return nil
	}
	places := all.Places(f.m.e.Copies, f.newTables.File)
	scripts := []*script{f.script(program.AllRows, all, places)}
	if !f.oldTables.Kind.Front() {
		scripts = []*script{f.script(program.MovedRows, all, places), f.script(program.DataRows, all, places)}
	}
	slices.SortStableFunc(scripts, func(a, b *script) int {
		return cmp.Compare(len(a.steps)+len(a.added), len(b.steps)+len(b.added))
	})
	least := 0
	for _, s := range scripts {
		if !s.possible(f.oldTables.Kind.Front()) {
			continue
		}
		for form := range table.Forms {
			content, err := all.Predict(s.items, form, f.file.Source, at)
			if err != nil {
				continue
			}
			this := *s
			this.form = form
			p := &predicted{script: &this, content: content, all: all, more: more, places: places}
			if bytes.Equal(content, want) {
				return p
			}
			if n := program.Trial(want, content) + s.size(f.oldTables.Kind.Front()); best == nil || n < least {
				best, least = p, n
			}
		}
	}
	if best == nil {
		return nil
	}
	old := make([]byte, f.oldTables.At.Size)
	if err := stored.ReadAt(f.m.reader.Files[f.twin], old, f.oldTables.At.Off); err != nil || program.Trial(want, old) <= least {
		return nil
	}
	return best
}

// size is how many bytes the steps take. Where tables stand before the entries it
// is none: the entries' order, which is that of the rows, is said by them too.
func (s *script) size(front bool) int {
	if front {
		return 0
	}
	return program.SizeOfSteps(s.steps, s.rows)
}

// codeTables codes tables by their prediction. Digests that it has right are no
// matter of their own.
func (f *fileMaker) codeTables(p *predicted, want []byte, off int64) error {
	content := bytes.Clone(want)
	var again []sameDigest
	var parts []written
	if !bytes.Equal(p.content, want) {
		again, parts = f.tableDigests(content, off)
	}
	right := func(at int64) bool {
		k := int(at - off)
		if k+program.DigestSize > len(p.content) {
			return false
		}
		had := bytes.Equal(p.content[k:k+program.DigestSize], want[k:k+program.DigestSize])
		copy(content[k:k+program.DigestSize], p.content[k:])
		return had
	}
	again = slices.DeleteFunc(again, func(d sameDigest) bool { return right(d.at) })
	parts = slices.DeleteFunc(parts, func(d written) bool { return right(d.at) })
	f.m.tabled = max(f.m.tabled, p.all.Size)
	p.index = delta.NewIndex(p.content)
	first := true
	err := f.raw(content, off, 0, func() error {
		if f.m.e.Open && !first {
			return nil
		}
		first = false
		return f.putPrediction(p)
	})
	if err != nil {
		return err
	}
	return f.putDigests(again, parts)
}

// putPrediction makes the prediction the source.
func (f *fileMaker) putPrediction(p *predicted) error {
	if slices.ContainsFunc(p.added, func(it table.Item) bool { return it.New != "" }) {
		if err := f.m.use(f.allTables()); err != nil {
			return err
		}
	}
	if !f.m.e.Knows(f.oldTables) {
		f.m.e.Name(f.oldTables)
	}
	seed, seeded := newSeed(f.oldTables, p.all)
	f.m.e.Predict(program.Prediction{
		Order: p.order, Form: p.form, More: p.more, Seed: seed, Seeded: seeded, Back: f.m.e.File - f.newTables.File,
		Steps: p.steps, Items: p.items, All: p.all, Moved: p.places,
	}, p.content, p.index)
	return nil
}

// allTables are those of the old file, and what stands behind the entries of the
// others, whose names may come together with its own.
func (f *fileMaker) allTables() []program.Range {
	ranges, total := []program.Range{f.oldTables.At}, f.oldTables.At.Size
	for i := range f.m.old.Files {
		l := &f.m.old.Files[i]
		off, n := l.GapBefore(len(l.Extents))
		if i == f.oldTables.At.File || n == 0 || total+n > maxSource || len(ranges) == rangesToSpare {
			continue
		}
		ranges, total = append(ranges, l.RangesOf(i, off, n)...), total+n
	}
	return ranges
}
