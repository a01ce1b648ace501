package btree

import (
	"encoding/binary"
	"math"
)

// Kind is the type of a value, as SQLite has types.
type Kind uint8

// The kinds of values.
const (
	Null Kind = iota
	Int
	Real
	Text
	Blob
)

// Value is a value of a row.
type Value struct {
	Kind  Kind
	Int   int64
	Real  float64
	Bytes []byte // of Text and Blob, and nil of others; they belong to the cursor until it moves
}

// varint reads a number of up to nine bytes, and returns how many it took: 0 if b is too
// short.
func varint(b []byte) (uint64, int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	v := uint64(0)
	for i, c := range b {
		if i == 8 {
			return v<<8 | uint64(c), 9
		}
		v = v<<7 | uint64(c&0x7f)
		if c < 0x80 {
			return v, i + 1
		}
	}
	return 0, 0
}

// decode reads a record. Column i goes to values[slots[i]], unless slots[i] is -1. Columns
// that were added to the table after the row was written are NULL. It reports whether the
// record is whole.
func decode(payload []byte, slots []int, values []Value) bool {
	size, at := varint(payload)
	if at == 0 || size > uint64(len(payload)) || size < uint64(at) {
		return false
	}
	types, body := payload[at:size], payload[size:]
	for _, slot := range slots {
		if len(types) == 0 {
			if slot >= 0 {
				values[slot] = Value{}
			}
			continue
		}
		serial, took := varint(types)
		if took == 0 {
			return false
		}
		types = types[took:]
		length := sizeOf(serial)
		if length > uint64(len(body)) {
			return false
		}
		if slot >= 0 {
			values[slot].set(serial, body[:length])
		}
		body = body[length:]
	}
	return true
}

// sizeOf is how many bytes a value of a serial type has.
func sizeOf(serial uint64) uint64 {
	if serial < 12 {
		return uint64("\x00\x01\x02\x03\x04\x06\x08\x08\x00\x00\x00\x00"[serial])
	}
	return (serial - 12) / 2
}

func (v *Value) set(serial uint64, b []byte) {
	v.Kind, v.Bytes = Int, nil
	switch serial {
	case 1:
		v.Int = int64(int8(b[0]))
	case 2:
		v.Int = int64(int16(binary.BigEndian.Uint16(b)))
	case 3:
		v.Int = int64(int8(b[0]))<<16 | int64(binary.BigEndian.Uint16(b[1:]))
	case 4:
		v.Int = int64(int32(binary.BigEndian.Uint32(b)))
	case 5:
		v.Int = int64(int16(binary.BigEndian.Uint16(b)))<<32 | int64(binary.BigEndian.Uint32(b[2:]))
	case 6:
		v.Int = int64(binary.BigEndian.Uint64(b))
	case 7:
		v.Kind, v.Real = Real, math.Float64frombits(binary.BigEndian.Uint64(b))
	case 8, 9:
		v.Int = int64(serial - 8)
	case 0, 10, 11:
		v.Kind, v.Int = Null, 0
	default:
		v.Kind, v.Bytes = Blob, b
		if serial&1 == 1 {
			v.Kind = Text
		}
	}
}
