package views

import (
	"bytes"
	"cmp"
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"

	"modernc.org/sqlite/vtab"
)

// maxSorted is how many rows are put in an order at most. SQLite sorts more of them, on disk.
const maxSorted = 4_000_000

// sorts reports whether the rows of a plan may be yielded in an order. SQLite sorts a row in
// four times the time, because it compares records.
func (t *table) sorts(info *vtab.IndexInfo, p *plan) bool {
	if len(info.OrderBy) == 0 || len(p.key) > 0 || info.EstimatedRows > maxSorted {
		return false
	}
	return !slices.ContainsFunc(info.OrderBy, func(by vtab.OrderBy) bool {
		return by.Column < 0 || by.Column >= min(len(t.columns), maxColumns) || t.columns[by.Column].collation != ""
	})
}

// order is rows of stores in an order.
type order struct {
	rows   []uint32 // counted through all stores
	starts []uint32 // of the stores
}

// orderOf puts rows of stores in the order of a plan.
func (c *cursor) orderOf(stores []*store) (*order, error) {
	o := &order{}
	n := 0
	for _, s := range stores {
		o.starts = append(o.starts, uint32(n))
		n += s.n
	}
	o.rows = make([]uint32, n)
	for i := range o.rows {
		o.rows[i] = uint32(i)
	}
	next := make([]uint32, n)
	for i := len(c.plan.order) - 1; i >= 0; i-- {
		by := c.plan.order[i]
		ranks, most, err := ranksOf(stores, by.Column, n, c.t.ctx.Err)
		if err != nil {
			return nil, err
		}
		counts := make([]uint32, most+2)
		for j, rank := range ranks {
			if by.Desc {
				rank = most - rank
				ranks[j] = rank
			}
			counts[rank+1]++
		}
		for j := range most {
			counts[j+1] += counts[j]
		}
		for _, row := range o.rows {
			place := &counts[ranks[row]]
			next[*place] = row
			*place++
		}
		o.rows, next = next, o.rows
	}
	return o, nil
}

// ranksOf numbers the values of a column in their order, the same value by the same number,
// for all rows of stores. most is the highest number.
func ranksOf(stores []*store, column, n int, stop func() error) (ranks []uint32, most uint32, err error) {
	type distinct struct {
		value driver.Value
		first uint32 // number in which it was found
	}
	values := []distinct{{}} // NULL
	ranks = make([]uint32, 0, n)
	ints, floats, pooled := &numbering{}, &numbering{}, &numbering{}
	for _, s := range stores {
		v := &s.columns[column]
		if len(v.kinds) < s.n {
			return nil, 0, fmt.Errorf("column %d was not read", column)
		}
		known := [...]*numbering{cellInt: ints, cellFloat: floats, cellPooled: pooled, cellRef: {}}
		var last int64
		var lastRank uint32
		var lastKind byte = cellNull
		for row, kind := range v.kinds {
			if row%4096 == 0 {
				if err := stop(); err != nil {
					return nil, 0, err
				}
			}
			id := v.cells[row]
			switch {
			case kind == cellNull:
				ranks = append(ranks, 0)
				continue
			case kind == cellRef:
				if id, err = v.refs.key(id); err != nil {
					return nil, 0, err
				}
			}
			if kind == lastKind && id == last {
				ranks = append(ranks, lastRank)
				continue
			}
			rank := known[kind].get(id)
			if rank == 0 {
				value, err := s.value(column, row)
				if err != nil {
					return nil, 0, err
				}
				rank = uint32(len(values))
				known[kind].set(id, rank)
				values = append(values, distinct{value, rank})
			}
			ranks, last, lastRank, lastKind = append(ranks, rank), id, rank, kind
		}
	}
	slices.SortFunc(values, func(a, b distinct) int { return compareValues(a.value, b.value) })
	to := make([]uint32, len(values))
	for i, v := range values {
		if i > 0 && compareValues(values[i-1].value, v.value) != 0 {
			most++
		}
		to[v.first] = most
	}
	for i, rank := range ranks {
		ranks[i] = to[rank]
	}
	return ranks, most, nil
}

// numbering has numbers of values, 0 for those that have none yet.
type numbering struct {
	low   []uint32 // of values below some millions, as ids are
	other map[int64]uint32
}

func (n *numbering) get(value int64) uint32 {
	if uint64(value) < uint64(len(n.low)) {
		return n.low[value]
	}
	return n.other[value]
}

func (n *numbering) set(value int64, number uint32) {
	if 0 <= value && value < maxSorted {
		if more := value - int64(len(n.low)) + 1; more > 0 {
			n.low = append(n.low, make([]uint32, more+value/4)...)
		}
		n.low[value] = number
		return
	}
	if n.other == nil {
		n.other = map[int64]uint32{}
	}
	n.other[value] = number
}

// compareValues compares two values as SQLite sorts them.
func compareValues(a, b driver.Value) int {
	if by := cmp.Compare(classOf(a), classOf(b)); by != 0 {
		return by
	}
	switch a := a.(type) {
	case string:
		return strings.Compare(a, b.(string))
	case []byte:
		return bytes.Compare(a, b.([]byte))
	case int64:
		if f, ok := b.(float64); ok {
			return compareNumbers(a, f)
		}
		return cmp.Compare(a, b.(int64))
	case float64:
		if n, ok := b.(int64); ok {
			return -compareNumbers(n, a)
		}
		return cmp.Compare(a, b.(float64))
	}
	return 0
}

func classOf(v driver.Value) int {
	switch v.(type) {
	case nil:
		return 0
	case string:
		return 2
	case []byte:
		return 3
	}
	return 1
}

// compareNumbers compares without rounding.
func compareNumbers(n int64, f float64) int {
	switch {
	case f < -1<<63:
		return 1
	case f >= 1<<63:
		return -1
	}
	return cmp.Or(cmp.Compare(n, int64(f)), cmp.Compare(float64(n), f))
}

// ordered moves to the next row of an order that is accepted.
func (c *cursor) ordered() error {
	for c.place++; c.place < len(c.order.rows); c.place++ {
		row := c.order.rows[c.place]
		c.at = len(c.order.starts) - 1
		for c.order.starts[c.at] > row {
			c.at--
		}
		if err := c.worked(); err != nil {
			return err
		}
		c.row = int(row - c.order.starts[c.at])
		if ok, err := c.accepts(c.stores[c.at], c.row); ok || err != nil {
			return err
		}
	}
	c.end = true
	return nil
}
