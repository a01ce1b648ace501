package semantic

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"pakdb/codecs"
	"pakdb/diff"
	"pakdb/diff/internal/side"
	"pakdb/schema"
)

// Contents hands out decoded contents by their BLAKE3, whole and verified.
type Contents interface {
	Bytes(ctx context.Context, digest [32]byte, limit int64) ([]byte, error)
}

// Comparer compares contents of two builds of a catalog. It is not safe for
// concurrent use.
type Comparer struct {
	DB       *sql.DB
	Contents Contents // nil: facts alone
	OldBuild string   // names of ids are looked up in the build of the side
	NewBuild string
	Code     Code // nil: changes of code are not shown as text
	// Hashes reports exports with other bytes by hashes also where their values say
	// what changed.
	Hashes bool

	oldID, newID int64
	asked        *schema.Statements
}

// Difference is what changed inside of one content: Fields and Functions, or else Text, or
// else Ranges. Of JSON, CSV and XML it is Fields, by path, and Text.
type Difference struct {
	Fields    []Field
	Functions []Function
	Text      string // a unified diff
	Ranges    []Range
	Curves    []Curve // those of which Fields are points
	Why       string  // why there are Ranges and no Fields

	moved int // functions that have other bytes and mean the same
}

// Field is one value that differs. Old or New is nil where the field is not there.
type Field struct {
	Name     string // "Powers[2].Damage", "export Default__Door size", "$.Items[2].Damage"
	Old, New *string
	Cosmetic bool // only order, or an id that each save makes anew
	// Technical means that nobody edits it: a name or an import of a package, the size of an
	// export, a record of a directory.
	Technical bool
}

// Columns are those of [Field.Row].
func Columns() []string { return []string{"field", "old", "new", "cosmetic"} }

// Row returns the name, both values, NULL for those that are not there, and 1 for what is
// cosmetic.
func (f *Field) Row() []driver.Value {
	row := []driver.Value{f.Name, nil, nil, int64(0)}
	if f.Cosmetic {
		row[3] = int64(1)
	}
	for i, s := range []*string{f.Old, f.New} {
		if s != nil {
			row[1+i] = *s
		}
	}
	return row
}

// Range is a run of bytes that one content has in place of the other's.
type Range struct {
	OldOffset, OldSize int64
	NewOffset, NewSize int64

	// Old and New are bytes of both, for people: from the row of 16 that the range begins in, a
	// few rows at most.
	Old, New []byte
}

// field is one value of a content, under a name that distinguishes it from the others.
type field struct {
	name, value string
	// key is the name as fields are compared, and same the value: without case where the
	// engine has none. "" is for the text itself.
	key, same string
	// whole is what is said when the field comes or goes, "" for the value.
	whole string
	// of is the key of the field that this one details: when that came or went, this
	// one is left out.
	of string
}

// fromQuery reads fields with a query of a build ?1 and a content ?2 that yields
// names, values and, where names have no case, keys.
func fromQuery(query string) func(*Comparer, context.Context, int64, *diff.File) ([]field, error) {
	return func(s *Comparer, ctx context.Context, build int64, f *diff.File) ([]field, error) {
		var fields []field
		err := s.each(ctx, query, []driver.Value{build, f.ContentID}, func(v []driver.Value) {
			f := field{name: side.Text(v[0]), value: valueText(v[1])}
			if len(v) > 2 {
				f.key = side.Text(v[2])
			}
			fields = append(fields, f)
		})
		return fields, err
	}
}

func valueText(v driver.Value) string {
	switch v := v.(type) {
	case nil:
		return "none"
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case []byte:
		return hex.EncodeToString(v)
	}
	return fmt.Sprint(v)
}

// compareFields lists what differs, in the order of the old fields with the new
// ones after. Of several fields of one name the second is name#2.
func compareFields(old, new []field) []Field {
	a, b := numbered(old), numbered(new)
	before, after := byKey(a), byKey(b)
	var changes []Field
	for _, f := range a {
		switch g, stays := after[f.key]; {
		case stays && f.same != g.same:
			changes = append(changes, Field{Name: f.name, Old: &f.value, New: &g.value})
		case !stays && !has(before, f.of, after):
			changes = append(changes, Field{Name: f.name, Old: f.text()})
		}
	}
	for _, f := range b {
		if before[f.key] == nil && !has(after, f.of, before) {
			changes = append(changes, Field{Name: f.name, New: f.text()})
		}
	}
	return changes
}

// mostMeant bounds the values of a tree that are compared.
const mostMeant = 20_000

// CompareTrees lists the values that differ between trees of what contents mean, nil for no
// tree, by their names: "Summons.[0]". Inherited ones are left out.
func CompareTrees(old, new *codecs.Node) []Field {
	return compareFields(treeFields(old, "", nil), treeFields(new, "", nil))
}

func treeFields(n *codecs.Node, name string, all []field) []field {
	if n == nil {
		return nil
	}
	for k, child := range n.Children {
		if len(all) >= mostMeant {
			break
		}
		called := cmp.Or(child.Name, fmt.Sprintf("[%d]", k))
		if name != "" && !strings.HasPrefix(called, "[") {
			called = "." + called
		}
		called = name + called
		if child.Value != nil && child.Inherited == "" {
			all = append(all, field{name: called, value: fmt.Sprint(child.Value)})
		}
		all = treeFields(child, called, all)
	}
	return all
}

func byKey(fields []field) map[string]*field {
	by := make(map[string]*field, len(fields))
	for i := range fields {
		by[fields[i].key] = &fields[i]
	}
	return by
}

// has reports whether a field is on one side alone.
func has(side map[string]*field, key string, other map[string]*field) bool {
	return key != "" && side[key] != nil && other[key] == nil
}

// text returns the whole value of a field that one side has alone.
func (f *field) text() *string {
	text := cmp.Or(f.whole, f.value)
	return &text
}

func numbered(fields []field) []field {
	out := make([]field, len(fields))
	seen := make(map[string]int, len(fields))
	for i, f := range fields {
		f.key, f.same = cmp.Or(f.key, f.name), cmp.Or(f.same, f.value)
		seen[f.key]++
		if n := seen[f.key]; n > 1 {
			f.name += "#" + strconv.Itoa(n)
			f.key += "#" + strconv.Itoa(n)
		}
		out[i] = f
	}
	return out
}
