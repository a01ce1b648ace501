package semantic

import (
	"context"
	"database/sql/driver"
	"slices"

	"pakdb/diff"
	"pakdb/diff/internal/facts"
	"pakdb/diff/semantic/values"
	"pakdb/schema"
)

// source is one of fields.
type source struct {
	table string // a content without rows there has none
	read  func(*Comparer, context.Context, int64, *diff.File) ([]field, error)
}

// sources are those of fields. What a kind of content is made of is said by
// a query, or by a function where names depend on each other; those of further
// formats belong here.
var sources = []source{
	{"calligraphy_value", (*Comparer).prototypeFields},
	{"", (*Comparer).packageFields}, // exports may lie in another content
	{"locres", localizedFields},
	{"config_line", fromQuery(settings)},
	{"calligraphy_curve", fromQuery(curvePoints)},
	{"calligraphy_asset", fromQuery(typeAssets)},
	{"", fromQuery(blueprintFields)}, // of two tables
	{"calligraphy_record", fromQuery(directoryRecords)},
	{"calligraphy_replacement", fromQuery(replacements)},
	{"ref", fromQuery(references)},
}

// of reads the fields of a content.
func (in *source) of(ctx context.Context, s *Comparer, build int64, f *diff.File) ([]field, error) {
	if in.table != "" {
		found := false
		err := s.each(ctx, "SELECT 1 FROM "+in.table+" WHERE content_id = ?1 LIMIT 1", []driver.Value{f.ContentID}, func([]driver.Value) { found = true })
		if err != nil || !found {
			return nil, err
		}
	}
	return in.read(s, ctx, build, f)
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
	for i := range sources {
		a, err := sources[i].of(ctx, s, s.oldID, old)
		if err != nil {
			return nil, err
		}
		b, err := sources[i].of(ctx, s, s.newID, new)
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

// Close releases what comparing opened.
func (s *Comparer) Close() error {
	if s.asked == nil {
		return nil
	}
	return s.asked.Close()
}

func (s *Comparer) statements() *schema.Statements {
	if s.asked == nil {
		s.asked = schema.NewStatements(s.DB)
	}
	return s.asked
}

func (s *Comparer) each(ctx context.Context, query string, args []driver.Value, row func([]driver.Value)) error {
	return s.statements().EachRow(ctx, query, args, row)
}
