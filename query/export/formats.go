package export

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"math"
	"strconv"
	"strings"
)

// Formats returns the names of the formats, the default first.
func Formats() []string { return []string{"parquet", "csv", "jsonl"} }

// Encoder writes rows, whose values are nil, string, int64 or float64.
type Encoder interface {
	Write(row []any) error
	// Close completes the file, and does not close what it is written to.
	Close() error
}

// NewEncoder begins a file of rows of these columns.
func NewEncoder(format string, w io.Writer, columns []Column) (Encoder, error) {
	switch format {
	case "csv":
		return newCSV(w, columns)
	case "jsonl":
		return newLines(w, columns), nil
	}
	return newTable(w, columns), nil
}

// csv writes RFC 4180 with lines that end in LF. NULL is empty, an empty text is "".
type csv struct{ w *bufio.Writer }

func newCSV(w io.Writer, columns []Column) (*csv, error) {
	c := &csv{bufio.NewWriterSize(w, 256<<10)}
	for i, column := range columns {
		if i > 0 {
			_ = c.w.WriteByte(',') // the error stays, and is returned by Flush
		}
		_, _ = c.w.WriteString(column.Name)
	}
	return c, c.w.WriteByte('\n')
}

func (c *csv) Write(row []any) error {
	for i, v := range row {
		if i > 0 {
			_ = c.w.WriteByte(',')
		}
		switch v := v.(type) {
		case string:
			c.text(v)
		case int64:
			_, _ = c.w.Write(strconv.AppendInt(c.w.AvailableBuffer(), v, 10))
		case float64:
			_, _ = c.w.Write(strconv.AppendFloat(c.w.AvailableBuffer(), v, 'g', -1, 64))
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

func newLines(w io.Writer, columns []Column) *lines {
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
	return l
}

func (l *lines) Write(row []any) error {
	for i, v := range row {
		_, _ = l.w.WriteString(l.keys[i])
		switch v := v.(type) {
		case int64:
			_, _ = l.w.Write(strconv.AppendInt(l.w.AvailableBuffer(), v, 10))
		case nil:
			_, _ = l.w.WriteString("null")
		default:
			if f, ok := v.(float64); ok && math.IsInf(f, 0) {
				v = nil // JSON has no such number
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
