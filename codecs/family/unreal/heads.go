package unreal

import "pakdb/codecs/family"

// HeadFacts is the Detail of facts of kinds of which only the head is read: figures by
// name.
type HeadFacts struct{ Figures []Figure }

// Figure is what a head tells.
type Figure struct {
	Name  string // "shaders"
	Value int64
}

// figureRow is a figure, by the position of its name among the words.
type figureRow struct {
	name  int32
	value int64
}

var figures = family.NewTable("content_count", "seq",
	family.WordColumn("figure_id", func(r *figureRow) int32 { return r.name }),
	family.ValueColumn("value", func(r *figureRow) any { return r.value }))

// Batch lists the figures.
func (f *HeadFacts) Batch() *family.Batch {
	b := &family.Batch{}
	var rows []figureRow
	for i, x := range f.Figures {
		b.Words = append(b.Words, x.Name)
		rows = append(rows, figureRow{int32(i), x.Value})
	}
	b.Rows = []family.Rows{figures.Rows(rows...)}
	return b
}
