package portable

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
)

// A row is sorted as bytes: its key, which compares as the columns of the order do, then
// the other columns, in any form. Of keys NULL comes first, then numbers by value, texts by
// their bytes. No record is the beginning of another.
type record struct {
	columns []int // in the order of a record
	keys    int   // how many of them are in the key
}

// newRecord returns how rows of a view are written, with keys columns in the key. Those of
// leave are not written.
func newRecord(v *View, keys int, leave ...string) (record, error) {
	var r record
	for _, name := range v.Order {
		i := slices.Index(v.Names(), name)
		if i < 0 {
			return r, errors.New("view " + v.Name + " is sorted by a column that it lacks: " + name)
		}
		r.columns = append(r.columns, i)
	}
	for i := range v.Columns {
		if !slices.Contains(r.columns, i) && !slices.Contains(leave, v.Columns[i].Name) {
			r.columns = append(r.columns, i)
		}
	}
	r.keys = min(keys, len(r.columns))
	return r, nil
}

// append appends a row.
func (r *record) append(b []byte, row []Cell) []byte {
	for _, i := range r.columns[:r.keys] {
		b = appendKey(b, &row[i])
	}
	for _, i := range r.columns[r.keys:] {
		c := &row[i]
		b = append(b, byte(c.Kind))
		switch c.Kind {
		case CellInt:
			b = binary.AppendVarint(b, c.Int)
		case CellReal:
			b = binary.LittleEndian.AppendUint64(b, uint64(c.Int))
		case CellText, CellHex:
			b = append(binary.AppendUvarint(b, uint64(len(c.Bytes))), c.Bytes...)
		}
	}
	return b
}

// appendKey appends a value, so that bytes compare as values do. The values of a column are
// of one kind, or NULL.
func appendKey(b []byte, c *Cell) []byte {
	b = append(b, byte(c.Kind))
	switch c.Kind {
	case CellInt:
		return binary.BigEndian.AppendUint64(b, uint64(c.Int)^1<<63)
	case CellReal:
		bits := uint64(c.Int)
		if bits>>63 == 1 {
			bits = ^bits
		} else {
			bits |= 1 << 63
		}
		return binary.BigEndian.AppendUint64(b, bits)
	case CellText, CellHex:
		for v := c.Bytes; ; {
			i := bytes.IndexByte(v, 0)
			if i < 0 {
				return append(append(b, v...), 0, 0)
			}
			b, v = append(append(b, v[:i]...), 0, 1), v[i+1:]
		}
	}
	return b
}

// decode is the inverse of append. Cells of columns that are not in records stay as they are.
func (r *record) decode(b []byte, row []Cell) {
	for _, i := range r.columns[:r.keys] {
		b = decodeKey(b, &row[i])
	}
	for _, i := range r.columns[r.keys:] {
		c := &row[i]
		c.Kind, c.Bytes = CellKind(b[0]), nil
		b = b[1:]
		switch c.Kind {
		case CellInt:
			n, took := binary.Varint(b)
			c.Int, b = n, b[took:]
		case CellReal:
			c.Int, b = int64(binary.LittleEndian.Uint64(b)), b[8:]
		case CellText, CellHex:
			n, took := binary.Uvarint(b)
			b = b[took:]
			c.Bytes, b = b[:n:n], b[n:]
		}
	}
}

// decodeKey reads a value of a key, and returns the rest.
func decodeKey(b []byte, c *Cell) []byte {
	c.Kind, c.Bytes = CellKind(b[0]), nil
	b = b[1:]
	switch c.Kind {
	case CellInt:
		c.Int, b = int64(binary.BigEndian.Uint64(b)^1<<63), b[8:]
	case CellReal:
		bits := binary.BigEndian.Uint64(b)
		if bits>>63 == 1 {
			bits &^= 1 << 63
		} else {
			bits = ^bits
		}
		c.Int, b = int64(bits), b[8:]
	case CellText, CellHex:
		end := bytes.IndexByte(b, 0)
		if b[end+1] == 0 {
			c.Bytes = b[:end:end]
			return b[end+2:]
		}
		var text []byte
		for b[end+1] == 1 {
			text = append(append(text, b[:end]...), 0)
			b = b[end+2:]
			end = bytes.IndexByte(b, 0)
		}
		c.Bytes, b = append(text, b[:end]...), b[end+2:]
	}
	return b
}
