package parquet

import "encoding/binary"

// Types of fields in Thrift's compact protocol.
const (
	typeTrue   = 1
	typeFalse  = 2
	typeI16    = 4
	typeI32    = 5
	typeI64    = 6
	typeBinary = 8
	typeList   = 9
	typeStruct = 12
)

// thrift writes structures in Thrift's compact protocol. Fields of a structure are
// written in the order of their ids.
type thrift struct {
	b    []byte
	last []int // the id of the last field, for each open structure
}

func (t *thrift) uvarint(n uint64) { t.b = binary.AppendUvarint(t.b, n) }

// begin begins a structure: the file's, that of a field, or an element of a list.
func (t *thrift) begin() { t.last = append(t.last, 0) }

func (t *thrift) end() {
	t.b = append(t.b, 0)
	t.last = t.last[:len(t.last)-1]
}

// field writes the head of a field.
func (t *thrift) field(id, kind int) {
	last := &t.last[len(t.last)-1]
	if delta := id - *last; delta > 0 && delta < 16 {
		t.b = append(t.b, byte(delta<<4|kind))
	} else {
		t.b = append(t.b, byte(kind))
		t.b = binary.AppendVarint(t.b, int64(id))
	}
	*last = id
}

func (t *thrift) i16(id int, v int64) { t.number(id, typeI16, v) }
func (t *thrift) i32(id int, v int64) { t.number(id, typeI32, v) }
func (t *thrift) i64(id int, v int64) { t.number(id, typeI64, v) }

func (t *thrift) number(id, kind int, v int64) {
	t.field(id, kind)
	t.b = binary.AppendVarint(t.b, v)
}

func (t *thrift) flag(id int, v bool) {
	if v {
		t.field(id, typeTrue)
	} else {
		t.field(id, typeFalse)
	}
}

func (t *thrift) text(id int, v string) {
	t.field(id, typeBinary)
	t.element(v)
}

// element writes a text of a list.
func (t *thrift) element(v string) {
	t.uvarint(uint64(len(v)))
	t.b = append(t.b, v...)
}

// structure writes a field that is one; inside writes its fields.
func (t *thrift) structure(id int, inside func()) {
	t.field(id, typeStruct)
	t.begin()
	inside()
	t.end()
}

// list writes the head of a list; its n elements follow.
func (t *thrift) list(id, kind, n int) {
	t.field(id, typeList)
	if n < 15 {
		t.b = append(t.b, byte(n<<4|kind))
		return
	}
	t.b = append(t.b, byte(0xf0|kind))
	t.uvarint(uint64(n))
}
