package semantic

import (
	"context"

	"pakdb/diff"
	"pakdb/diff/internal/facts"
)

// sources are those of fields. What a kind of content is made of is said by
// a query, or by a function where names depend on each other; those of further
// formats belong here.
var sources = []func(*Comparer, context.Context, int64, *diff.File) ([]field, error){
	(*Comparer).prototypeFields, (*Comparer).packageFields,
	fromQuery(curvePoints), fromQuery(typeAssets), fromQuery(blueprintFields), fromQuery(directoryRecords),
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
	known := false
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
		in.Fields = append(in.Fields, compareFields(a, b)...)
	}
	in.Fields = append(in.Fields, bulkChanges(c)...)
	if known && len(in.Fields) > 0 || s.Contents == nil {
		return in, nil
	}
	return in, s.compareBytes(ctx, in, old, new)
}

func (s *Comparer) findBuilds(ctx context.Context) (err error) {
	if s.oldID != 0 {
		return nil
	}
	if s.newID, err = facts.BuildID(ctx, s.DB, s.NewBuild); err != nil {
		return err
	}
	s.oldID, err = facts.BuildID(ctx, s.DB, s.OldBuild)
	return err
}
