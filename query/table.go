package query

import (
	"database/sql/driver"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// tableRows is how many rows decide about the widths, and how many are held.
const tableRows = 1000

// tableBytes ends that sooner where texts are long.
const tableBytes = 16 << 20

// renderBytes is how much tablewriter is given: it takes 30 times as much memory.
const renderBytes = 1 << 20

// table writes a box. Up to tableRows rows it leaves that to tablewriter, which
// holds the whole table; a longer one it writes itself, row by row and in the
// same shape.
type table struct {
	texts
	names  []string
	cells  [][]string // the rows held, until streaming
	held   int        // bytes in cells
	number []state    // of each column

	streaming bool
	widths    []int
	line      []byte
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
	t.cells, t.held, t.streaming, t.number = nil, 0, false, make([]state, len(columns))
	return nil
}

func (t *table) row(values []driver.Value) error {
	cells := make([]string, len(values))
	for i, v := range values {
		cells[i] = visible(text(v, t.null), "")
	}
	if t.streaming {
		return t.write(cells)
	}
	if len(t.cells) == tableRows || t.held > tableBytes {
		if err := t.stream(); err != nil {
			return err
		}
		return t.write(cells)
	}
	for i, v := range values {
		t.number[i].numbers = t.number[i].numbers || isNumber(v)
		t.number[i].others = t.number[i].others || v != nil && !isNumber(v)
	}
	t.cells = append(t.cells, cells)
	for _, c := range cells {
		t.held += len(c)
	}
	return nil
}

func (t *table) end() error {
	switch {
	case t.streaming:
		return t.rule("└", "┴", "┘")
	case len(t.cells) == 0:
		return nil
	case t.held > renderBytes:
		if err := t.stream(); err != nil {
			return err
		}
		return t.end()
	}
	return t.render()
}

// render writes the rows held with tablewriter, which must neither reword the
// names (file_size to FILE SIZE), nor trim, nor wrap or cut.
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
	if t.header {
		w.Header(t.names)
	}
	if err := w.Bulk(t.cells); err != nil {
		return err
	}
	return w.Render()
}

// stream begins to write rows as they come, those held first.
func (t *table) stream() error {
	t.streaming, t.widths = true, make([]int, len(t.names))
	if t.header {
		t.widen(t.names)
	}
	for _, cells := range t.cells {
		t.widen(cells)
	}
	if err := t.rule("┌", "┬", "┐"); err != nil {
		return err
	}
	if t.header {
		if err := t.write(t.names); err != nil {
			return err
		}
		if err := t.rule("├", "┼", "┤"); err != nil {
			return err
		}
	}
	for _, cells := range t.cells {
		if err := t.write(cells); err != nil {
			return err
		}
	}
	t.cells = nil
	return nil
}

func (t *table) widen(cells []string) {
	for i, c := range cells {
		t.widths[i] = max(t.widths[i], width(c))
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

func (t *table) write(cells []string) error {
	b := t.line[:0]
	for i, c := range cells {
		b = append(b, "│ "...)
		pad := t.widths[i] - width(c)
		if t.number[i].right() {
			b = append(appendSpaces(b, pad), c...)
		} else {
			b = appendSpaces(append(b, c...), pad)
		}
		b = append(b, ' ')
	}
	b = append(b, "│\n"...)
	t.line = b
	_, err := t.buf.Write(b)
	return err
}

func appendSpaces(b []byte, n int) []byte {
	for range n {
		b = append(b, ' ')
	}
	return b
}
