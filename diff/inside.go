package diff

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"strconv"

	"pakdb/schema"
)

// Contents hands out decoded contents by their BLAKE3, whole and verified.
type Contents interface {
	Bytes(ctx context.Context, digest [32]byte, limit int64) ([]byte, error)
}

// Semantic tells what changed inside of contents. Facts of the catalog come
// first: fields of records, points of curves, references. What has none is
// compared as text or as bytes, for which the contents must be at hand.
type Semantic struct {
	DB       *sql.DB
	Contents Contents // nil: facts alone
	OldBuild string   // names of ids are looked up in the build of the side
	NewBuild string

	oldID, newID int64
}

// Inside is what changed inside of one content: Fields, or else Text, or else
// Ranges. Of JSON it is Fields, by path, and Text.
type Inside struct {
	Fields []FieldChange
	Text   string // a unified diff
	Ranges []Range
}

// FieldChange is one value that differs. Old or New is nil where the field is
// not there.
type FieldChange struct {
	Field    string
	Old, New *string
}

// Range is a run of bytes that one content has in place of the other's.
type Range struct {
	OldOffset, OldSize int64
	NewOffset, NewSize int64
}

// field is one value of a content, under a name that tells it from the others.
type field struct {
	name, value string
	// whole is what is said when the field comes or goes, "" for the value.
	whole string
	// of is the field that this one tells more about: when that came or went, this
	// one is not worth telling.
	of string
}

// facts are the sources of fields. What a kind of content is made of is said by
// a query, or by a function where names depend on each other; those of further
// formats belong here.
var facts = []func(*Semantic, context.Context, int64, *File) ([]field, error){
	(*Semantic).prototypeFields, (*Semantic).packageFields,
	fromQuery(curvePoints), fromQuery(typeAssets), fromQuery(blueprintFields), fromQuery(directoryRecords),
	fromQuery(replacements), fromQuery(references),
}

// fromQuery reads fields with a query of a build ?1 and a content ?2 that yields
// names and values.
func fromQuery(query string) func(*Semantic, context.Context, int64, *File) ([]field, error) {
	return func(s *Semantic, ctx context.Context, build int64, f *File) ([]field, error) {
		var fields []field
		err := schema.EachRow(ctx, s.DB, query, []driver.Value{build, f.content}, func(v []driver.Value) {
			fields = append(fields, field{name: str(v[0]), value: valueText(v[1])})
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

// Compare returns what changed inside of a change that has both sides, nil when
// either was not decoded. Of an asset of several files it compares the tables, the
// exports wherever they lie, and the sizes of the rest.
func (s *Semantic) Compare(ctx context.Context, c *Change) (*Inside, error) {
	old, new := c.Old, c.New
	if old == nil || new == nil {
		return nil, nil
	}
	if old.content == 0 || new.content == 0 {
		return nil, nil
	}
	if err := s.findBuilds(ctx); err != nil {
		return nil, err
	}
	in := &Inside{}
	known := false
	for _, read := range facts {
		a, err := read(s, ctx, s.oldID, old)
		if err != nil {
			return nil, err
		}
		b, err := read(s, ctx, s.newID, new)
		if err != nil {
			return nil, err
		}
		known = known || len(a)+len(b) > 0
		in.Fields = append(in.Fields, compareFields(a, b)...)
	}
	in.Fields = append(in.Fields, bulkChanges(c)...)
	if known && len(in.Fields) > 0 || s.Contents == nil {
		return in, nil
	}
	return in, s.compareBytes(ctx, in, old, new)
}

func (s *Semantic) findBuilds(ctx context.Context) error {
	if s.oldID != 0 {
		return nil
	}
	for _, b := range []struct {
		label string
		id    *int64
	}{{s.OldBuild, &s.oldID}, {s.NewBuild, &s.newID}} {
		if err := s.DB.QueryRowContext(ctx, "SELECT build_id FROM build WHERE label = ? AND complete = 1", b.label).Scan(b.id); err != nil {
			return err
		}
	}
	return nil
}

// compareFields lists what differs, in the order of the old fields with the new
// ones behind. Of several fields of one name the second is name#2.
func compareFields(old, new []field) []FieldChange {
	a, b := numbered(old), numbered(new)
	before, after := byName(a), byName(b)
	var changes []FieldChange
	for _, f := range a {
		switch g, stays := after[f.name]; {
		case stays && f.value != g.value:
			changes = append(changes, FieldChange{f.name, &f.value, &g.value})
		case !stays && !has(before, f.of, after):
			changes = append(changes, FieldChange{f.name, f.told(), nil})
		}
	}
	for _, f := range b {
		if before[f.name] == nil && !has(after, f.of, before) {
			changes = append(changes, FieldChange{f.name, nil, f.told()})
		}
	}
	return changes
}

func byName(fields []field) map[string]*field {
	by := make(map[string]*field, len(fields))
	for i := range fields {
		by[fields[i].name] = &fields[i]
	}
	return by
}

// has reports whether a field is on one side alone.
func has(side map[string]*field, name string, other map[string]*field) bool {
	return name != "" && side[name] != nil && other[name] == nil
}

func (f *field) told() *string {
	text := cmp.Or(f.whole, f.value)
	return &text
}

func numbered(fields []field) []field {
	out := make([]field, len(fields))
	seen := make(map[string]int, len(fields))
	for i, f := range fields {
		seen[f.name]++
		if n := seen[f.name]; n > 1 {
			f.name += "#" + strconv.Itoa(n)
		}
		out[i] = f
	}
	return out
}
