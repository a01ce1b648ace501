package export

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"pakdb/schema"
)

// version is that of the views. It grows when a column changes its meaning; new
// columns and views leave it alone.
const version = 1

// Views returns the views that have rows of builds, with the columns that mean the same in
// every catalog.
func Views() (all []*schema.View) {
	for _, v := range schema.Views() {
		if slices.ContainsFunc(v.Columns, func(c schema.ViewColumn) bool { return c.Name == "build" }) {
			v.Columns = slices.DeleteFunc(v.Columns, func(c schema.ViewColumn) bool { return !travels(c) })
			all = append(all, v)
		}
	}
	return all
}

// travels reports whether a column is to be copied: build names the partition, and numbers of
// rows mean nothing without their catalog, nor does the place of an archive on the machine that
// scanned it. What pakdb alone reads of the catalog is NULL in a copy.
func travels(c schema.ViewColumn) bool {
	return c.Name != "build" && c.Name != "location" && !strings.HasPrefix(c.Doc, "pakdb only") && !(c.Type == "integer" && strings.HasSuffix(c.Name, "_id"))
}

// Names returns the names of all views.
func Names() (names []string) {
	for _, v := range Views() {
		names = append(names, v.Name)
	}
	return names
}

// statement returns the SELECT of the rows of a build, whose label is ?1. All columns sort,
// so that the same build gives the same rows in the same order; places come first, so that
// neighbours are alike.
func statement(v *schema.View) string {
	var list []string
	places, rest := make([]string, 7), []string{}
	for _, c := range v.Columns {
		name := `"` + c.Name + `"`
		if c.Type == "any" {
			list = append(list, "CAST("+name+" AS TEXT) AS "+name)
		} else {
			list = append(list, name)
		}
		by := name + " COLLATE BINARY"
		if i := slices.Index([]string{"path", "archive", "export_ordinal", "ordinal", "position", "seq", "line"}, c.Name); i >= 0 {
			places[i] = by
		} else {
			rest = append(rest, by)
		}
	}
	order := slices.DeleteFunc(append(places, rest...), func(s string) bool { return s == "" })
	return "SELECT " + strings.Join(list, ", ") + " FROM " + v.Name + " WHERE build = ?1 ORDER BY " + strings.Join(order, ", ")
}

// each calls row for each row of a build, whose values are nil, string, int64 or float64.
// The slice is overwritten by the next row.
func each(ctx context.Context, db *sql.DB, v *schema.View, build string, row func([]any) error) error {
	values, into := make([]any, len(v.Columns)), make([]any, len(v.Columns))
	for i := range values {
		into[i] = &values[i]
	}
	return schema.Classify(schema.Each(ctx, db, func(rows *sql.Rows) error {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		for i, c := range v.Columns {
			var err error
			if values[i], err = value(&c, values[i]); err != nil {
				return err
			}
		}
		return row(values)
	}, statement(v), build))
}

// value returns a value as files have it, or an error if the column is of another type.
// Texts that are not UTF-8 have U+FFFD in place of what is not.
func value(c *schema.ViewColumn, v any) (any, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		switch c.Type {
		case "text", "any", "time":
			return strings.ToValidUTF8(v, "\uFFFD"), nil
		}
	case []byte:
		switch c.Type {
		case "blob":
			return hex.EncodeToString(v), nil
		case "text", "any":
			return strings.ToValidUTF8(string(v), "\uFFFD"), nil
		}
	case int64:
		switch c.Type {
		case "integer":
			return v, nil
		case "boolean":
			if v == 0 || v == 1 {
				return v, nil
			}
		case "number", "real":
			return float64(v), nil
		case "text":
			return strconv.FormatInt(v, 10), nil
		}
	case float64:
		if c.Type == "number" || c.Type == "real" {
			return v, nil
		}
	}
	return nil, fmt.Errorf("column %s: %T %v where %s is expected", c.Name, v, v, c.Type)
}

// Formats returns the names of the formats, the default first.
func Formats() []string { return []string{"parquet", "csv", "jsonl"} }

// encoder writes rows, whose values are nil, string, int64 or float64.
type encoder interface {
	write(row []any) error
	// close completes the file, and does not close what it is written to.
	close() error
}

// newEncoder begins a file of rows of these columns.
func newEncoder(format string, w io.Writer, columns []schema.ViewColumn) encoder {
	if format == "parquet" {
		return newTable(w, columns)
	}
	return newLines(format, w, columns)
}

// lines writes a line a row: RFC 4180, where NULL is empty and an empty text is "", or an object
// of JSON.
type lines struct {
	w      *bufio.Writer // an error stays, and is returned by Flush
	before []string      // each value
	null   string
	end    string
	quoted func(buf []byte, v any) []byte // of texts and reals
}

func newLines(format string, w io.Writer, columns []schema.ViewColumn) *lines {
	l := &lines{w: bufio.NewWriterSize(w, 256<<10)}
	comma := ""
	for _, c := range columns {
		if format == "csv" {
			_, _ = l.w.WriteString(comma + c.Name)
			l.before = append(l.before, comma)
		} else {
			l.before = append(l.before, cmp.Or(comma, "{")+`"`+c.Name+`":`)
		}
		comma = ","
	}
	if format == "csv" {
		l.end, l.quoted = "\n", quotedCSV
		_ = l.w.WriteByte('\n')
		return l
	}
	l.null, l.end = "null", "}\n"
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	l.quoted = func(_ []byte, v any) []byte {
		if f, ok := v.(float64); ok && math.IsInf(f, 0) {
			v = nil // JSON has no such number
		}
		text.Reset()
		_ = enc.Encode(v)
		return bytes.TrimSuffix(text.Bytes(), []byte("\n"))
	}
	return l
}

func quotedCSV(buf []byte, v any) []byte {
	s, ok := v.(string)
	switch {
	case !ok:
		return strconv.AppendFloat(buf, v.(float64), 'g', -1, 64)
	case s != "" && !strings.ContainsAny(s, ",\"\r\n") && s[0] != ' ' && s[len(s)-1] != ' ':
		return append(buf, s...)
	}
	return append(append(append(buf, '"'), strings.ReplaceAll(s, `"`, `""`)...), '"')
}

func (l *lines) write(row []any) error {
	for i, v := range row {
		_, _ = l.w.WriteString(l.before[i])
		switch v := v.(type) {
		case nil:
			_, _ = l.w.WriteString(l.null)
		case int64:
			_, _ = l.w.Write(strconv.AppendInt(l.w.AvailableBuffer(), v, 10))
		default:
			_, _ = l.w.Write(l.quoted(l.w.AvailableBuffer(), v))
		}
	}
	_, err := l.w.WriteString(l.end)
	return err
}

func (l *lines) close() error { return l.w.Flush() }

const (
	groupRows      = 131_072  // rows of a row group
	dictionaryMost = 64 << 10 // bytes, beyond which values are stored as they are
	batchRows      = 1024     // rows that are written at once
)

// packed compresses all files: its encoders, of some megabytes each, are used again. The
// default level leaves hex digits of hashes unpacked.
var packed = &zstd.Codec{Level: zstd.SpeedBetterCompression}

// table writes Parquet.
type table struct {
	w       *parquet.GenericWriter[any]
	columns []schema.ViewColumn
	rows    []parquet.Row
}

// ordered is a group whose columns have the order of the view: those of parquet.Group have
// that of their names.
type ordered struct {
	parquet.Group
	fields []parquet.Field
}

func (o ordered) Fields() []parquet.Field { return o.fields }

func newTable(w io.Writer, columns []schema.ViewColumn) *table {
	group := parquet.Group{}
	for _, c := range columns {
		group[c.Name] = parquet.Optional(typeOf(&c).node)
	}
	root := ordered{group, group.Fields()}
	place := func(f parquet.Field) int {
		return slices.IndexFunc(columns, func(c schema.ViewColumn) bool { return c.Name == f.Name() })
	}
	slices.SortFunc(root.fields, func(a, b parquet.Field) int { return place(a) - place(b) })
	return &table{columns: columns, w: parquet.NewGenericWriter[any](w, parquet.NewSchema("pakdb", root),
		parquet.Compression(packed),
		parquet.MaxRowsPerRowGroup(groupRows), parquet.DictionaryMaxBytes(dictionaryMost),
		parquet.CreatedBy("pakdb", "", ""), parquet.KeyValueMetadata("pakdb.views", strconv.Itoa(version)))}
}

// columnType is what columns of a type are in Parquet and in ClickHouse, where all may be NULL.
type columnType struct {
	node   parquet.Node
	server string
}

// columnTypes are those of columns that are no texts.
var columnTypes = map[string]columnType{
	"integer": {parquet.Encoded(parquet.Int(64), &parquet.DeltaBinaryPacked), "Int64"},
	"boolean": {parquet.Leaf(parquet.BooleanType), "Bool"},
	"number":  {parquet.Leaf(parquet.DoubleType), "Float64"},
	"real":    {parquet.Leaf(parquet.DoubleType), "Float64"},
	"time":    {parquet.Timestamp(parquet.Millisecond), "DateTime64(3)"},
}

func typeOf(c *schema.ViewColumn) columnType {
	if t, ok := columnTypes[c.Type]; ok {
		return t
	}
	if c.Name == "name" || strings.HasSuffix(c.Name, "path") { // rows are sorted by path
		return columnType{parquet.Encoded(parquet.String(), &parquet.DeltaByteArray), "String"}
	}
	return columnType{parquet.Encoded(parquet.String(), &parquet.RLEDictionary), "String"}
}

func (t *table) write(values []any) error {
	row := make(parquet.Row, len(values))
	for i, v := range values {
		stored, err := cell(&t.columns[i], v)
		if err != nil {
			return err
		}
		level := 1
		if stored.IsNull() {
			level = 0
		}
		row[i] = stored.Level(0, level, i)
	}
	if t.rows = append(t.rows, row); len(t.rows) < batchRows {
		return nil
	}
	return t.flush()
}

func (t *table) flush() error {
	_, err := t.w.WriteRows(t.rows)
	t.rows = t.rows[:0]
	return err
}

func (t *table) close() error {
	if err := t.flush(); err != nil {
		return err
	}
	return t.w.Close()
}

// cell returns a value as Parquet has it.
func cell(c *schema.ViewColumn, v any) (parquet.Value, error) {
	switch v := v.(type) {
	case string:
		if c.Type == "time" {
			at, err := instant(v)
			if err != nil {
				return parquet.Value{}, fmt.Errorf("column %s: %w", c.Name, err)
			}
			return parquet.Int64Value(at.UnixMilli()), nil
		}
		return parquet.ByteArrayValue([]byte(v)), nil
	case int64:
		if c.Type == "boolean" {
			return parquet.BooleanValue(v == 1), nil
		}
		return parquet.Int64Value(v), nil
	case float64:
		return parquet.DoubleValue(v), nil
	}
	return parquet.NullValue(), nil
}

// instant reads a time as the catalog writes it. Years before Christ have a sign.
func instant(text string) (time.Time, error) {
	digits, negative := strings.CutPrefix(text, "-")
	at, err := time.Parse(time.DateTime, digits)
	if err != nil {
		at, err = time.Parse(time.RFC3339, digits)
	}
	if negative {
		at = time.Date(-at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), 0, time.UTC)
	}
	return at, err
}
