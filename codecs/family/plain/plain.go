// Package plain has the facts of contents that belong to no family of games: what the
// head of a file tells, and the lines of a text, some at a time.
package plain

import "pakdb/codecs/family"

// Facts is the Detail of facts of such a content.
type Facts struct {
	Figures []Figure
	Texts   []string
	Blocks  []Block
}

// Figure is what a head tells, or what a text was counted to have.
type Figure struct {
	Name  string // "shaders"
	Value int64
}

// Block is some lines of a text, or a part of a long one.
type Block struct {
	Line int32 // number of the first, from 1
	Text int32 // position in Texts
}

// figureRow is a figure, by the position of its name among the words.
type figureRow struct {
	name  int32
	value int64
}

var figures = family.NewTable("content_count", "seq",
	family.WordColumn("figure_id", func(r *figureRow) int32 { return r.name }),
	family.ValueColumn("value", func(r *figureRow) any { return r.value }))

var blocks = family.NewTable("text_block", "seq",
	family.ValueColumn("line", func(b *Block) any { return int64(b.Line) }),
	family.TextColumn("name_id", func(b *Block) int32 { return b.Text }))

// Batch lists the figures and the blocks.
func (f *Facts) Batch() *family.Batch {
	b := &family.Batch{Texts: f.Texts}
	var rows []figureRow
	for i, x := range f.Figures {
		b.Words = append(b.Words, x.Name)
		rows = append(rows, figureRow{int32(i), x.Value})
	}
	b.Rows = []family.Rows{figures.Rows(rows...), blocks.Rows(f.Blocks...)}
	return b
}
