package diff

import (
	"cmp"
	"iter"
	"maps"
	"path"
	"slices"

	"pakdb/schema"
)

// Totals are sums over changes, for each value of a column.
type Totals struct {
	By   string // dir, type, archive, ext or kind
	sums map[string]*Sizes
	All  Sizes

	last    *Sizes // of the change that was added last
	lastKey string
}

// Columns returns what [NewTotals] can sum by.
func Columns() []string { return []string{"dir", "type", "archive", "ext", "kind"} }

// NewTotals returns empty totals by a column of Columns.
func NewTotals(by string) *Totals { return &Totals{By: by, sums: map[string]*Sizes{}} }

// Add counts a change.
func (t *Totals) Add(c *Change) {
	key := t.key(c)
	if t.last == nil || key != t.lastKey { // most are that of the change before
		if t.sums[key] == nil {
			t.sums[key] = &Sizes{}
		}
		t.last, t.lastKey = t.sums[key], key
	}
	s := c.Sizes()
	t.last.add(s)
	t.All.add(s)
}

func (t *Totals) key(c *Change) string {
	f := c.either()
	prefix, name := path.Split(f.Path)
	switch t.By {
	case "dir":
		return prefix
	case "type":
		return cmp.Or(f.Type, schema.Ext(name))
	case "archive":
		return f.Archive
	case "ext":
		return schema.Ext(name)
	}
	return c.Kind.String()
}

// Get returns the sums of one value.
func (t *Totals) Get(value string) Sizes {
	if s := t.sums[value]; s != nil {
		return *s
	}
	return Sizes{}
}

// Len returns how many values there are.
func (t *Totals) Len() int { return len(t.sums) }

// Each yields the values and their sums, in no order.
func (t *Totals) Each() iter.Seq2[string, *Sizes] { return maps.All(t.sums) }

// Values returns the values, those with most to download first.
func (t *Totals) Values() []string {
	return slices.SortedFunc(maps.Keys(t.sums), func(a, b string) int {
		x, y := t.sums[a], t.sums[b]
		return cmp.Or(cmp.Compare(y.Download, x.Download), cmp.Compare(y.Count, x.Count), cmp.Compare(a, b))
	})
}
