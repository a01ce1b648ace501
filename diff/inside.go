package diff

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"strconv"
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
// Ranges.
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
type field struct{ name, value string }

// facts are the sources of fields. What a kind of content is made of is said by
// a query, or by a function where names depend on each other; those of further
// formats belong here.
var facts = []func(*Semantic, context.Context, int64, int64) ([]field, error){
	(*Semantic).prototypeFields,
	fromQuery(curvePoints), fromQuery(typeAssets), fromQuery(blueprintFields), fromQuery(directoryRecords),
	fromQuery(replacements), fromQuery(references),
}

// fromQuery reads fields with a query of a build ?1 and a content ?2 that yields
// names and values.
func fromQuery(query string) func(*Semantic, context.Context, int64, int64) ([]field, error) {
	return func(s *Semantic, ctx context.Context, build, content int64) ([]field, error) {
		var fields []field
		err := each(ctx, s.DB, query, []driver.Value{build, content}, func(v []driver.Value) {
			fields = append(fields, field{str(v[0]), valueText(v[1])})
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

// Compare returns what changed between two contents, nil when either was not
// decoded.
func (s *Semantic) Compare(ctx context.Context, old, new *File) (*Inside, error) {
	if old.content == 0 || new.content == 0 {
		return nil, nil
	}
	if err := s.findBuilds(ctx); err != nil {
		return nil, err
	}
	in := &Inside{}
	known := false
	for _, read := range facts {
		a, err := read(s, ctx, s.oldID, old.content)
		if err != nil {
			return nil, err
		}
		b, err := read(s, ctx, s.newID, new.content)
		if err != nil {
			return nil, err
		}
		known = known || len(a)+len(b) > 0
		in.Fields = append(in.Fields, compareFields(a, b)...)
	}
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
	after := make(map[string]int, len(b))
	for i, f := range b {
		after[f.name] = i
	}
	var changes []FieldChange
	before := make(map[string]bool, len(a))
	for _, f := range a {
		before[f.name] = true
		value := f.value
		i, stays := after[f.name]
		switch {
		case !stays:
			changes = append(changes, FieldChange{f.name, &value, nil})
		case b[i].value != value:
			changed := b[i].value
			changes = append(changes, FieldChange{f.name, &value, &changed})
		}
	}
	for _, f := range b {
		if !before[f.name] {
			value := f.value
			changes = append(changes, FieldChange{f.name, nil, &value})
		}
	}
	return changes
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
