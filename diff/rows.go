package diff

import (
	"database/sql/driver"
	"slices"
	"strings"
)

// column is one of the columns that a change has wherever it is a row.
type column struct {
	name string
	of   func(*Change) driver.Value
}

// columns are the users' stable surface: further ones go to the end.
var columns = []column{
	{"kind", func(c *Change) driver.Value { return c.Kind.String() }},
	{"path", func(c *Change) driver.Value { return orNull(c.either().Path) }},
	{"old_path", ofOld(func(f *File) driver.Value { return orNull(f.Path) })},
	{"archive", func(c *Change) driver.Value { return c.either().Archive }},
	{"old_archive", ofOld(func(f *File) driver.Value { return f.Archive })},
	{"type", func(c *Change) driver.Value { return orNull(c.either().Type) }},
	{"old_size", ofOld(func(f *File) driver.Value { return f.Size })},
	{"new_size", ofNew(func(f *File) driver.Value { return f.Size })},
	{"old_stored", ofOld(func(f *File) driver.Value { return f.Stored })},
	{"new_stored", ofNew(func(f *File) driver.Value { return f.Stored })},
	{"download", func(c *Change) driver.Value { return c.Download }},
	{"similarity", func(c *Change) driver.Value { return int64(c.Similarity) }},
	{"old_method", ofOld(func(f *File) driver.Value { return f.Method })},
	{"new_method", ofNew(func(f *File) driver.Value { return f.Method })},
	{"old_copies", ofOld(func(f *File) driver.Value { return int64(f.Copies) })},
	{"new_copies", ofNew(func(f *File) driver.Value { return int64(f.Copies) })},
	{"asset_id", func(c *Change) driver.Value { return orNull(c.either().AssetID) }},
	{"renamed_by", func(c *Change) driver.Value { return orNull(c.RenamedBy) }},
	{"also", func(c *Change) driver.Value { return orNull(c.Also.String()) }},
	{"notes", func(c *Change) driver.Value { return orNull(strings.Join(c.Notes, "; ")) }},
	{"old_content", ofOld(func(f *File) driver.Value { return orNull(f.Content) })},
	{"new_content", ofNew(func(f *File) driver.Value { return orNull(f.Content) })},
	{"parts", func(c *Change) driver.Value { return orNull(c.PartList()) }},
}

// ofOld and ofNew read a column off one side; it is NULL where that side has nothing.
func ofOld(get func(*File) driver.Value) func(*Change) driver.Value {
	return func(c *Change) driver.Value { return ofSide(c.Old, get) }
}

func ofNew(get func(*File) driver.Value) func(*Change) driver.Value {
	return func(c *Change) driver.Value { return ofSide(c.New, get) }
}

func ofSide(f *File, get func(*File) driver.Value) driver.Value {
	if f == nil {
		return nil
	}
	return get(f)
}

func orNull(s string) driver.Value {
	if s == "" {
		return nil
	}
	return s
}

// either is the new side if there is one: path and archive are never NULL for
// lack of it.
func (c *Change) either() *File {
	if c.New != nil {
		return c.New
	}
	return c.Old
}

// RowColumns returns the columns of a change as a row.
func RowColumns() []string {
	var names []string
	for _, c := range columns {
		names = append(names, c.name)
	}
	return names
}

// Row returns a value for each of RowColumns.
func (c *Change) Row() []driver.Value {
	row := make([]driver.Value, len(columns))
	for i := range columns {
		row[i] = columns[i].of(c)
	}
	return row
}

// damagedKind is the column "kind" of rows that are no changes: an archive of
// one of the builds is damaged as a whole, so that what it lacks is not known to be
// removed.
const damagedKind = "damaged"

// DamagedRow returns the values of RowColumns for a damaged archive: "notes" says
// what is wrong with it.
func DamagedRow(archive, text string) []driver.Value {
	row := make([]driver.Value, len(columns))
	for i, c := range columns {
		switch c.name {
		case "kind":
			row[i] = damagedKind
		case "archive":
			row[i] = archive
		case "notes":
			row[i] = text
		}
	}
	return row
}

// RowOf returns the values of some columns, in the order of their names.
func (c *Change) RowOf(names ...string) []driver.Value {
	row := make([]driver.Value, len(names))
	for i, name := range names {
		if at := slices.IndexFunc(columns, func(c column) bool { return c.name == name }); at >= 0 {
			row[i] = columns[at].of(c)
		}
	}
	return row
}
