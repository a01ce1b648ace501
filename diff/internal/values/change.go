package values

// Row is a value of an object in a package.
type Row struct {
	Object string // path in the package: "Default__Rifle_C", "Gates_C.Box"
	Class  string
	// Field is the path of the field. The index or key of its outermost element is
	// Element, and [] stands for it: "Stats.Damage", "Rows[].Cost".
	Field   string
	Element string
	Keyed   bool   // Element is a key, not an index
	Type    string // as the view properties has it
	Value   string // as it is shown
}

// Change is a value that differs. Old or New is nil where there is none.
type Change struct {
	Name     string // "Rifle.Damage", "DT_Weapons[Rifle].Cost"
	Old, New *string
	Cosmetic bool // only order, or an id that each save makes anew
}

// Side is the values of a package on one side.
type Side struct {
	Rows []Row // in the order of the file
	// Inherited returns the values that its objects have from others. It is called once,
	// if a field is not there that the other side has. nil: nothing is known of them.
	Inherited func() []Row
}

// comparer collects changes.
type comparer struct {
	shown    map[string]string
	object   string          // the path of the one at hand
	prefix   string          // what it is called
	old, new func() *objects // what objects inherit
	changes  []Change
	paired   func(old, new *node) // hears of nodes that became each other; nil: nobody asks
}

// pair notes that one node became another.
func (c *comparer) pair(old, new *node) {
	if c.paired != nil {
		c.paired(old, new)
	}
}

func (c *comparer) add(name string, old, new *string, cosmetic bool) {
	c.changes = append(c.changes, Change{name, old, new, cosmetic})
}
