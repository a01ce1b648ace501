package views

import (
	"bytes"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strconv"

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
	builds []build // whose rows are read after those of the stores
	at     int     // the store
	row    int

	index  *index // of the store; nil: all rows
	hash   uint64
	byID   uint64 // columns of the key whose ids are hashed
	keyed  bool   // rows whose hash differs are left out
	joined bool   // a value of the key is the text that was read last: more will follow
	must   []sought
	not    []sought

	reader reader // of rows that are not kept
	chunk  *store
	size   int // of the next chunk
	more   bool
	end    bool

	w wanted

	// Of the last values that a plan was given for the build.
	last       []driver.Value
	lastPlan   *plan
	lastBuilds []build
	lastStores []*store
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
	p := c.t.plans[n]
	p.filters++
	c.plan, c.stores, c.builds, c.index, c.keyed, c.size, c.more, c.end = p, nil, nil, nil, false, 8, false, false
	if ok, err := c.want(values); !ok {
		c.end = true
		return err
	}
	w := &c.w
	if c.t.numbered || c.again && c.lastStores != nil { // only rows that are kept have numbers
		return c.kept(w)
	}
	switch found, err := c.byIndex(w); {
	case err != nil:
		return err
	case found:
		return c.first()
	}
	if len(p.key) == 0 && p.filters < 3 && !c.again || len(p.key) > 0 && p.filters < 2 && !c.joined {
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

// want takes the arguments of a plan; ok is false if no row can fulfil it.
func (c *cursor) want(values []vtab.Value) (ok bool, err error) {
	t, w := c.t, &c.w
	var hashes [maxColumns]uint64
	var given uint64
	c.hash, c.byID, c.joined, c.must, c.not = 0, 0, false, c.must[:0], c.not[:0]
	*w = wanted{columns: w.columns[:0], values: w.values[:0], like: w.like[:0], pattern: w.pattern[:0]}
	for i, a := range c.plan.args {
		v := values[i]
		if v == nil && a.op != vtab.OpIS {
			return false, nil
		}
		if a.exact && t.asText&bit(a.column) != 0 {
			if v, err = t.textOf(v); err != nil {
				return false, err
			}
			values[i] = v
		}
		id := t.idOf(a.column, v)
		switch {
		case a.op == vtab.OpGLOB:
			w.like = append(w.like, condition{quoted(t.columns[a.column].name) + " GLOB ?", v})
			w.pattern = append(w.pattern, a)
			continue
		case a.op == vtab.OpLIKE:
			w.like = append(w.like, condition{quoted(t.columns[a.column].name) + " LIKE ?", v})
			w.pattern = append(w.pattern, a)
			continue
		case a.op == vtab.OpNE:
			c.not = append(c.not, sought{a.column, v, id})
			continue
		case a.column == t.build || a.column == t.buildID:
			continue
		}
		c.joined = c.joined || id != 0
		if a.exact {
			c.must = append(c.must, sought{a.column, v, id})
		} else {
			id = 0
		}
		h := hashID(id)
		if id == 0 {
			h = norm(v)
		}
		if given&bit(a.column) != 0 { // the column is compared twice
			if (c.byID&bit(a.column) != 0) == (id != 0) && hashes[a.column] != h {
				return false, nil
			}
			continue
		}
		if id != 0 {
			c.byID |= bit(a.column)
		}
		hashes[a.column], given = h, given|bit(a.column)
		w.columns, w.values = append(w.columns, a.column), append(w.values, v)
	}
	for _, column := range c.plan.key {
		c.hash = mix(c.hash, hashes[column])
	}
	w.builds, w.whole = c.buildsOf(values)
	return len(w.builds) > 0, nil
}

// forgetIDs finds rows by texts alone. Builds that are read by SQL have no ids.
func (c *cursor) forgetIDs() {
	c.hash, c.byID = 0, 0
	for _, column := range c.plan.key {
		c.hash = mix(c.hash, norm(c.w.values[slices.Index(c.w.columns, column)]))
	}
}

// sought is a value that a column must have, or must not have.
type sought struct {
	column int
	value  driver.Value
	id     int64 // of the text, 0 if it is not known
}

// isEqual reports whether a row has the very value.
func (w *sought) isEqual(s *store, row int) (bool, error) {
	c := &s.columns[w.column]
	if c.kinds[row] == cellRef && w.id != 0 {
		return c.cells[row] == w.id, nil
	}
	v, err := s.value(w.column, row)
	return isSame(v, w.value), err
}

// accepts reports whether a row has all values that it must have, and none that it must not
// have. SQLite compares the latter itself: what costs much is left to it.
func (c *cursor) accepts(s *store, row int) (bool, error) {
	for i := range c.must {
		if same, err := c.must[i].isEqual(s, row); !same || err != nil {
			return false, err
		}
	}
	for i := range c.not {
		w := &c.not[i]
		if s.columns[w.column].kinds[row] == cellRef && w.id == 0 {
			continue
		}
		if same, err := w.isEqual(s, row); same || err != nil {
			return false, err
		}
	}
	return true, nil
}

// idOf returns the id of a text that a column has an id for, if it is the one that was read
// last, as both sides of a join have it; 0 if it is not.
func (t *table) idOf(column int, v driver.Value) int64 {
	if t.name != "entries" || t.texts == nil {
		return 0
	}
	last := t.texts.paths.last
	switch t.columns[column].name {
	case "content":
		last = t.texts.contents.last
	case "path":
	default:
		return 0
	}
	if last == nil || !isSame(last.text, v) {
		return 0
	}
	return last.id
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
	if c.again = same; same {
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
			switch a := c.plan.args[i]; {
			case a.exact:
				return !isSame(b.label, values[i])
			case a.column == t.build:
				return normText(b.label) != h
			}
			return normNumber(float64(b.id)) != h
		})
		c.last = append(c.last, values[i])
	}
	c.lastBuilds = builds
	return builds, whole
}

// isSame reports whether SQLite finds two values equal that it changes in no way.
func isSame(a, b driver.Value) bool {
	switch a := a.(type) {
	case string:
		text, ok := b.(string)
		return ok && a == text
	case int64:
		switch b := b.(type) {
		case int64:
			return a == b
		case float64:
			return float64(a) == b && b < 1<<63 && int64(b) == a
		}
	case float64:
		switch b := b.(type) {
		case int64:
			return isSame(b, a)
		case float64:
			return a == b
		}
	case []byte:
		blob, ok := b.([]byte)
		return ok && bytes.Equal(a, blob)
	}
	return false
}

// byIndex finds rows by an index of the file, as long as that costs less than to read all.
func (c *cursor) byIndex(w *wanted) (found bool, err error) {
	t, p := c.t, c.plan
	rows := t.size()
	if !w.whole {
		rows *= float64(len(w.builds)) / float64(max(1, len(t.builds)))
	}
	if p.lookups > 20+int(rows)/1000 || t.hasKept(w) {
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
	for i, a := range c.plan.args { // the condition leads to rows of all builds
		if a.exact && a.column == c.t.build {
			c.must = append(c.must, sought{column: a.column, value: c.last[slices.Index(c.plan.ofBuild, i)]})
		}
	}
	c.reader, err = c.t.bySQL(c.t.columnsUsed(), where)
	return err
}

// stream reads rows that are not kept.
func (c *cursor) stream(w *wanted) (err error) {
	t := c.t
	c.keyed, c.more = len(c.plan.key) > 0, true
	if c.byID != 0 {
		c.forgetIDs()
	}
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
func (c *cursor) kept(w *wanted) error {
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
			if c.byID != 0 && !s.hasIDs(c.plan.key, c.byID) {
				c.forgetIDs()
			}
			if c.index, err = s.indexOf(indexName{c.plan.keyName, c.byID}, c.plan.key, c.t.ctx.Err); err != nil {
				return err
			}
			c.row = c.index.first(c.hash)
		}
		if found, err := c.skip(s); found || err != nil {
			return err
		}
	}
}

// skip moves on to the first row, from where it is, that is accepted; found is false if the
// store has none.
func (c *cursor) skip(s *store) (found bool, err error) {
	for c.row >= 0 && c.row < s.n {
		if ok, err := c.accepts(s, c.row); ok || err != nil {
			return ok, err
		}
		if err := c.step(); err != nil {
			return false, err
		}
	}
	return false, nil
}

// step moves to the next row of a store that is kept.
func (c *cursor) step() error {
	if c.index != nil {
		c.row = c.index.after(c.row, c.hash)
		return nil
	}
	c.row++
	return c.worked()
}

// hasKept reports whether the rows that are wanted are kept.
func (t *table) hasKept(w *wanted) bool {
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
	c.chunk.clear()
	c.stores, c.at, c.row = []*store{c.chunk}, 0, -1
	return c.advance()
}

// advance moves to the next row of a reader.
func (c *cursor) advance() error {
	for {
		for c.row++; c.row < c.chunk.n; c.row++ {
			if c.keyed {
				h, err := c.chunk.hashOf(c.plan.key, 0, c.row)
				if err != nil {
					return err
				}
				if h != c.hash {
					continue
				}
			}
			if ok, err := c.accepts(c.chunk, c.row); ok || err != nil {
				return err
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

// worked counts a row that is read again.
func (c *cursor) worked() error {
	if c.plan.filters < 3 && !c.again || c.stores[c.at].n <= fewRows {
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
	s := c.stores[c.at]
	if s == c.chunk {
		return c.advance()
	}
	if err := c.step(); err != nil {
		return err
	}
	if found, err := c.skip(s); found || err != nil {
		return err
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
