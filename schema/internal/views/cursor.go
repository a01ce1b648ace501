package views

import (
	"bytes"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"modernc.org/sqlite/vtab"
)

// maxWork is how many rows of tables that are read again and again a statement may take: a
// second. What needs more is a join that finds rows by no column. Tables of few rows do not
// count.
const (
	maxWork = 1_000_000
	fewRows = 256
)

// maxKept bounds the memory for rows that are kept while a statement runs.
const maxKept = 2 << 30

// cursor goes through rows that a plan finds.
type cursor struct {
	t      *table
	plan   *plan
	stores []*store
	at     int // the store
	row    int
	counts bool // rows are read again, of which a statement may take so many

	index *index // of the store; nil: all rows
	hash  uint64
	tests []test // that rows have to pass

	reader reader // of rows that are not kept
	chunk  *store
	size   int // of the next chunk
	more   bool
	end    bool

	// Of the last values that a plan was given for the build.
	last       []driver.Value
	lastPlan   *plan
	lastStores []*store
	builds     []build
	again      bool // the builds are those of the last time
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
	t := c.t
	p := t.plans[n]
	p.filters++
	c.plan, c.stores, c.index, c.size, c.more, c.end = p, nil, nil, 8, false, false
	if ok, err := c.want(values); !ok {
		c.end = true
		return err
	}
	if t.numbered || c.again && c.lastStores != nil { // only rows that are kept have numbers
		return c.kept()
	}
	switch found, err := c.byIndex(); {
	case err != nil:
		return err
	case found:
		return c.first()
	}
	streams := 1
	if t.name == "entries" { // to keep the rows of builds takes longer than to read what they have in common
		streams = len(c.builds)
	}
	if len(p.key) == 0 && p.filters < 3 && !c.again || len(p.key) > 0 && p.filters <= streams && !t.joins[p.name] {
		if err := c.stream(); err != nil {
			return err
		}
		return c.first()
	}
	return c.kept()
}

// want takes the arguments of a plan; ok is false if no row can fulfil it.
func (c *cursor) want(values []vtab.Value) (ok bool, err error) {
	t := c.t
	c.hash, c.tests = 0, c.tests[:0]
	for i, a := range c.plan.args {
		v := values[i]
		if v == nil && a.op != vtab.OpIS {
			return false, nil
		}
		if a.exact && (t.asText&^t.compared)&bit(a.column) != 0 {
			if v, err = t.textOf(v); err != nil {
				return false, err
			}
		}
		c.tests = append(c.tests, test{arg: a, value: v})
		if a.key {
			c.hash = mix(c.hash, norm(v))
		}
	}
	c.chooseBuilds()
	return len(c.builds) > 0, nil
}

// retain copies what the tests compare rows with: SQLite's memory has it until Filter returns.
func (c *cursor) retain() {
	for i := range c.tests {
		c.tests[i].value = copied(c.tests[i].value)
	}
}

func copied(v driver.Value) driver.Value {
	switch v := v.(type) {
	case string:
		return strings.Clone(v)
	case []byte:
		return bytes.Clone(v)
	}
	return v
}

// textOf returns what SQLite compares a value with a text as.
func (t *Tables) textOf(v driver.Value) (text driver.Value, err error) {
	switch n := v.(type) {
	case int64:
		return strconv.FormatInt(n, 10), nil
	case float64:
		err = t.each("SELECT CAST(?1 AS TEXT)", []driver.Value{n}, func(found []driver.Value) { text = found[0] })
		return text, err
	}
	return v, nil
}

// chooseBuilds finds the builds that a plan asks for. Those of the last call are kept, because the
// inner table of a join is asked for one build.
func (c *cursor) chooseBuilds() {
	t := c.t
	c.again = c.lastPlan == c.plan
	for n, i := range c.plan.ofBuild {
		c.again = c.again && isSame(c.last[n], c.tests[i].value)
	}
	if c.again {
		return
	}
	c.last, c.lastPlan, c.lastStores, c.builds = c.last[:0], c.plan, nil, slices.Clone(t.builds)
	if !t.isSplit() {
		c.builds = []build{{}}
	}
	for _, i := range c.plan.ofBuild {
		x := &c.tests[i]
		x.prepare()
		c.builds = slices.DeleteFunc(c.builds, func(b build) bool {
			if x.column == t.build {
				return !x.mayBe(b.label)
			}
			return !x.mayBe(b.id)
		})
		c.last = append(c.last, copied(x.value))
	}
}

// isSame reports whether two values are of one type and equal.
func isSame(a, b driver.Value) bool {
	switch a := a.(type) {
	case int64:
		n, ok := b.(int64)
		return ok && a == n
	case []byte:
		blob, ok := b.([]byte)
		return ok && bytes.Equal(a, blob)
	}
	return a == b
}

// byIndex finds rows by an index of the file, as long as that costs less than to read all.
func (c *cursor) byIndex() (found bool, err error) {
	t, p := c.t, c.plan
	rows := t.size()
	if len(p.ofBuild) > 0 {
		rows *= float64(len(c.builds)) / float64(max(1, len(t.builds)))
	}
	most := rows / 1000
	if t.recursive {
		most = rows / 2 // each row costs as much when all are read
	}
	if p.lookups > 20+int(most) || t.hasKept(c.builds) {
		return false, nil
	}
	for _, find := range []func(x *test) (condition, bool, error){t.find, t.findLike} {
		for i := range c.tests {
			where, ok, err := find(&c.tests[i])
			if err != nil {
				return false, err
			}
			if ok {
				return true, c.readBySQL(where)
			}
		}
	}
	return false, nil
}

func (c *cursor) readBySQL(where condition) (err error) {
	c.retain()
	c.plan.lookups++
	c.more = true
	c.reader, err = c.t.bySQL(c.t.columnsUsed(), where)
	return err
}

// stream reads rows that are not kept.
func (c *cursor) stream() (err error) {
	c.retain()
	t := c.t
	c.more = true
	columns := t.columnsUsed()
	if t.readsPastSQL(columns) {
		var shared []test // by all archives that have a row
		c.tests = slices.DeleteFunc(c.tests, func(x test) bool {
			if !t.isOfArchive(x.column) {
				shared = append(shared, x)
			}
			return !t.isOfArchive(x.column) || t.isOfBuild(x.column)
		})
		c.reader, err = t.entries(c.builds, columns, shared)
		return err
	}
	var conditions []condition
	for i := range c.tests {
		if where, ok := t.pushed(&c.tests[i]); ok {
			conditions = append(conditions, where)
		}
	}
	if len(c.plan.ofBuild) > 0 && len(c.builds) == 1 {
		conditions = append(conditions, t.ofBuild(c.builds[0]))
	}
	c.reader, err = t.bySQL(columns, conditions...)
	return err
}

// kept goes through rows that are kept, which are read now if they were not. Of the tests it leaves
// to SQLite what costs much.
func (c *cursor) kept() error {
	c.tests = slices.DeleteFunc(c.tests, func(x test) bool { return c.t.isOfBuild(x.column) || !x.isCheap() })
	if c.lastStores == nil {
		c.lastStores = make([]*store, len(c.builds))
		for i, b := range c.builds {
			s, err := c.t.keep(b)
			if err != nil {
				return err
			}
			c.lastStores[i] = s
		}
	}
	c.stores, c.at, c.counts = c.lastStores, -1, c.plan.filters >= 3 || c.again
	err := c.next()
	if c.index == nil || c.at < len(c.stores)-1 || !c.end && c.index.after(c.row) >= 0 { // there may be other rows
		c.retain()
	}
	return err
}

// next moves to the first row that is accepted of the stores after this one, or of the chunks that
// are read.
func (c *cursor) next() error {
	for {
		var err error
		switch {
		case c.more:
			c.chunk.clear()
			if c.more, err = c.reader.read(c.chunk, c.size); err == nil {
				err = c.t.ctx.Err()
			}
			c.size, c.row = min(2*c.size, 1024), 0
		case c.at+1 >= len(c.stores):
			c.end = true
			return c.stopReading()
		default:
			c.at, c.row = c.at+1, 0
			if len(c.plan.key) > 0 {
				if c.index, err = c.stores[c.at].indexOf(c.plan.keyName, c.plan.key, c.t.ctx.Err); err == nil {
					c.row = c.index.first(c.hash)
				}
			}
		}
		if err != nil {
			return err
		}
		if found, err := c.skip(); found || err != nil {
			return err
		}
	}
}

// skip moves on to the first row, from where it is, that is accepted; found is false if the
// store has none.
func (c *cursor) skip() (found bool, err error) {
	for s := c.stores[c.at]; c.row >= 0 && c.row < s.n; {
		if ok, err := c.accepts(s); ok || err != nil {
			return ok, err
		}
		if err := c.step(); err != nil {
			return false, err
		}
	}
	return false, nil
}

// accepts reports whether the row passes the tests.
func (c *cursor) accepts(s *store) (bool, error) {
	for i := range c.tests {
		if ok, err := c.tests[i].passes(s, c.row); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// step moves to the next row of a store.
func (c *cursor) step() error {
	if c.index != nil {
		c.row = c.index.after(c.row)
		return nil
	}
	if c.row++; c.counts {
		return c.worked()
	}
	return nil
}

// hasKept reports whether the rows of builds are kept.
func (t *table) hasKept(builds []build) bool {
	return !slices.ContainsFunc(builds, func(b build) bool { return t.stores[b.id] == nil })
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
		r, err = t.entries([]build{b}, columns, nil)
	case t.isSplit():
		r, err = t.bySQL(columns, t.ofBuild(b))
	default:
		r, err = t.bySQL(columns)
	}
	if err != nil {
		return nil, err
	}
	s := newStore(len(t.columns), t.pool)
	if t.name == "entries" {
		for _, c := range columns {
			s.columns[c].reserve(b.entries)
		}
	}
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
	for i := range c.tests {
		c.tests[i].prepare()
	}
	c.stores, c.at, c.counts = []*store{c.chunk}, 0, false
	return c.next()
}

func (c *cursor) stopReading() error {
	r := c.reader
	c.reader = nil
	if r == nil {
		return nil
	}
	return r.close()
}

// worked counts a row that is read again.
func (c *cursor) worked() error {
	if c.stores[c.at].n <= fewRows {
		return nil
	}
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
	if err := c.step(); err != nil {
		return err
	}
	if found, err := c.skip(); found || err != nil {
		return err
	}
	return c.next()
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
