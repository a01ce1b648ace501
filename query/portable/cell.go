package portable

import (
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// CellKind tells values of cells apart.
type CellKind uint8

// The kinds of cells.
const (
	CellNull CellKind = iota
	CellText          // valid UTF-8
	CellHex           // a text of lower-case hex digits, as the bytes that they say
	CellInt
	CellReal
)

// Cell is a value of a row.
type Cell struct {
	Kind  CellKind
	Int   int64  // of CellReal the bits of the number
	Bytes []byte // of CellText and CellHex; they are not to be changed, nor kept
}

// TextCell returns the cell of a text, which is valid UTF-8.
func TextCell(t string) Cell { return Cell{Kind: CellText, Bytes: []byte(t)} }

// IntCell returns the cell of an integer.
func IntCell(n int64) Cell { return Cell{Kind: CellInt, Int: n} }

// RealCell returns the cell of a number.
func RealCell(v float64) Cell { return Cell{Kind: CellReal, Int: int64(math.Float64bits(v))} }

// Real returns the number of a cell that has one.
func (c *Cell) Real() float64 { return math.Float64frombits(uint64(c.Int)) }

// Value returns the value as SQL has it: nil, string, int64 or float64.
func (c *Cell) Value() driver.Value {
	switch c.Kind {
	case CellText, CellHex:
		return c.Text()
	case CellInt:
		return c.Int
	case CellReal:
		return c.Real()
	}
	return nil
}

// Text returns the text of a cell that has one, else "".
func (c *Cell) Text() string {
	if c.Kind == CellHex {
		return hex.EncodeToString(c.Bytes)
	}
	return string(c.Bytes)
}

// Values returns the values of a row.
func Values(row []Cell) []driver.Value {
	values := make([]driver.Value, len(row))
	for i := range row {
		values[i] = row[i].Value()
	}
	return values
}

func (c *Cell) setNull()         { *c = Cell{} }
func (c *Cell) setInt(n int64)   { c.Kind, c.Int = CellInt, n }
func (c *Cell) setText(b []byte) { c.Kind, c.Bytes = CellText, b }
func (c *Cell) setHex(b []byte)  { c.Kind, c.Bytes = CellHex, b }

// fill sets a cell to a value as the column has it.
func (c *Column) fill(cell *Cell, v driver.Value) error {
	switch v := v.(type) {
	case nil:
		if c.Null {
			cell.setNull()
			return nil
		}
	case string:
		if c.Type == Text {
			*cell = TextCell(strings.ToValidUTF8(v, "\uFFFD"))
			return nil
		}
	case []byte:
		if c.Type == Text {
			*cell = TextCell(strings.ToValidUTF8(string(v), "\uFFFD"))
			return nil
		}
	case int64:
		switch c.Type {
		case Int:
			cell.setInt(v)
			return nil
		case Real:
			*cell = RealCell(float64(v))
			return nil
		case Text:
			*cell = TextCell(strconv.FormatInt(v, 10))
			return nil
		}
	case float64:
		if c.Type == Real {
			*cell = RealCell(v)
			return nil
		}
	}
	return fmt.Errorf("column %s: %T where %s is expected", c.Name, v, c.Type)
}
