package query

import (
	"database/sql/driver"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"pakdb/internal/terminal"
)

// tableRows is how many rows decide about the widths, and how many are held.
const tableRows = 1000

// tableBytes ends that sooner where texts are long.
const tableBytes = 16 << 20

// renderBytes is how much tablewriter is given: it takes 30 times as much memory.
const renderBytes = 1 << 20

// table writes a box. It holds up to tableRows rows, which decide about the widths
// of columns. If there are no more it leaves the box to tablewriter; a longer one it
// writes itself, row by row and in the same shape.
type table struct {
	texts
	names  []string
	cells  [][]string       // the rows held, until streaming
	values [][]driver.Value // those of cells, where lines may have to write them
	bytes  int              // in cells
	number []state          // of each column

	streaming bool
	widths    []int
	line      []byte
	lines     *lines // what writes the result where the columns do not fit
}

// state is what is known of a column: a number goes to the right, and so does
// the name of a column of nothing else.
type state struct{ numbers, others bool }

func (s state) right() bool { return s.numbers && !s.others }

func (t *table) head(columns []string) error {
	t.names = t.names[:0]
	for _, c := range columns {
		t.names = append(t.names, visible(c, ""))
	}
	t.cells, t.bytes, t.streaming, t.number, t.lines = nil, 0, false, make([]state, len(columns)), nil
	return nil
}

func (t *table) row(values []driver.Value) error {
	if t.lines != nil {
		return t.lines.row(values)
	}
	cells := make([]string, len(values))
	for i, v := range values {
		cells[i] = visible(t.shown(t.names[i], v), "")
	}
	if t.streaming {
		return t.write(t.cut(cells), nil)
	}
	if len(t.cells) == tableRows || t.bytes > tableBytes {
		if err := t.writeHeld(t.stream); err != nil {
			return err
		}
		return t.row(values)
	}
	for i, v := range values {
		t.number[i].numbers = t.number[i].numbers || isNumber(v)
		t.number[i].others = t.number[i].others || v != nil && !isNumber(v)
	}
	t.cells = append(t.cells, cells)
	if t.Width > 0 { // lines write them in another way: a text of several lines goes on below itself
		t.values = append(t.values, slices.Clone(values))
	}
	for _, c := range cells {
		t.bytes += len(c)
	}
	return nil
}

func (t *table) end() error {
	if len(t.cells) > 0 && !t.streaming {
		t.hideEmpty()
		whole := t.stream
		if t.bytes <= renderBytes && t.plain() {
			whole = t.render
		}
		if err := t.writeHeld(whole); err != nil {
			return err
		}
	}
	if t.streaming {
		return t.rule("└", "┴", "┘")
	}
	return nil
}

// hideEmpty removes the columns of which all rows held have NULL, unless these are all columns
// or NULL has a text.
func (t *table) hideEmpty() {
	var keep []int
	var empty []string
	for i, s := range t.number {
		if s.numbers || s.others {
			keep = append(keep, i)
		} else {
			empty = append(empty, t.names[i])
		}
	}
	if t.Null != "" || len(keep) == 0 || len(empty) == 0 {
		return
	}
	t.names, t.number = chosen(t.names, keep), chosen(t.number, keep)
	for i := range t.cells {
		t.cells[i] = chosen(t.cells[i], keep)
	}
	for i := range t.values {
		t.values[i] = chosen(t.values[i], keep)
	}
	if t.Hidden != nil {
		t.Hidden(empty)
	}
}

// chosen returns the elements of all at some positions, which rise, in the memory of all.
func chosen[T any](all []T, at []int) []T {
	for to, from := range at {
		all[to] = all[from]
	}
	return all[:len(at)]
}

// plain reports whether all cells and names have one byte a character. How wide others are,
// tablewriter and [terminal.Width] judge differently: a vowel sign of an Indic script
// after a Latin letter, for one.
func (t *table) plain() bool {
	wide := func(cell string) bool {
		return strings.ContainsFunc(cell, func(r rune) bool { return r >= utf8.RuneSelf })
	}
	return !slices.ContainsFunc(t.names, wide) &&
		!slices.ContainsFunc(t.cells, func(cells []string) bool { return slices.ContainsFunc(cells, wide) })
}

// writeHeld has write, or lines where the columns do not fit, write the rows held.
func (t *table) writeHeld(write func() error) error {
	if !t.measure() {
		write = t.fallBack
	}
	for _, cells := range t.cells {
		t.cut(cells)
	}
	err := write()
	t.cells, t.values = nil, nil
	return err
}

// render has tablewriter write the rows held, cut to the widths. It must neither
// reword the names (file_size to FILE SIZE), nor trim, nor wrap.
func (t *table) render() error {
	align := make([]tw.Align, len(t.number))
	for i := range align {
		align[i] = tw.AlignLeft
		if t.number[i].right() {
			align[i] = tw.AlignRight
		}
	}
	cell := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: tw.Off},
		Alignment:  tw.CellAlignment{PerColumn: align},
	}
	w := tablewriter.NewTable(t.buf,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{Symbols: tw.NewSymbols(tw.StyleLight)})),
		tablewriter.WithConfig(tablewriter.Config{Header: cell, Row: cell}),
		tablewriter.WithHeaderAutoFormat(tw.Off), tablewriter.WithTrimSpace(tw.Off), tablewriter.WithTrimLine(tw.Off))
	if !t.NoHeader {
		names := t.cut(slices.Clone(t.names))
		for i, name := range names {
			names[i] = t.bold(name)
		}
		w.Header(names)
	}
	if err := w.Bulk(t.cells); err != nil {
		return err
	}
	return w.Render()
}

// cut shortens cells to what a screen has for them.
func (t *table) cut(cells []string) []string {
	for i, c := range cells {
		if t.Width > 0 {
			cells[i] = terminal.Shorten(c, t.widths[i])
		}
	}
	return cells
}

// stream writes the rows held. Those that follow are written as they come.
func (t *table) stream() error {
	t.streaming = true
	err := t.rule("┌", "┬", "┐")
	if err == nil && !t.NoHeader {
		_ = t.write(t.cut(slices.Clone(t.names)), t.bold) // an error stays with buf
		err = t.rule("├", "┼", "┤")
	}
	for _, cells := range t.cells {
		if err == nil {
			err = t.write(cells, nil)
		}
	}
	return err
}

// measure sets the widths of the columns, and reports false if they do not fit.
func (t *table) measure() bool {
	t.widths = make([]int, len(t.names))
	for _, cells := range t.cells {
		t.widen(cells)
	}
	least := make([]int, len(t.names))
	for i, w := range t.widths {
		least[i] = min(w, terminal.LeastWidth)
		if t.number[i].right() {
			least[i] = w // a number without its end is another number
		}
		if !t.NoHeader {
			least[i] = max(least[i], min(terminal.Width(t.names[i]), terminal.LeastWidth))
		}
	}
	if !t.NoHeader {
		t.widen(t.names)
	}
	return t.Width == 0 || terminal.Fit(t.Width-3*len(t.names)-1, t.widths, least)
}

// fallBack has lines write the result: a column a line.
func (t *table) fallBack() error {
	t.lines = &lines{texts: t.texts}
	if err := t.lines.head(t.names); err != nil {
		return err
	}
	for _, values := range t.values {
		if err := t.lines.row(values); err != nil {
			return err
		}
	}
	return nil
}

func (t *table) widen(cells []string) {
	for i, c := range cells {
		t.widths[i] = max(t.widths[i], terminal.Width(c))
	}
}

// rulePiece is written until a rule is long enough: one may have millions of signs.
const rulePiece = "────────────────────────────────────────────────────────────────"

func (t *table) rule(left, middle, right string) error {
	sep := left
	for _, w := range t.widths {
		_, _ = t.buf.WriteString(sep)
		for n := w + 2; n > 0; n -= len(rulePiece) / len("─") {
			_, _ = t.buf.WriteString(rulePiece[:min(len(rulePiece), n*len("─"))])
		}
		sep = middle
	}
	_, err := t.buf.WriteString(right + "\n")
	return err
}

// write writes a row. style, unless nil, is applied to what a cell shows.
func (t *table) write(cells []string, style func(string) string) error {
	b := t.line[:0]
	for i, c := range cells {
		b = append(b, "│ "...)
		pad := strings.Repeat(" ", max(t.widths[i]-terminal.Width(c), 0))
		if style != nil {
			c = style(c)
		}
		if t.number[i].right() {
			b = append(append(b, pad...), c...)
		} else {
			b = append(append(b, c...), pad...)
		}
		b = append(b, ' ')
	}
	b = append(b, "│\n"...)
	t.line = b
	_, err := t.buf.Write(b)
	return err
}
