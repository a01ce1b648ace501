package views

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"

	"modernc.org/sqlite/vtab"
)

// maxWork is how many rows of tables that are read again and again a statement may take,
// and how many look-ups: several seconds. What needs more is a join that finds rows by no
// column.
const maxWork = 10_000_000

// maxKept bounds the memory for rows that are kept while a statement runs.
const maxKept = 2 << 30

// cursor goes through rows that a plan finds.
type cursor struct {
	t      *table
	plan   *plan
	stores []*store
	builds []build // whose rows are read after those of the stores
	at     int     // the store
	row    int

	index *index // of the store; nil: all rows
	hash  uint64
	keyed bool // rows whose hash differs are left out

	reader reader // of rows that are not kept
	chunk  *store
	size   int // of the next chunk
	more   bool
	end    bool

	// Of the last values that a plan was given for the build.
	last       []driver.Value
	lastPlan   *plan
	lastBuilds []build
	lastStores []*store
}

// Filter begins at the first row that a plan finds for some values. It returns every row
// that SQLite may accept, and leaves the comparison to SQLite.
func (c *cursor) Filter(n int, _ string, values []vtab.Value) error {
	return c.t.fail(c.filter(n, values))
}

func (c *cursor) filter(n int, values []vtab.Value) error {
	if err := c.stopReading(); err != nil {
		return err
	}
	p := c.t.plans[n]
	p.filters++
	*c = cursor{t: c.t, plan: p, chunk: c.chunk, size: 8, last: c.last, lastPlan: c.lastPlan, lastBuilds: c.lastBuilds, lastStores: c.lastStores}
	if p.filters > 1 {
		if err := c.worked(); err != nil {
			return err
		}
	}
	w, ok := c.wanted(values)
	if !ok {
		c.end = true
		return nil
	}
	if c.t.numbered { // only rows that are kept have numbers
		return c.kept(w)
	}
	switch found, err := c.byIndex(w); {
	case err != nil:
		return err
	case found:
		return c.first()
	}
	if len(p.key) == 0 && p.filters < 3 || len(p.key) > 0 && p.filters < 2 {
		if err := c.stream(w); err != nil {
			return err
		}
		return c.first()
	}
	return c.kept(w)
}

// wanted are the values that a plan finds rows for.
type wanted struct {
	builds  []build
	whole   bool           // all builds
	columns []int          // of key
	values  []driver.Value // of key
	like    []condition
	pattern []arg // of like
}

// wanted takes the arguments of a plan; ok is false if no row can fulfil it.
func (c *cursor) wanted(values []vtab.Value) (w wanted, ok bool) {
	t := c.t
	var hashes [maxColumns]uint64
	var given uint64
	for i, a := range c.plan.args {
		v := values[i]
		if v == nil && a.op != vtab.OpIS {
			return w, false
		}
		switch {
		case a.op == vtab.OpGLOB:
			w.like = append(w.like, condition{quoted(t.columns[a.column].name) + " GLOB ?", v})
			w.pattern = append(w.pattern, a)
		case a.op == vtab.OpLIKE:
			w.like = append(w.like, condition{quoted(t.columns[a.column].name) + " LIKE ?", v})
			w.pattern = append(w.pattern, a)
		case a.column == t.build || a.column == t.buildID:
		default:
			h := norm(v)
			if given>>a.column&1 != 0 && hashes[a.column] != h {
				return w, false
			}
			hashes[a.column], given = h, given|1<<a.column
			w.columns, w.values = append(w.columns, a.column), append(w.values, v)
		}
	}
	for _, column := range c.plan.key {
		c.hash = mix(c.hash, hashes[column])
	}
	w.builds, w.whole = c.buildsOf(values)
	return w, len(w.builds) > 0
}

// maxColumns is how many columns of a view are compared by look-ups at most.
const maxColumns = 64

// buildsOf returns the builds that a plan asks for; whole says that it asks for all. The
// answer of the last call is kept, because the inner table of a join is asked for one build.
func (c *cursor) buildsOf(values []vtab.Value) (builds []build, whole bool) {
	t := c.t
	whole = !t.isSplit() || len(c.plan.ofBuild) == 0
	same := c.lastPlan == c.plan
	for n, i := range c.plan.ofBuild {
		same = same && isSame(c.last[n], values[i])
	}
	if same {
		return c.lastBuilds, whole
	}
	c.last, c.lastPlan, c.lastStores = c.last[:0], c.plan, nil
	builds = slices.Clone(t.builds)
	if !t.isSplit() {
		builds = []build{{}}
	}
	for _, i := range c.plan.ofBuild {
		h := norm(values[i])
		builds = slices.DeleteFunc(builds, func(b build) bool {
			if c.plan.args[i].column == t.build {
				return normText(b.label) != h
			}
			return normNumber(float64(b.id)) != h
		})
		c.last = append(c.last, values[i])
	}
	c.lastBuilds = builds
	return builds, whole
}

// isSame reports whether two values are one text or one integer.
func isSame(a, b driver.Value) bool {
	switch a := a.(type) {
	case string:
		text, ok := b.(string)
		return ok && a == text
	case int64:
		n, ok := b.(int64)
		return ok && a == n
	}
	return false
}

// byIndex finds rows by an index of the file, as long as that costs less than to read all.
func (c *cursor) byIndex(w wanted) (found bool, err error) {
	t, p := c.t, c.plan
	rows := t.size()
	if !w.whole {
		rows *= float64(len(w.builds)) / float64(max(1, len(t.builds)))
	}
	if p.lookups > 20+int(rows)/500 || t.hasKept(w) {
		return false, nil
	}
	for i, column := range w.columns {
		where, ok, err := t.find(column, w.values[i])
		if err != nil {
			return false, err
		}
		if ok {
			return true, c.readBySQL(where)
		}
	}
	for i, a := range w.pattern {
		where, ok, err := t.findLike(a, w.like[i].arg)
		if err != nil {
			return false, err
		}
		if ok {
			return true, c.readBySQL(where)
		}
	}
	return false, nil
}

func (c *cursor) readBySQL(where condition) (err error) {
	c.plan.lookups++
	c.more = true
	c.reader, err = c.t.bySQL(c.t.columnsUsed(), where)
	return err
}

// stream reads rows that are not kept.
func (c *cursor) stream(w wanted) (err error) {
	t := c.t
	c.keyed, c.more = len(c.plan.key) > 0, true
	columns := t.columnsUsed()
	if t.readsPastSQL(columns) {
		c.builds = w.builds
		return c.nextBuild()
	}
	conditions := slices.Clone(w.like)
	for i, column := range w.columns {
		if where, ok := t.pushed(column, w.values[i]); ok {
			conditions = append(conditions, where)
		}
	}
	switch {
	case w.whole || !t.isSplit():
	case len(w.builds) == 1:
		conditions = append(conditions, t.ofBuild(w.builds[0]))
	}
	c.reader, err = t.bySQL(columns, conditions...)
	return err
}

// nextBuild begins to read the entries of the next build.
func (c *cursor) nextBuild() (err error) {
	b := c.builds[0]
	c.builds = c.builds[1:]
	c.reader, err = c.t.entries(b, c.t.columnsUsed())
	return err
}

// kept goes through rows that are kept, which are read now if they were not.
func (c *cursor) kept(w wanted) error {
	if c.lastStores == nil {
		c.lastStores = make([]*store, len(w.builds))
		for i, b := range w.builds {
			s, err := c.t.keep(b)
			if err != nil {
				return err
			}
			c.lastStores[i] = s
		}
	}
	c.stores = c.lastStores
	c.at, c.row = -1, -1
	return c.nextStore()
}

// nextStore moves to the first row of the next store that has one.
func (c *cursor) nextStore() (err error) {
	for {
		if c.at++; c.at >= len(c.stores) {
			c.end = true
			return nil
		}
		s := c.stores[c.at]
		c.row = 0
		if len(c.plan.key) > 0 {
			if c.index, err = s.indexOf(c.plan.keyName, c.plan.key, c.t.ctx.Err); err != nil {
				return err
			}
			c.row = c.index.first(c.hash)
		}
		if c.row >= 0 && c.row < s.n {
			return nil
		}
	}
}

// hasKept reports whether the rows that are wanted are kept.
func (t *table) hasKept(w wanted) bool {
	return !slices.ContainsFunc(w.builds, func(b build) bool { return t.stores[b.id] == nil })
}

// keep returns the rows of a build, which are kept until the statement ends.
func (t *table) keep(b build) (*store, error) {
	if s := t.stores[b.id]; s != nil {
		return s, nil
	}
	if t.stores == nil {
		t.stores, t.pool = map[int64]*store{}, &pool{known: map[string]int64{}}
	}
	columns := t.columnsUsed()
	var r reader
	var err error
	switch {
	case t.readsPastSQL(columns):
		r, err = t.entries(b, columns)
	case t.isSplit():
		r, err = t.bySQL(columns, t.ofBuild(b))
	default:
		r, err = t.bySQL(columns)
	}
	if err != nil {
		return nil, err
	}
	s := newStore(len(t.columns), t.pool)
	s.number = int64(len(t.stores)) << 40
	for more := true; more; {
		if more, err = r.read(s, 4096); err == nil {
			err = errors.Join(t.ctx.Err(), t.bounded(s, len(columns)))
		}
		if err != nil {
			return nil, errors.Join(err, r.close())
		}
	}
	t.stores[b.id] = s
	return s, r.close()
}

// bounded fails if rows take more memory than a statement may.
func (t *table) bounded(now *store, columns int) error {
	bytes := now.n * 9 * columns
	for _, v := range t.tables {
		for _, s := range v.stores {
			bytes += s.n * 9 * columns
		}
		if v.pool != nil {
			bytes += v.pool.bytes
		}
	}
	if t.texts != nil {
		bytes += t.texts.bytes
	}
	if bytes > maxKept {
		return fmt.Errorf("%w: rows of view %s take more than %d MB", ErrTooManyRows, t.name, maxKept>>20)
	}
	return nil
}

// ErrTooManyRows is the class of errors of statements that keep too many rows.
var ErrTooManyRows = errors.New("the statement needs more memory than it may take")

// first moves to the first row of a reader.
func (c *cursor) first() error {
	if c.chunk == nil {
		c.chunk = newStore(len(c.t.columns), &pool{})
	}
	c.chunk.clear()
	c.stores, c.at, c.row = []*store{c.chunk}, 0, -1
	return c.advance()
}

// advance moves to the next row of a reader.
func (c *cursor) advance() error {
	for {
		for c.row++; c.row < c.chunk.n; c.row++ {
			if !c.keyed {
				return nil
			}
			h, err := c.chunk.hashOf(c.plan.key, c.row)
			if err != nil {
				return err
			}
			if h == c.hash {
				return nil
			}
		}
		if !c.more {
			if len(c.builds) == 0 {
				c.end = true
				return c.stopReading()
			}
			if err := errors.Join(c.stopReading(), c.nextBuild()); err != nil {
				return err
			}
		}
		c.chunk.clear()
		var err error
		if c.more, err = c.reader.read(c.chunk, c.size); err != nil {
			return err
		}
		if err := c.t.ctx.Err(); err != nil {
			return err
		}
		c.size, c.row = min(2*c.size, 1024), -1
	}
}

func (c *cursor) stopReading() error {
	r := c.reader
	c.reader = nil
	if r == nil {
		return nil
	}
	return r.close()
}

// worked counts a row that is read again, or a look-up.
func (c *cursor) worked() error {
	if c.t.work++; c.t.work > maxWork {
		return fmt.Errorf("view %s: %w", c.t.name, ErrQuadratic)
	}
	return nil
}

// ErrQuadratic is the class of errors of statements that go through the rows of a view again
// for each row of another table.
var ErrQuadratic = errors.New("the statement reads all rows again for each row of another table")

// Next moves to the next row.
func (c *cursor) Next() error { return c.t.fail(c.move()) }

func (c *cursor) move() error {
	switch {
	case c.stores[c.at] == c.chunk:
		return c.advance()
	case c.index != nil:
		if c.row = c.index.after(c.row, c.hash); c.row >= 0 {
			return nil
		}
		return c.nextStore()
	}
	if err := c.worked(); err != nil {
		return err
	}
	if c.row++; c.row < c.stores[c.at].n {
		return nil
	}
	return c.nextStore()
}

// Eof reports whether there is no row.
func (c *cursor) Eof() bool { return c.end }

// Column returns a value of the row.
func (c *cursor) Column(column int) (vtab.Value, error) {
	s := c.stores[c.at]
	if len(s.columns[column].kinds) <= c.row {
		return nil, c.t.fail(fmt.Errorf("column %s of %s was not read", c.t.columns[column].name, c.t.name))
	}
	v, err := s.value(column, c.row)
	return v, c.t.fail(err)
}

// Rowid returns the number of a row that is kept. SQLite finds out by it whether rows of the
// right side of a join were joined, and whether a row was found already.
func (c *cursor) Rowid() (int64, error) { return c.stores[c.at].number + int64(c.row), nil }

// Close ends reading.
func (c *cursor) Close() error { return c.stopReading() }
