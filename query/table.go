package query

import (
	"database/sql/driver"
	"slices"
	"strings"

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
	number []state                           // of each column
	held   [][]driver.Value                  // rows
	bytes  int                               // in them
	rest   func(values []driver.Value) error // writes a row that follows; nil: rows are held
	widths []int
	plain  bool // names and rows held have one byte a character
	open   bool // the box has no bottom yet
	line   []byte
}

// state is what is known of a column: a number goes to the right, and so does
// the name of a column of nothing else.
type state struct{ numbers, others bool }

func (s state) right() bool { return s.numbers && !s.others }

func (t *table) head(columns []string) error {
	*t = table{texts: t.texts, number: make([]state, len(columns))}
	for _, c := range columns {
		t.names = append(t.names, terminal.Escape(c, ""))
	}
	return nil
}

func (t *table) row(values []driver.Value) error {
	if t.rest == nil && (len(t.held) == tableRows || t.bytes > tableBytes) {
		if err := t.writeHeld(false); err != nil {
			return err
		}
	}
	if t.rest != nil {
		return t.rest(values)
	}
	t.held = append(t.held, slices.Clone(values))
	for i, v := range values {
		t.number[i].numbers = t.number[i].numbers || isNumber(v)
		t.number[i].others = t.number[i].others || v != nil && !isNumber(v)
		t.bytes += len(text(v, ""))
	}
	return nil
}

func (t *table) end() error {
	if len(t.held) > 0 {
		t.hideEmpty()
		if err := t.writeHeld(true); err != nil {
			return err
		}
	}
	if t.open {
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
	for i := range t.held {
		t.held[i] = chosen(t.held[i], keep)
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

// writeHeld writes the rows held, as lines where the columns do not fit. whole says that no row
// follows. How wide a text is, tablewriter and [terminal.Width] judge differently unless it has one
// byte a character: a vowel sign of an Indic script after a Latin letter, for one.
func (t *table) writeHeld(whole bool) error {
	held := t.held
	t.held, t.widths, t.plain = nil, make([]int, len(t.names)), true
	rows := make([][]string, len(held))
	for i, values := range held {
		rows[i] = t.cells(values)
		t.widen(rows[i])
	}
	switch {
	case !t.fit():
		l := &lines{texts: t.texts}
		t.rest = l.row
		_ = l.head(t.names) // an error stays with buf
	case whole && t.plain && t.bytes <= renderBytes:
		return t.render(rows)
	default:
		t.rest = func(values []driver.Value) error { return t.write(t.cut(t.cells(values)), nil) }
		t.open = true
		_ = t.rule("┌", "┬", "┐")
		if !t.NoHeader {
			_ = t.write(t.cut(slices.Clone(t.names)), t.bold)
			_ = t.rule("├", "┼", "┤")
		}
	}
	for _, values := range held {
		if err := t.rest(values); err != nil {
			return err
		}
	}
	return nil
}

// cells returns the values of a row as they are shown.
func (t *table) cells(values []driver.Value) []string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = terminal.Escape(t.shown(t.names[i], v), "")
	}
	return all
}

// render has tablewriter write the box, cut to the widths. It must neither
// reword the names (file_size to FILE SIZE), nor trim, nor wrap.
func (t *table) render(rows [][]string) error {
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
	for _, cells := range rows {
		t.cut(cells)
	}
	if err := w.Bulk(rows); err != nil {
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

// fit makes the columns as narrow as a line of the terminal needs, and reports false if they do
// not fit.
func (t *table) fit() bool {
	least := make([]int, len(t.names))
	for i, w := range t.widths {
		if least[i] = w; !t.number[i].right() { // a number without its end is another number
			least[i] = min(w, terminal.LeastWidth)
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

// widen makes the columns as wide as cells.
func (t *table) widen(cells []string) {
	for i, c := range cells {
		n := terminal.Width(c)
		t.widths[i], t.plain = max(t.widths[i], n), t.plain && n == len(c)
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
