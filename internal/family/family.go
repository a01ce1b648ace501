// Package family carries the facts of a family of formats to the catalog, opaque in
// between: Unreal packages, the database of Marvel Heroes.
//
// The room of a family, such as codecs/unreal, has the types of its facts
// and one [Table] for each of its tables in the catalog: a column's name, and the
// value that a row has there. An inspector returns the facts, the indexer passes
// on their [Batch], and the catalog writes the rows. To add a table, add it there
// and in schema.sql of the catalog, whose reference to content makes the catalog
// remove the rows with their content. This package imports nothing of ours.
package family

import (
	"encoding/binary"
	"strings"

	"github.com/zeebo/blake3"
)

// NameKey returns the key of a text in the catalog, by which names are found: the first
// 8 bytes of the BLAKE3 of the lower-cased text, little-endian, signed.
func NameKey(name string) int64 {
	var short [192]byte // most texts fit, and need no memory of their own
	sum := blake3.Sum256(append(short[:0], strings.ToLower(name)...))
	return int64(binary.LittleEndian.Uint64(sum[:8]))
}

// Facts are the facts that only contents of one family have.
type Facts interface {
	// Batch returns the facts as rows of the catalog; nil if they have none. It
	// does not change the facts.
	Batch() *Batch
}

// Batch is the rows of one content. Rows name words, texts and paths by their
// positions here.
type Batch struct {
	// Words are the few that are the same in many contents, such as the engine.
	// What no row names is added to the catalog all the same.
	Words []string
	Texts []string // for columns that refer to table name
	Paths []string // of entries, for columns that refer to table path
	Rows  []Rows
}

// Weight reports how many rows the batch takes, roughly: texts count, and single
// rows do not.
func (b *Batch) Weight() int {
	if b == nil {
		return 0
	}
	n := len(b.Texts)
	for _, r := range b.Rows {
		if !r.Layout().Single {
			n += r.Len()
		}
	}
	return n
}

// Layout says how the rows of a table lie in the catalog.
type Layout struct {
	Table string
	// Number is the column that counts the rows of a content from 0, "" if there is
	// none.
	Number  string
	Columns []ColumnLayout // all others but that of the content
	OfSet   bool           // rows belong to a set of values, whose column is set_id
	Single  bool           // a content has one row at most
	Ignore  bool           // rows whose key is there are left out
	Defines bool           // rows say all that the content defines
}

// ColumnLayout is the name of a column, and what it holds.
type ColumnLayout struct {
	Name string
	Kind Kind
}

// Kind is what a column holds.
type Kind uint8

// The kinds of columns.
const (
	Value Kind = iota // the value itself
	Word              // id of one of Batch.Words
	Text              // id of one of Batch.Texts
	Path              // id of one of Batch.Paths
)

// Rows are rows of one table.
type Rows interface {
	Layout() *Layout
	Len() int
	// Value returns what the row has in a column of kind [Value]: an int64, a
	// float64, a string, a []byte, or nil.
	Value(row, column int) any
	// Position returns which word, text or path a row has in a column of another
	// kind; negative: none, which is NULL.
	Position(row, column int) int32
}

// Table is a table of rows of type R.
type Table[R any] struct {
	layout  Layout
	columns []Column[R]
}

// Column is one column of a [Table].
type Column[R any] struct {
	layout   ColumnLayout
	value    func(*R) any
	position func(*R) int32
}

// ValueColumn is a column that holds values; see [Rows].
func ValueColumn[R any](name string, value func(*R) any) Column[R] {
	return Column[R]{layout: ColumnLayout{name, Value}, value: value}
}

// WordColumn is a column that holds words, by position in Batch.Words.
func WordColumn[R any](name string, position func(*R) int32) Column[R] {
	return Column[R]{layout: ColumnLayout{name, Word}, position: position}
}

// TextColumn is a column that holds texts, by position in Batch.Texts.
func TextColumn[R any](name string, position func(*R) int32) Column[R] {
	return Column[R]{layout: ColumnLayout{name, Text}, position: position}
}

// PathColumn is a column that holds paths, by position in Batch.Paths; nil: each row has its own.
func PathColumn[R any](name string, position func(*R) int32) Column[R] {
	return Column[R]{layout: ColumnLayout{name, Path}, position: position}
}

// NewTable returns the table that the catalog calls x_name, whose rows are counted by the
// column number, "" for none.
func NewTable[R any](name, number string, columns ...Column[R]) *Table[R] {
	t := &Table[R]{layout: Layout{Table: "x_" + name, Number: number}, columns: columns}
	for _, c := range columns {
		t.layout.Columns = append(t.layout.Columns, c.layout)
	}
	return t
}

// Single returns the table as one of which a content has one row at most.
func (t *Table[R]) Single() *Table[R] {
	single := *t
	single.layout.Single = true
	return &single
}

// OfSet returns the table as one whose rows belong to a set of values and not to a
// content.
func (t *Table[R]) OfSet() *Table[R] {
	set := *t
	set.layout.OfSet = true
	return &set
}

// Ignoring returns the table as one in which rows are left out whose key is
// there.
func (t *Table[R]) Ignoring() *Table[R] {
	ignoring := *t
	ignoring.layout.Ignore = true
	return &ignoring
}

// Defining returns the table as one whose rows say all that contents define.
func (t *Table[R]) Defining() *Table[R] {
	defining := *t
	defining.layout.Defines = true
	return &defining
}

// Rows returns rows as rows of the table. They must not change afterwards.
func (t *Table[R]) Rows(rows ...R) Rows { return &rowsOf[R]{t, rows} }

type rowsOf[R any] struct {
	*Table[R]
	rows []R
}

func (r *rowsOf[R]) Layout() *Layout { return &r.layout }
func (r *rowsOf[R]) Len() int        { return len(r.rows) }

func (r *rowsOf[R]) Value(row, column int) any { return r.columns[column].value(&r.rows[row]) }

func (r *rowsOf[R]) Position(row, column int) int32 {
	if r.columns[column].position == nil {
		return int32(row)
	}
	return r.columns[column].position(&r.rows[row])
}

// PlainFacts is the Detail of facts of such a content.
type PlainFacts struct {
	Figures []Figure
	Texts   []string
	Blocks  []Block
}

// Figure is a number from the head of a content, or a count of a text.
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
