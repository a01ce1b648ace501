package family

// PlainFacts is the Detail of facts of such a content.
type PlainFacts struct {
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

var figures = NewTable("content_count", "seq",
	WordColumn("figure_id", func(r *figureRow) int32 { return r.name }),
	ValueColumn("value", func(r *figureRow) any { return r.value }))

var blocks = NewTable("text_block", "seq",
	ValueColumn("line", func(b *Block) any { return int64(b.Line) }),
	TextColumn("name_id", func(b *Block) int32 { return b.Text }))

// Batch lists the figures and the blocks.
func (f *PlainFacts) Batch() *Batch {
	b := &Batch{Texts: f.Texts}
	var rows []figureRow
	for i, x := range f.Figures {
		b.Words = append(b.Words, x.Name)
		rows = append(rows, figureRow{int32(i), x.Value})
	}
	b.Rows = []Rows{figures.Rows(rows...), blocks.Rows(f.Blocks...)}
	return b
}
