package export

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"pakdb/internal/parquet"
	"pakdb/query/portable"
)

// Formats returns the names of the formats, the default first.
func Formats() []string { return []string{"parquet", "csv", "jsonl"} }

// kinds are the types of columns as Parquet has them.
var kinds = [...]parquet.Kind{portable.Text: parquet.Text, portable.Int: parquet.Int, portable.Real: parquet.Real}

// Encoder writes rows.
type Encoder interface {
	Write(row []portable.Cell) error
	// Close completes the file, and does not close what it is written to.
	Close() error
}

// NewEncoder begins a file of rows of these columns, which are sorted by order.
func NewEncoder(format string, w io.Writer, columns []portable.Column, order []string) (Encoder, error) {
	switch format {
	case "csv":
		return newCSV(w, columns)
	case "jsonl":
		return newLines(w, columns)
	}
	opts := parquet.Options{Creator: "pakdb", Meta: [][2]string{{"pakdb.views", strconv.Itoa(portable.Version)}}}
	var list []parquet.Column
	for _, c := range columns {
		list = append(list, parquet.Column{Name: c.Name, Kind: kinds[c.Type], Null: c.Null, Few: c.Few, Digits: c.Hash})
	}
	for _, name := range order {
		if i := slices.IndexFunc(columns, func(c portable.Column) bool { return c.Name == name }); i >= 0 {
			opts.Sorted = append(opts.Sorted, i)
		}
	}
	p, err := parquet.NewWriter(w, list, opts)
	return table{p}, err
}

// table writes Parquet.
type table struct{ *parquet.Writer }

func (t table) Write(row []portable.Cell) error {
	for i := range row {
		switch c := &row[i]; c.Kind {
		case portable.CellNull:
			t.Null(i)
		case portable.CellInt:
			t.Int(i, c.Int)
		case portable.CellReal:
			t.Real(i, c.Real())
		case portable.CellText:
			t.Text(i, c.Bytes)
		case portable.CellHex:
			t.Hex(i, c.Bytes)
		}
	}
	return t.End()
}

// csv writes RFC 4180 with lines that end in LF. NULL is empty, an empty text is "".
type csv struct{ w *bufio.Writer }

func newCSV(w io.Writer, columns []portable.Column) (*csv, error) {
	c := &csv{bufio.NewWriterSize(w, 256<<10)}
	for i, column := range columns {
		if i > 0 {
			_ = c.w.WriteByte(',') // the error stays, and is returned by Flush
		}
		_, _ = c.w.WriteString(column.Name)
	}
	return c, c.w.WriteByte('\n')
}

func (c *csv) Write(row []portable.Cell) error {
	for i := range row {
		if i > 0 {
			_ = c.w.WriteByte(',')
		}
		switch v := &row[i]; v.Kind {
		case portable.CellText:
			c.text(string(v.Bytes))
		case portable.CellHex:
			c.text(v.Text())
		case portable.CellInt:
			_, _ = c.w.Write(strconv.AppendInt(c.w.AvailableBuffer(), v.Int, 10))
		case portable.CellReal:
			_, _ = c.w.Write(strconv.AppendFloat(c.w.AvailableBuffer(), v.Real(), 'g', -1, 64))
		}
	}
	return c.w.WriteByte('\n')
}

func (c *csv) text(v string) {
	if v != "" && !strings.ContainsAny(v, ",\"\r\n") && v[0] != ' ' && v[len(v)-1] != ' ' {
		_, _ = c.w.WriteString(v)
		return
	}
	_ = c.w.WriteByte('"')
	_, _ = c.w.WriteString(strings.ReplaceAll(v, `"`, `""`))
	_ = c.w.WriteByte('"')
}

func (c *csv) Close() error { return c.w.Flush() }

// lines writes an object of JSON a line.
type lines struct {
	w    *bufio.Writer
	keys []string
	text bytes.Buffer
	enc  *json.Encoder
}

func newLines(w io.Writer, columns []portable.Column) (*lines, error) {
	l := &lines{w: bufio.NewWriterSize(w, 256<<10)}
	l.enc = json.NewEncoder(&l.text)
	l.enc.SetEscapeHTML(false)
	for i, c := range columns {
		key := `,"` + c.Name + `":`
		if i == 0 {
			key = `{"` + c.Name + `":`
		}
		l.keys = append(l.keys, key)
	}
	return l, nil
}

func (l *lines) Write(row []portable.Cell) error {
	for i := range row {
		_, _ = l.w.WriteString(l.keys[i])
		switch v := row[i].Value().(type) {
		case int64:
			_, _ = l.w.Write(strconv.AppendInt(l.w.AvailableBuffer(), v, 10))
		case nil:
			_, _ = l.w.WriteString("null")
		default:
			if f, ok := v.(float64); ok && (math.IsInf(f, 0) || math.IsNaN(f)) {
				v = nil // JSON has no such numbers
			}
			l.text.Reset()
			if err := l.enc.Encode(v); err != nil {
				return err
			}
			_, _ = l.w.Write(bytes.TrimSuffix(l.text.Bytes(), []byte("\n")))
		}
	}
	_, err := l.w.WriteString("}\n")
	return err
}

func (l *lines) Close() error { return l.w.Flush() }
