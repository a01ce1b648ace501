package export

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

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
	columns []Column
	rows    []parquet.Row
}

// ordered is a group whose columns have the order of the view: those of parquet.Group have
// that of their names.
type ordered struct {
	parquet.Group
	fields []parquet.Field
}

func (o ordered) Fields() []parquet.Field { return o.fields }

func newTable(w io.Writer, columns []Column) *table {
	group := parquet.Group{}
	for _, c := range columns {
		group[c.Name] = parquet.Optional(c.node())
	}
	root := ordered{Group: group}
	for _, c := range columns {
		for _, f := range group.Fields() {
			if f.Name() == c.Name {
				root.fields = append(root.fields, f)
			}
		}
	}
	return &table{columns: columns, w: parquet.NewGenericWriter[any](w, parquet.NewSchema("pakdb", root),
		parquet.Compression(packed),
		parquet.MaxRowsPerRowGroup(groupRows), parquet.DictionaryMaxBytes(dictionaryMost),
		parquet.CreatedBy("pakdb", "", ""), parquet.KeyValueMetadata("pakdb.views", strconv.Itoa(Version)))}
}

// node returns the type of the column.
func (c *Column) node() parquet.Node {
	switch c.Type {
	case "integer":
		return parquet.Encoded(parquet.Int(64), &parquet.DeltaBinaryPacked)
	case "boolean":
		return parquet.Leaf(parquet.BooleanType)
	case "number", "real":
		return parquet.Leaf(parquet.DoubleType)
	case "time":
		return parquet.Timestamp(parquet.Millisecond)
	}
	if c.Name == "name" || strings.HasSuffix(c.Name, "path") { // rows are sorted by path
		return parquet.Encoded(parquet.String(), &parquet.DeltaByteArray)
	}
	return parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
}

func (t *table) Write(values []any) error {
	row := make(parquet.Row, len(values))
	for i, v := range values {
		cell, err := t.columns[i].cell(v)
		if err != nil {
			return err
		}
		level := 1
		if cell.IsNull() {
			level = 0
		}
		row[i] = cell.Level(0, level, i)
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

func (t *table) Close() error {
	if err := t.flush(); err != nil {
		return err
	}
	return t.w.Close()
}

// cell returns a value as Parquet has it.
func (c *Column) cell(v any) (parquet.Value, error) {
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
