package maker

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"pakdb/diff/ship/internal/coder"
	"pakdb/diff/ship/internal/inside"
	"pakdb/diff/ship/internal/program"
	"pakdb/diff/ship/internal/table"
	"pakdb/internal/stored"
)

// manyJumps is how often copies must not go on where the one before ended for
// pieces to pay: naming tables costs what a few such copies do.
const manyJumps = 8

// tablePair are the tables of an old archive and of the new one, which are predicted by
// them.
type tablePair struct {
	build    *inside.Build // the old one
	old, new *program.Known
}

// readTables reads the tables of file i of the new build, which was file twin of the
// old one, and returns both if they can be predicted, and those whose pieces are
// copied.
func readTables(old, new *inside.Build, twin, i int) (plan *program.Known, both *tablePair, err error) {
	if twin < 0 {
		return nil, nil, nil
	}
	if plan, both, ok, err := readContainer(old, new, twin, i); ok || err != nil {
		return plan, both, err
	}
	for kind := range table.IoStore {
		from, err := tablesOf(kind, &old.Files[twin], twin)
		if err != nil || from == nil {
			continue
		}
		to, err := tablesOf(kind, &new.Files[i], i)
		if err != nil {
			return nil, nil, err
		}
		if to == nil {
			continue
		}
		both := &tablePair{build: old, old: from, new: to}
		if both.jumps() >= manyJumps || slices.ContainsFunc(from.Pieces, program.HasHead) {
			return from, both, nil
		}
		return nil, both, nil
	}
	return nil, nil, nil
}

// isFront reports that the tables are before the entries.
func (t *tablePair) isFront() bool { return t.old.Kind.Front() }

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
func (t *tablePair) jumps() (n int) {
	old := map[string]*table.Row{}
	rows := t.old.Rows()
	for i := range rows {
		old[rows[i].Key] = &rows[i]
	}
	list := slices.Clone(t.new.Rows())
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
func (t *tablePair) script(order int, all *program.Known, places []int64) *script {
	rows := all.Rows()
	base := program.RowsIn(order, rows, places)
	s := &script{order: order, rows: len(base)}
	at := map[string][]int{} // places in base by key
	for i, k := range base {
		at[rows[k].Key] = append(at[rows[k].Key], i)
	}
	next := 0
	for i, r := range t.new.Rows() {
		if list := at[r.Key]; len(list) > 0 {
			it := table.Item{Old: base[list[0]], Off: places[base[list[0]]]}
			if t.isSame(it, i) {
				at[r.Key] = list[1:]
				s.take(list[0], list[0] == next)
				next = list[0] + 1
				s.items = append(s.items, it)
				continue
			}
		}
		s.add(table.Item{Old: -1, New: t.new.New(i), Off: r.Off})
	}
	return s
}

// isSame reports whether the old row of this entry predicts row i.
func (t *tablePair) isSame(it table.Item, i int) bool {
	if t.isFront() {
		return t.old.New(it.Old) == t.new.New(i)
	}
	return it.Off == t.new.Rows()[i].Off && (t.old.Kind != table.IoStore || t.old.New(it.Old) == t.new.New(i))
}

// take goes on with a row of the base, which may be the one after the last.
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
	return len(s.added) <= program.MaxAdded && size <= coder.MaxContent
}

// predicted is a prediction of tables.
type predicted struct {
	*script
	content []byte
	index   *coder.Index
	all     *program.Known // tables that it was made of
	more    []*program.Known
	places  []int64 // where the entries of their rows went
}

// minJoined is how many rows tables must have that others lack to be worth naming.
const minJoined = 3

// joined returns the old tables, with those of other archives that the new one has
// entries of, which are more, and with its seed.
func (t *tablePair) joined(copies []program.Copied) (all *program.Known, more []*program.Known, err error) {
	all = t.old
	if all.Kind == table.Unreal {
		more, err = t.others(copies)
	}
	if len(more) > 0 && err == nil {
		all, err = all.Join(more)
	}
	if seed, ok := newSeed(t.old, t.new); ok && err == nil {
		all, err = all.Seeded(seed)
	}
	return all, more, err
}

// others returns the tables of other archives that the new one has entries of.
func (t *tablePair) others(copies []program.Copied) (more []*program.Known, err error) {
	var wanted map[string]bool // keys of rows
	asked, size := map[int]bool{t.old.File: true, len(t.build.Files): true}, t.old.Size
	for _, c := range copies {
		if c.To != t.new.File || asked[c.File] || len(more) == program.MaxJoined {
			continue
		}
		if asked[c.File] = true; wanted == nil {
			wanted = map[string]bool{}
			for _, r := range t.new.Rows() {
				wanted[r.Key] = true
			}
			without(wanted, t.old)
		}
		if len(wanted) < minJoined {
			return more, nil
		}
		k, err := tablesOf(table.Unreal, &t.build.Files[c.File], c.File)
		if err != nil {
			return nil, err
		}
		if k == nil || size+k.Size > table.MaxSize || !has(k, wanted) {
			continue
		}
		if _, err := t.old.Join([]*program.Known{k}); err == nil { // of the same version
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

// predict returns the best prediction of tables of file, which are at a place, or nil when the old tables as they
// are are better.
func (t *tablePair) predict(want []byte, file io.ReaderAt, at int64, copies []program.Copied) (best *predicted) {
	all, more, err := t.joined(copies)
	if err != nil {
		return nil
	}
	places := all.Places(copies, t.new.File)
	scripts := []*script{t.script(program.AllRows, all, places)}
	if !t.isFront() {
		scripts = []*script{t.script(program.MovedRows, all, places), t.script(program.DataRows, all, places)}
	}
	slices.SortStableFunc(scripts, func(a, b *script) int {
		return cmp.Compare(len(a.steps)+len(a.added), len(b.steps)+len(b.added))
	})
	least := 0
	for _, s := range scripts {
		if !s.possible(t.isFront()) {
			continue
		}
		for form := range table.Forms {
			content, err := all.Predict(s.items, form, file, at)
			if err != nil {
				continue
			}
			this := *s
			this.form = form
			p := &predicted{script: &this, content: content, all: all, more: more, places: places}
			if bytes.Equal(content, want) {
				return p
			}
			if n := program.Trial(want, content) + s.size(t.isFront()); best == nil || n < least {
				best, least = p, n
			}
		}
	}
	if best == nil {
		return nil
	}
	old := make([]byte, t.old.At.Size)
	if err := stored.ReadAt(t.build.Files[t.old.At.File].Source, old, t.old.At.Off); err != nil || program.Trial(want, old) <= least {
		return nil
	}
	return best
}

// size is how many bytes the steps take. Where tables are before the entries it
// is none: the entries' order, which is that of the rows, is said by them too.
func (s *script) size(front bool) int {
	if front {
		return 0
	}
	return program.SizeOfSteps(s.steps, s.rows)
}

// The two files of an IoStore container: what one says of the other's entries is
// predicted after these. Entries are filled up with zeros to multiples of
// containerFill.
const (
	tocExt        = ".utoc"
	casExt        = ".ucas"
	containerFill = 16
)

// readContainer reads the tables of a container if file i of the new build, which was
// file twin of the old one, is one of its two. It returns those whose pieces are copied,
// or both to predict one by the other.
func readContainer(old, new *inside.Build, twin, i int) (plan *program.Known, both *tablePair, ok bool, err error) {
	switch strings.ToLower(path.Ext(new.Files[i].Name)) {
	case casExt:
		if toc := old.Sibling(twin, tocExt); toc >= 0 {
			plan, err = containerOf(old, toc, twin)
		}
		return plan, nil, true, err
	case tocExt:
		oldCas, newCas := old.Sibling(twin, casExt), new.Sibling(i, casExt)
		if oldCas < 0 || newCas < 0 || newCas > i {
			return nil, nil, true, nil
		}
		to, err := containerOf(new, i, newCas)
		if err != nil || to == nil {
			return nil, nil, true, err
		}
		from, err := containerOf(old, twin, oldCas)
		if err != nil || from == nil {
			return nil, nil, true, err
		}
		return nil, &tablePair{build: old, old: from, new: to}, true, nil
	}
	return nil, nil, false, nil
}

// containerOf reads the .utoc that is file toc of a build, whose entries are in
// file cas. It returns nil for one that cannot be predicted.
func containerOf(b *inside.Build, toc, cas int) (*program.Known, error) {
	files := &program.OldFiles{Files: make([]io.ReaderAt, toc+1)}
	files.Files[toc] = b.Files[toc].Source
	n := b.Files[toc].Size
	k, err := program.ReadTables(files, table.IoStore, program.Range{File: toc, Stored: n, Size: n}, cas, b.Files[cas].Size)
	if errors.Is(err, table.ErrTable) {
		return nil, nil
	}
	return k, err
}

// inContainer reports that the file at hand is a .ucas whose tables are known.
func (o *output) inContainer() bool {
	return o.e.Plan != nil && o.e.Plan.Kind == table.IoStore
}

// padded reports that an old entry, which begins at from, is better copied without
// the gap bytes before it: the copy at hand does not go on there.
func (o *output) padded(from, gap int64) bool {
	if !o.inContainer() {
		return false
	}
	_, begins := o.e.Plan.Starts[from]
	return begins && (o.e.Run.N == 0 || o.e.Run.Off+o.e.Run.N != from-gap)
}

// isPadding reports that n bytes are zeros.
func (o *output) isPadding(off, n int64) bool {
	if n == 0 || n > program.FlushSize {
		return false
	}
	p, err := o.file.Read(off, n)
	return err == nil && bytes.Equal(p, make([]byte, n))
}

// copyFill copies what fills up extent k, which was copied, as it does extent j of
// old file l.
func (o *output) copyFill(k, file int, l *inside.Layout, j int) error {
	off, gap := o.gapBefore(k + 1)
	old, has := l.GapBefore(j + 1)
	n := -off & (containerFill - 1)
	if !o.inContainer() || n == 0 || n > gap || n > has || -old&(containerFill-1) != n {
		return nil
	}
	_, err := o.copySame(off, n, position{int32(file), old}, l)
	return err
}
