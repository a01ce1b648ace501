package semantic

import (
	"context"
	"database/sql/driver"
	"strings"

	"pakdb/diff"
	"pakdb/diff/internal/side"
	"pakdb/diff/internal/values"
	"pakdb/schema"
)

// source is one of fields.
type source struct {
	table string // a content without rows there has none
	read  func(*Comparer, context.Context, int64, *diff.File) ([]field, error)
	// follows means that the fields follow from what people edit: the tables of a package,
	// references.
	follows bool
	// technical marks the fields.
	technical bool
}

// sources are those of fields. What a kind of content is made of is said by
// a query, or by a function where names depend on each other; those of further
// formats belong here.
var sources = []source{
	{table: "x_calligraphy_value", read: (*Comparer).prototypeFields},
	{read: (*Comparer).packageFields, follows: true, technical: true}, // exports may lie in another content
	{table: "x_locres", read: localizedFields},
	{table: "x_retro_string", read: fromQuery(retroTexts)},
	{table: "x_config_line", read: fromQuery(settings)},
	{table: "x_calligraphy_curve", read: fromQuery(curvePoints)},
	{table: "x_calligraphy_asset", read: fromQuery(typeAssets)},
	{read: fromQuery(blueprintFields)}, // of two tables
	{table: "x_calligraphy_record", read: fromQuery(directoryRecords), technical: true},
	{table: "x_calligraphy_replacement", read: fromQuery(replacements)},
	{table: "x_ref", read: fromQuery(references), follows: true, technical: true},
}

// hasRows asks which of the tables of sources have rows of content ?1, by one statement:
// many cost more to begin than to run.
var hasRows = func() string {
	var asked []string
	for _, in := range sources {
		if in.table == "" {
			asked = append(asked, "1")
		} else {
			asked = append(asked, "EXISTS (SELECT 1 FROM "+in.table+" WHERE content_id = ?1)")
		}
	}
	return "SELECT " + strings.Join(asked, ", ")
}()

// fieldsOf reads the fields of a file, for each source.
func (s *Comparer) fieldsOf(ctx context.Context, build int64, f *diff.File) (all [][]field, err error) {
	has := make([]bool, len(sources))
	err = s.each(ctx, hasRows, []driver.Value{f.ContentID}, func(v []driver.Value) {
		for i := range has {
			has[i] = side.Integer(v[i]) != 0
		}
	})
	all = make([][]field, len(sources))
	for i := range sources {
		if has[i] && err == nil {
			all[i], err = sources[i].read(s, ctx, build, f)
		}
	}
	return all, err
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
	in, known := &Difference{}, false
	err := s.statements().Together(ctx, func() (err error) {
		known, err = s.compareFacts(ctx, in, c)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := compareCode(ctx, s, in.Functions, old, new); err != nil {
		return nil, err
	}
	if len(in.Fields)+len(in.Functions) == 0 && in.moved > 0 {
		in.Fields = append(in.Fields, movedCode(in.moved))
	}
	if known && len(in.Fields)+len(in.Functions) > 0 || s.Contents == nil {
		return in, nil
	}
	return in, s.compareBytes(ctx, in, old, new)
}

// compareFacts compares what the catalog knows of both contents, and reports whether that
// is anything.
func (s *Comparer) compareFacts(ctx context.Context, in *Difference, c *diff.Change) (known bool, err error) {
	old, new := c.Old, c.New
	hides, err := valueChanges(ctx, s, in, old, new)
	if err != nil {
		return false, err
	}
	known = len(in.Fields)+len(in.Functions) > 0
	before, err := s.fieldsOf(ctx, s.oldID, old)
	if err != nil {
		return false, err
	}
	after, err := s.fieldsOf(ctx, s.newID, new)
	if err != nil {
		return false, err
	}
	for i, a := range before {
		b := after[i]
		known = known || len(a)+len(b) > 0
		for _, f := range compareFields(a, b) {
			if !hides(f.Name) {
				f.Technical = sources[i].technical
				in.Fields = append(in.Fields, f)
			}
		}
		if sources[i].table == "x_calligraphy_curve" {
			in.Curves = append(in.Curves, changedCurves(pointsOf(a), pointsOf(b))...)
		}
	}
	in.Fields = append(in.Fields, bulkChanges(c)...)
	damaged, err := s.tellDamage(ctx, in, old, new)
	return known || damaged, err
}

// Values returns the values of a package that one build has alone, as fields that came
// or went, and the curves among them, or that the file is; it has none of other files.
func (s *Comparer) Values(ctx context.Context, c *diff.Change) (*Difference, error) {
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
	in := &Difference{}
	for _, v := range values.List(of.rows) {
		if c.New == nil {
			v.Old, v.New = v.New, nil
		}
		in.Fields = append(in.Fields, Field{Name: v.Name, Old: v.Old, New: v.New})
	}
	points, err := fromQuery(curvePoints)(s, ctx, build, f)
	for _, one := range []curves{curvesOf(of.rows), pointsOf(points)} {
		if c.New == nil {
			in.Curves = append(in.Curves, changedCurves(one, curves{})...)
		} else {
			in.Curves = append(in.Curves, changedCurves(curves{}, one)...)
		}
	}
	return in, err
}

func (s *Comparer) findBuilds(ctx context.Context) (err error) {
	if s.newID != 0 {
		return nil
	}
	if s.newID, err = side.BuildID(ctx, s.DB, s.NewBuild); err != nil {
		return err
	}
	if s.OldBuild == "" {
		return nil
	}
	s.oldID, err = side.BuildID(ctx, s.DB, s.OldBuild)
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
