package indexer

import (
	"math"
	"strconv"

	"pakdb/codecs"
	"pakdb/schema"
)

// calligraphyRows translates the facts of one file of Marvel Heroes' database.
func calligraphyRows(c *codecs.CalligraphyFacts) *schema.Calligraphy {
	out := &schema.Calligraphy{Replacements: replacementRows(c.Replacements)}
	for _, r := range c.Records {
		out.Records = append(out.Records, schema.Record{Space: string(c.Space), ID: int64(r.ID), GUID: int64(r.GUID),
			Blueprint: int64(r.Blueprint), Path: r.Path, Flags: int64(r.Flags)})
	}
	for _, a := range c.Assets {
		out.Assets = append(out.Assets, schema.Asset{ID: int64(a.ID), GUID: int64(a.GUID), Flags: int64(a.Flags), Name: a.Name})
	}
	if c.Curve != nil {
		out.Curve = &schema.Curve{Start: int64(c.Curve.Start), Points: points(c.Curve.Values)}
	}
	if b := c.Blueprint; b != nil {
		out.Blueprint = &schema.Blueprint{RuntimeClass: b.RuntimeClass, Default: int64(b.Default)}
		for _, m := range b.Members {
			out.Members = append(out.Members, schema.Member{Field: int64(m.ID), Name: m.Name, Type: string(m.Type),
				List: m.Structure == 'L', Subtype: int64(m.Subtype)})
		}
	}
	if c.Prototype != nil {
		out.Values = valueRows(c.Prototype)
	}
	if r := c.Resource; r != nil {
		out.Resource = &schema.Resource{Signature: int64(r.Signature), Version: int64(r.Version),
			ClassID: int64(r.ClassID), Class: r.Class}
	}
	return out
}

// replacementRows follows every chain to its end. A chain that comes back to
// itself ends where it would repeat.
func replacementRows(replacements []codecs.CalligraphyReplacement) []schema.Replacement {
	next := make(map[uint64]uint64, len(replacements))
	for _, r := range replacements {
		next[r.Old] = r.New
	}
	var rows []schema.Replacement
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
		rows = append(rows, schema.Replacement{Old: int64(r.Old), New: int64(r.New), Last: int64(last), Name: r.Name})
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
func valueRows(p *codecs.CalligraphyPrototype) []schema.Value {
	rows := make([]schema.Value, 0, len(p.Values))
	rowOf := make([]int64, len(p.Values)) // by index in p.Values
	for _, f := range p.Fields {
		g := p.Groups[f.Group]
		row := schema.Value{Owner: -1, Blueprint: int64(g.Blueprint), Copy: int64(g.Copy), Field: int64(f.ID),
			Type: string(f.Type), Position: -1}
		if f.Count == 0 {
			rows = append(rows, row)
		}
		for i := range int32(f.Count) {
			at := f.First + i
			rowOf[at] = int64(len(rows))
			row.Value = valueOf(p, f.Type, p.Values[at])
			if f.Structure == 'L' {
				row.Position = int64(i)
			}
			rows = append(rows, row)
		}
	}
	setOwners(p, rows, rowOf)
	return rows
}

// setOwners runs when all rows have their places: a body may come before the
// field that holds it is complete.
func setOwners(p *codecs.CalligraphyPrototype, rows []schema.Value, rowOf []int64) {
	i := 0
	for _, f := range p.Fields {
		owner := int64(-1)
		if at := p.Bodies[p.Groups[f.Group].Body].Owner; at >= 0 {
			owner = rowOf[at]
		}
		for range max(int(f.Count), 1) {
			rows[i].Owner = owner
			i++
		}
	}
}

func valueOf(p *codecs.CalligraphyPrototype, t byte, v uint64) any {
	switch t {
	case 'D':
		return math.Float64frombits(v)
	case 'R':
		if v < uint64(len(p.Bodies)) {
			return int64(p.Bodies[v].Parent)
		}
		return nil
	}
	return int64(v)
}
