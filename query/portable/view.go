package portable

import "slices"

// Version is the version of the views. It grows when a column changes its meaning; new
// columns and views leave it alone.
const Version = 1

// Type is the type of a column.
type Type uint8

// The types of columns. Hashes and ids are texts of hex digits.
const (
	Text Type = iota // valid UTF-8
	Int              // 64 bits, signed
	Real             // double precision
)

// String returns the name of the type as docs/portable.md has it.
func (t Type) String() string { return [...]string{"text", "integer", "real"}[t] }

// Column is a column of a view.
type Column struct {
	Name string
	Type Type
	Null bool   // it may be NULL
	Few  bool   // it has few different values, which engines keep once
	Hash bool   // it has hex digits of hashes
	SQL  string // says it in the catalog's view; "": the column of the same name
}

// View is a view whose rows can be copied, a build at a time.
type View struct {
	Name string
	Doc  string
	// Columns are those of the view. The first is build, the label. The rest is without
	// what only the catalog can tell: ids, and where archives were when they were scanned.
	Columns []Column
	// Order names the columns by which rows are sorted; rows that are equal in them are
	// sorted by the others, in the order of Columns.
	Order []string
	from  string // the rows of one build, whose label is ?1
	// The tables one of which each row needs; nil: it needs others than entries have. A build
	// has no rows if these are empty.
	of []string
}

// Names returns the names of the columns.
func (v *View) Names() []string {
	names := make([]string, len(v.Columns))
	for i, c := range v.Columns {
		names[i] = c.Name
	}
	return names
}

// Of returns the view of a name.
func Of(name string) (*View, bool) {
	i := slices.IndexFunc(views, func(v *View) bool { return v.Name == name })
	if i < 0 {
		return nil, false
	}
	return views[i], true
}

// Views returns all views. Those that others are explained by come first: builds, then
// archives.
func Views() []*View { return slices.Clone(views) }

// Names returns the names of all views.
func Names() []string {
	names := make([]string, len(views))
	for i, v := range views {
		names[i] = v.Name
	}
	return names
}
