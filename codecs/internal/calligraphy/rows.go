package calligraphy

import (
	"fmt"
	"math"
	"strconv"

	"pakdb/internal/family"
)

// replacementRow is a replacement with the end of its chain.
type replacementRow struct {
	Replacement
	last uint64
}

// valueRow is one value of a prototype's field.
type valueRow struct {
	owner    int64 // row whose embedded body this is in; -1: none
	member   int32 // position in the texts
	position int64 // in a list; -1: not a list
	value    any   // int64, float64, "NaN", or nil for an empty list
	typ      any   // string
}

// curveRow is a curve as the catalog has it.
type curveRow struct {
	start  int64
	points string // a JSON array
}

// Batch returns the rows of a file of the database.
func (f *Facts) Batch() *family.Batch {
	b := &family.Batch{Rows: []family.Rows{assets.Rows(f.Assets...), replacements.Rows(replacementRows(f.Replacements)...)}}
	if len(f.Records) > 0 {
		b.Words = []string{string(f.Space), string(SpaceGUID)} // the rows define ids of both spaces
		b.Paths = make([]string, len(f.Records))
		for i := range f.Records {
			b.Paths[i] = f.Records[i].Path
		}
		b.Rows = append(b.Rows, marvelRecords.Rows(f.Records...))
	}
	if f.Curve != nil {
		b.Rows = append(b.Rows, curves.Rows(curveRow{int64(f.Curve.Start), points(f.Curve.Values)}))
	}
	if f.Blueprint != nil {
		b.Rows = append(b.Rows, blueprints.Rows(*f.Blueprint), members.Rows(f.Blueprint.Members...))
	}
	if f.Prototype != nil {
		for _, x := range f.Prototype.Fields { // few of the fields differ
			g := &f.Prototype.Groups[x.Group]
			b.Texts = append(b.Texts, fmt.Sprintf("%+020d %+020d %d", int64(g.Blueprint), int64(x.ID), g.Copy))
		}
		b.Rows = append(b.Rows, values.Rows(valueRows(f.Prototype)...))
	}
	if f.Resource != nil {
		b.Rows = append(b.Rows, resources.Rows(*f.Resource))
	}
	return b
}

// replacementRows follows every chain to its end. A chain that comes back to
// itself ends where it would repeat.
func replacementRows(replacements []Replacement) []replacementRow {
	next := make(map[uint64]uint64, len(replacements))
	for _, r := range replacements {
		next[r.Old] = r.New
	}
	rows := make([]replacementRow, 0, len(replacements))
	for _, r := range replacements {
		last := r.New
		for seen := map[uint64]bool{r.Old: true}; last != 0 && !seen[last]; {
			seen[last] = true
			to, ok := next[last]
			if !ok {
				break
			}
			last = to
		}
		rows = append(rows, replacementRow{r, last})
	}
	return rows
}

// points renders a curve as JSON, losing nothing that JSON can say: what is not
// a number is null, infinities are numbers too large for a float.
func points(values []float64) string {
	b := make([]byte, 0, 2+8*len(values))
	b = append(b, '[')
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		switch {
		case math.IsNaN(v):
			b = append(b, "null"...)
		case math.IsInf(v, 1):
			b = append(b, "9e999"...)
		case math.IsInf(v, -1):
			b = append(b, "-9e999"...)
		default:
			b = strconv.AppendFloat(b, v, 'g', -1, 64)
		}
	}
	return string(append(b, ']'))
}

// valueRows flattens the bodies into a row a value. An embedded body's values
// name the row of the value that holds the body as their owner.
func valueRows(p *Prototype) []valueRow {
	rows := make([]valueRow, 0, len(p.Values))
	rowOf := make([]int64, len(p.Values)) // by index in p.Values
	for n, f := range p.Fields {
		row := valueRow{owner: -1, member: int32(n), typ: string(f.Type), position: -1}
		if f.Count == 0 {
			rows = append(rows, row)
		}
		for i := range int32(f.Count) {
			at := f.First + i
			rowOf[at] = int64(len(rows))
			row.value = valueOf(p, f.Type, p.Values[at])
			if f.Structure == 'L' {
				row.position = int64(i)
			}
			rows = append(rows, row)
		}
	}
	setOwners(p, rows, rowOf)
	return rows
}

// setOwners runs when all rows have their places: a body may come before the
// field that holds it is complete.
func setOwners(p *Prototype, rows []valueRow, rowOf []int64) {
	i := 0
	for _, f := range p.Fields {
		owner := int64(-1)
		if at := p.Bodies[p.Groups[f.Group].Body].Owner; at >= 0 {
			owner = rowOf[at]
		}
		for range max(int(f.Count), 1) {
			rows[i].owner = owner
			i++
		}
	}
}

func valueOf(p *Prototype, t byte, v uint64) any {
	switch t {
	case 'D':
		if f := math.Float64frombits(v); !math.IsNaN(f) { // SQLite has NULL in its place
			return f
		}
		return "NaN"
	case 'R':
		if v < uint64(len(p.Bodies)) {
			return int64(p.Bodies[v].Parent)
		}
		return nil
	}
	return int64(v)
}

// The tables of the catalog; see 0002_graph.sql.
var (
	marvelRecords = family.NewTable("calligraphy_record", "seq",
		family.WordColumn("space_id", func(*Record) int32 { return 0 }),
		family.ValueColumn("id", func(r *Record) any { return int64(r.ID) }),
		family.ValueColumn("guid", func(r *Record) any { return int64(r.GUID) }),
		family.ValueColumn("blueprint", func(r *Record) any { return int64(r.Blueprint) }),
		family.PathColumn[Record]("path_id", nil),
		family.ValueColumn("flags", func(r *Record) any { return int64(r.Flags) })).Defining()
	replacements = family.NewTable("calligraphy_replacement", "seq",
		family.ValueColumn("old_guid", func(r *replacementRow) any { return int64(r.Old) }),
		family.ValueColumn("new_guid", func(r *replacementRow) any { return int64(r.New) }),
		family.ValueColumn("last_guid", func(r *replacementRow) any { return int64(r.last) }),
		family.ValueColumn("name", func(r *replacementRow) any { return r.Name }))
	assets = family.NewTable("calligraphy_asset", "seq",
		family.ValueColumn("id", func(a *Asset) any { return int64(a.ID) }),
		family.ValueColumn("guid", func(a *Asset) any { return int64(a.GUID) }),
		family.ValueColumn("flags", func(a *Asset) any { return int64(a.Flags) }),
		family.ValueColumn("name", func(a *Asset) any { return a.Name }))
	curves = family.NewTable("calligraphy_curve", "",
		family.ValueColumn("start", func(c *curveRow) any { return c.start }),
		family.ValueColumn("points", func(c *curveRow) any { return c.points })).Single()
	blueprints = family.NewTable("calligraphy_blueprint", "",
		family.ValueColumn("runtime_class", func(b *Blueprint) any { return b.RuntimeClass }),
		family.ValueColumn("default_id", func(b *Blueprint) any { return int64(b.Default) })).Single()
	members = family.NewTable("calligraphy_member", "seq",
		family.ValueColumn("field", func(m *Member) any { return int64(m.ID) }),
		family.ValueColumn("name", func(m *Member) any { return m.Name }),
		family.ValueColumn("type", func(m *Member) any { return string(m.Type) }),
		family.ValueColumn("list", func(m *Member) any { return flag(m.Structure == 'L') }),
		family.ValueColumn("subtype", func(m *Member) any { return int64(m.Subtype) }))
	values = family.NewTable("calligraphy_value", "ordinal",
		family.ValueColumn("owner", func(v *valueRow) any { return indexOrNull(v.owner) }),
		family.TextColumn("member_id", func(v *valueRow) int32 { return v.member }),
		family.ValueColumn("type", func(v *valueRow) any { return v.typ }),
		family.ValueColumn("position", func(v *valueRow) any { return indexOrNull(v.position) }),
		family.ValueColumn("value", func(v *valueRow) any { return v.value }))
	resources = family.NewTable("calligraphy_resource", "",
		family.ValueColumn("signature", func(r *Resource) any { return int64(r.Signature) }),
		family.ValueColumn("version", func(r *Resource) any { return int64(r.Version) }),
		family.ValueColumn("class_id", func(r *Resource) any { return int64(r.ClassID) }),
		family.ValueColumn("class", func(r *Resource) any { return textOrNull(r.Class) })).Single()
)

func flag(set bool) int64 {
	if set {
		return 1
	}
	return 0
}

// indexOrNull returns nil for -1, which is none.
func indexOrNull(i int64) any {
	if i < 0 {
		return nil
	}
	return i
}

func textOrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
