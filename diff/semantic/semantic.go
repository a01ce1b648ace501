package semantic

import (
	"context"
	"slices"

	"pakdb/diff"
	"pakdb/diff/internal/facts"
	"pakdb/diff/semantic/values"
)

// sources are those of fields. What a kind of content is made of is said by
// a query, or by a function where names depend on each other; those of further
// formats belong here.
var sources = []func(*Comparer, context.Context, int64, *diff.File) ([]field, error){
	(*Comparer).prototypeFields, (*Comparer).packageFields, localizedFields,
	fromQuery(settings), fromQuery(curvePoints), fromQuery(typeAssets), fromQuery(blueprintFields), fromQuery(directoryRecords),
	fromQuery(replacements), fromQuery(references),
}

// Compare returns what changed inside of a change that has both sides, nil when
// either was not decoded. Of an asset of several files it compares the tables, the
// exports wherever they lie, and the sizes of the rest.
func (s *Comparer) Compare(ctx context.Context, c *diff.Change) (*Difference, error) {
	old, new := c.Old, c.New
	if old == nil || new == nil {
		return nil, nil
	}
	if old.ContentID == 0 || new.ContentID == 0 {
		return nil, nil
	}
	if err := s.findBuilds(ctx); err != nil {
		return nil, err
	}
	in := &Difference{}
	changed, hides, err := valueChanges(ctx, s, old, new)
	if err != nil {
		return nil, err
	}
	in.Fields = changed
	known := len(changed) > 0
	for _, read := range sources {
		a, err := read(s, ctx, s.oldID, old)
		if err != nil {
			return nil, err
		}
		b, err := read(s, ctx, s.newID, new)
		if err != nil {
			return nil, err
		}
		known = known || len(a)+len(b) > 0
		in.Fields = append(in.Fields, slices.DeleteFunc(compareFields(a, b), func(f Field) bool { return hides(f.Name) })...)
	}
	in.Fields = append(in.Fields, bulkChanges(c)...)
	if known && len(in.Fields) > 0 || s.Contents == nil {
		return in, nil
	}
	return in, s.compareBytes(ctx, in, old, new)
}

// Values returns the values of a package that one build has alone, as fields that came
// or went; nil for what is no package.
func (s *Comparer) Values(ctx context.Context, c *diff.Change) ([]Field, error) {
	if err := s.findBuilds(ctx); err != nil {
		return nil, err
	}
	build, f := s.newID, c.New
	if f == nil {
		build, f = s.oldID, c.Old
	}
	of, err := objectsOf(ctx, s, build, f)
	if err != nil {
		return nil, err
	}
	var fields []Field
	for _, v := range values.List(of.rows) {
		if c.New == nil {
			v.Old, v.New = v.New, nil
		}
		fields = append(fields, Field{Name: v.Name, Old: v.Old, New: v.New})
	}
	return fields, nil
}

func (s *Comparer) findBuilds(ctx context.Context) (err error) {
	if s.newID != 0 {
		return nil
	}
	if s.newID, err = facts.BuildID(ctx, s.DB, s.NewBuild); err != nil {
		return err
	}
	if s.OldBuild == "" {
		return nil
	}
	s.oldID, err = facts.BuildID(ctx, s.DB, s.OldBuild)
	return err
}
