package patch

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"

	"pakdb/diff/delta"
	"pakdb/diff/patch/table"
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
		if f.was, err = tablesOf(kind, &f.old.files[f.twin], f.twin); err != nil || f.was == nil {
			continue
		}
		if f.is, err = tablesOf(kind, f.layout, f.e.file); f.is != nil || err != nil {
			if err == nil && (f.jumps() >= manyJumps || slices.ContainsFunc(f.was.pieces, hasHead)) {
				f.e.plan = f.was
			}
			return err
		}
	}
	f.was = nil
	return nil
}

// tablesOf reads the tables of an archive, which is file number i of those that
// are patched. It returns nil where there are none.
func tablesOf(kind table.Kind, l *layout, i int) (*known, error) {
	off, n := l.gapBefore(len(l.extents))
	if kind.Front() {
		var err error
		if off, n, err = front(kind, l); errors.Is(err, table.ErrTable) {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
	}
	files := &oldFiles{files: make([]io.ReaderAt, i+1)}
	files.files[i] = l.Source
	k, err := readTables(files, kind, Range{File: i, Off: off, Stored: n, Size: n}, i, l.Size)
	if errors.Is(err, table.ErrTable) {
		return nil, nil
	}
	return k, err
}

// front is where tables before the entries are. The first entry may begin before
// its first extent does.
func front(kind table.Kind, l *layout) (off, n int64, err error) {
	if _, n = l.gapBefore(0); n > table.MaxSize {
		return 0, 0, nil
	}
	content, err := l.read(0, n)
	if err != nil {
		return 0, 0, err
	}
	k, err := table.Len(kind, content)
	return 0, int64(k), err
}

// jumps counts entries that do not follow the one that they followed.
func (f *fileMaker) jumps() (n int) {
	old := map[string]*table.Row{}
	rows := f.was.Rows()
	for i := range rows {
		old[rows[i].Key] = &rows[i]
	}
	list := slices.Clone(f.is.Rows())
	slices.SortStableFunc(list, func(a, b table.Row) int { return cmp.Compare(a.Off, b.Off) })
	end := int64(0)
	for _, r := range list {
		if was := old[r.Key]; was != nil && r.Off >= 0 {
			if was.Off != end {
				n++
			}
			end = was.Off + was.Size
		}
	}
	return n
}

// script says how to come from old rows to new ones.
type script struct {
	order int
	form  table.Form
	steps []step
	added []table.Item
	items []table.Item
}

// step is a run of old rows and the number of new ones behind it.
type step struct {
	skip       int64
	run, added int
}

// script makes one for rows in an order.
func (f *fileMaker) script(order int, all *known, places []int64) *script {
	s := &script{order: order}
	rows := all.Rows()
	base := rowsIn(order, rows, places)
	at := map[string][]int{} // places in base by key
	for i, k := range base {
		at[rows[k].Key] = append(at[rows[k].Key], i)
	}
	q := newQueue(len(base))
	for i, r := range f.is.Rows() {
		if list := at[r.Key]; len(list) > 0 {
			it := table.Item{Old: base[list[0]], Off: places[base[list[0]]]}
			if f.isSame(it, i) {
				at[r.Key] = list[1:]
				s.take(q, list[0])
				s.items = append(s.items, it)
				continue
			}
		}
		s.add(table.Item{Old: -1, New: f.is.New(i), Off: r.Off})
	}
	return s
}

// isSame reports that an old row, where its entry is now, leads to row i.
func (f *fileMaker) isSame(it table.Item, i int) bool {
	if f.was.kind.Front() {
		return f.was.New(it.Old) == f.is.New(i)
	}
	return it.Off == f.is.Rows()[i].Off && (f.was.kind != table.IoStore || f.was.New(it.Old) == f.is.New(i))
}

// take goes on with a row of the base.
func (s *script) take(q *queue, i int) {
	if k := len(s.steps); k > 0 && i == q.next && s.steps[k-1].added == 0 {
		s.steps[k-1].run++
	} else {
		s.steps = append(s.steps, step{skip: q.skip(i), run: 1})
	}
	q.take(i, 1)
}

// add goes on with a new row.
func (s *script) add(it table.Item) {
	if len(s.steps) == 0 {
		s.steps = []step{{}}
	}
	s.steps[len(s.steps)-1].added++
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
	return len(s.added) <= maxAdded && size <= delta.MaxContent
}

// predicted is a prediction of tables.
type predicted struct {
	*script
	content []byte
	index   *delta.Index
	all     *known // tables that it was made of
	more    []*known
}

// firstTables explains what stands before the first entry, if those are tables.
func (f *fileMaker) firstTables() error {
	if f.was == nil || !f.was.kind.Front() {
		return nil
	}
	_, err := f.derive(0, f.is.at.Size)
	return err
}

// lastTables explains what stands behind the last entry.
func (f *fileMaker) lastTables() error {
	if f.was == nil || f.was.kind.Front() {
		return f.tables(len(f.extents))
	}
	if done, err := f.derive(f.gapBefore(len(f.extents))); done || err != nil {
		return err
	}
	return f.tables(len(f.extents))
}

// gapBefore is layout's, less what is explained.
func (f *fileMaker) gapBefore(k int) (off, n int64) {
	off, n = f.layout.gapBefore(k)
	if done := f.pos - off; done > 0 && done <= n {
		return f.pos, n - done
	}
	return off, n
}

// derive explains n bytes of tables, unless the old ones as they are explain them
// better.
func (f *fileMaker) derive(off, n int64) (bool, error) {
	near := f.near(0)
	same, err := equalAt(f.ctx, f.layout, off, &f.old.files[near.file], near.off, n)
	if err != nil {
		return false, err
	}
	if same {
		f.e.copyOld(int(near.file), near.off, n)
		f.stats.Copied += n
		f.pos = off + n
		return true, nil
	}
	f.e.flushCopy()
	want, err := f.read(off, n)
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
func (f *fileMaker) joined() (all *known, more []*known, err error) {
	all = f.was
	if all.kind == table.Unreal {
		more, err = f.others()
	}
	if len(more) > 0 && err == nil {
		all, err = all.join(more)
	}
	if seed, ok := newSeed(f.was, f.is); ok && err == nil {
		all, err = all.seeded(seed)
	}
	return all, more, err
}

// others returns the tables of other archives that the new one has entries of.
func (f *fileMaker) others() (more []*known, err error) {
	var wanted map[string]bool // keys of rows
	asked, size := map[int]bool{f.was.file: true, len(f.old.files): true}, f.was.size
	for _, c := range f.e.copies {
		if c.to != f.is.file || asked[c.file] || len(more) == maxJoined {
			continue
		}
		if asked[c.file] = true; wanted == nil {
			wanted = map[string]bool{}
			for _, r := range f.is.Rows() {
				wanted[r.Key] = true
			}
			without(wanted, f.was)
		}
		if len(wanted) < minJoined {
			return more, nil
		}
		k, err := tablesOf(table.Unreal, &f.old.files[c.file], c.file)
		if err != nil {
			return nil, err
		}
		if k == nil || size+k.size > table.MaxSize || !has(k, wanted) {
			continue
		}
		if _, err := f.was.join([]*known{k}); err == nil { // of the same version
			more, size = append(more, k), size+k.size
			without(wanted, k)
		}
	}
	return more, nil
}

// has reports that tables have enough of what is wanted.
func has(k *known, wanted map[string]bool) bool {
	n := 0
	for _, r := range k.Rows() {
		if wanted[r.Key] {
			n++
		}
	}
	return n >= minJoined
}

// without takes from what is wanted what tables have.
func without(wanted map[string]bool, k *known) {
	for _, r := range k.Rows() {
		delete(wanted, r.Key)
	}
}

// newSeed is the seed that tables have, if others have another.
func newSeed(was, is *known) (uint64, bool) {
	old, _ := table.Seed(was.Tables)
	seed, ok := table.Seed(is.Tables)
	return seed, ok && seed != old
}

// predictTables returns the best prediction, or nil when the old tables as they
// are are better.
func (f *fileMaker) predictTables(want []byte, at int64) (best *predicted) {
	all, more, err := f.joined()
	if err != nil {
		return nil
	}
	places := all.places(f.e.copies, f.is.file)
	scripts := []*script{f.script(allRows, all, places)}
	if !f.was.kind.Front() {
		scripts = []*script{f.script(movedRows, all, places), f.script(dataRows, all, places)}
	}
	slices.SortStableFunc(scripts, func(a, b *script) int {
		return cmp.Compare(len(a.steps)+len(a.added), len(b.steps)+len(b.added))
	})
	least := 0
	for _, s := range scripts {
		if !s.possible(f.was.kind.Front()) {
			continue
		}
		for form := range table.Forms {
			content, err := all.Predict(s.items, form, f.Source, at)
			if err != nil {
				continue
			}
			this := *s
			this.form = form
			p := &predicted{script: &this, content: content, all: all, more: more}
			if bytes.Equal(content, want) {
				return p
			}
			if n := trial(want, content) + s.size(f.was.kind.Front()); best == nil || n < least {
				best, least = p, n
			}
		}
	}
	if best == nil {
		return nil
	}
	old := make([]byte, f.was.at.Size)
	if err := stored.ReadAt(f.reader.files[f.twin], old, f.was.at.Off); err != nil || trial(want, old) <= least {
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
	var e delta.Encoder
	e.Reset()
	for _, step := range s.steps {
		e.Number(inRun, uint64(step.run))
		e.Number(inSkip, zigzag(step.skip))
		e.Number(inAdded, uint64(step.added))
	}
	return e.Size()
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
		if k+digestSize > len(p.content) {
			return false
		}
		had := bytes.Equal(p.content[k:k+digestSize], want[k:k+digestSize])
		copy(content[k:k+digestSize], p.content[k:])
		return had
	}
	again = slices.DeleteFunc(again, func(d sameDigest) bool { return right(d.at) })
	parts = slices.DeleteFunc(parts, func(d written) bool { return right(d.at) })
	f.tabled = max(f.tabled, p.all.size)
	p.index = delta.NewIndex(p.content)
	first := true
	err := f.raw(content, off, 0, func() error {
		if f.e.open && !first {
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
	e := f.e
	var names []byte
	for _, it := range p.added {
		names = append(names, it.New...)
	}
	if len(names) > 0 {
		if err := f.use(f.allTables()); err != nil {
			return err
		}
	}
	if !e.open || e.known != f.was {
		e.name(f.was)
	}
	e.op(opPredict)
	how := int64(p.form)*rowOrders + int64(p.order) + int64(len(p.more))*rowsJoined
	seed, seeded := newSeed(f.was, p.all)
	if seeded {
		how += rowsSeeded
	}
	e.enc.Number(inTable, uint64(how))
	for _, k := range p.more {
		e.putTables(k)
	}
	if seeded {
		e.enc.Number(inTable, seed)
	}
	if f.was.kind == table.IoStore {
		e.enc.Number(inTable, uint64(e.file-f.is.file))
	}
	e.enc.Number(inTable, uint64(len(p.steps)))
	i, end, rows := 0, int64(0), p.all.Rows()
	for _, s := range p.steps {
		e.enc.Number(inRun, uint64(s.run))
		if s.run > 0 {
			e.enc.Number(inSkip, zigzag(s.skip))
			last := p.items[i+s.run-1]
			end = last.Off + rows[last.Old].Size
		}
		e.enc.Number(inAdded, uint64(s.added))
		for _, it := range p.items[i+s.run : i+s.run+s.added] {
			e.enc.Number(inNameLen, uint64(len(it.New)))
			if !f.was.kind.Front() {
				e.enc.Number(inNewAt, zigzag(it.Off-end))
			}
		}
		i += s.run + s.added
	}
	if len(names) > 0 {
		e.put(names, inRawGuess, 0)
	}
	if f.was.kind.Front() {
		f.was.follow(p.items)
	}
	e.predicted(p.content, p.index)
	return nil
}

// allTables are those of the old file, and what stands behind the entries of the
// others, whose names may come together with its own.
func (f *fileMaker) allTables() []Range {
	ranges, total := []Range{f.was.at}, f.was.at.Size
	for i := range f.old.files {
		l := &f.old.files[i]
		off, n := l.gapBefore(len(l.extents))
		if i == f.was.at.File || n == 0 || total+n > maxSource || len(ranges) == rangesToSpare {
			continue
		}
		ranges, total = append(ranges, l.rangesOf(i, off, n)...), total+n
	}
	return ranges
}
