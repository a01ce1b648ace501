package property

import (
	"fmt"

	"pakdb/codecs"
)

// A fragment of the header of an unversioned list, a u16.
const (
	fragmentSkip  = 0x7F
	fragmentZeros = 1 << 7
	fragmentLast  = 1 << 8
	fragmentCount = 9 // shift of the number of values
)

// maxFragments bounds a header. One fragment covers up to 127 values, and gaps of more
// than 127 take several.
const maxFragments = 1 << 10

// header says which properties of a list have values, and which of these are zero.
type header struct {
	fragments []byte // u16 each
	zeros     []byte // one bit for each value of fragments with zeros
}

// readHeader reads the header and checks it against the number of positions.
func readHeader(p *parser, positions int) (h header) {
	start := int(p.in.Off())
	at, masked, n := 0, 0, 0
	for last := false; !last && p.ok(); n++ {
		f := p.in.U16()
		last = f&fragmentLast != 0
		at += int(f & fragmentSkip)
		count := int(f >> fragmentCount)
		if count > 0 && at+count > positions || n == maxFragments {
			p.fail(fmt.Errorf("value at position %d of %d: %w", at+count-1, positions, codecs.ErrCorrupt))
			return h
		}
		at += count
		if f&fragmentZeros != 0 {
			masked += count
		}
	}
	if !p.ok() {
		return h
	}
	h.fragments = p.data[start : start+2*n]
	switch {
	case masked == 0:
	case masked <= 8:
		h.zeros = p.in.Bytes(1)
	case masked <= 16:
		h.zeros = p.in.Bytes(2)
	default:
		h.zeros = p.in.Bytes((masked + 31) / 32 * 4)
	}
	return h
}

// unversioned reads a list by the positions of its class or struct. Nothing in the
// file says where a value ends: after one that cannot be read all others are lost.
func readUnversioned(p *parser, slots []slot) {
	if !p.down() {
		return
	}
	list, start := len(p.l.Nodes)-1, int32(p.in.Off())
	h := readHeader(p, len(slots))
	place := p.l.placeOf(list)
	place.form, place.head, place.end, place.slots = formPositions, start, int32(p.in.Off()), slots
	at, masked := 0, 0
	for b := h.fragments; len(b) > 0; b = b[2:] {
		f := p.l.order.Uint16(b)
		at += int(f & fragmentSkip)
		for range f >> fragmentCount {
			if !p.ok() {
				return
			}
			zero := false
			if f&fragmentZeros != 0 {
				zero = h.zeros[masked/8]>>(masked%8)&1 != 0
				masked++
			}
			readSlot(p, &slots[at], at, zero)
			at++
		}
	}
	p.up()
}

// slot reads the value of one position.
func readSlot(p *parser, s *slot, position int, zero bool) {
	if s.field == nil {
		if !zero {
			p.fail(fmt.Errorf("value at position %d, of a property that mappings leave out: %w", position, codecs.ErrNotFound))
		}
		return
	}
	i := len(p.l.Nodes)
	if p.add(s.field.Name, s.field.Type) != i {
		return
	}
	p.l.Nodes[i].Index = s.index
	p.values++
	if zero {
		setZero(p, i)
		return
	}
	if s.field.Type.Kind == Unknown {
		p.fail(fmt.Errorf("%s: %w", s.field.Name, errKind))
		return
	}
	readValue(p, i, false)
}

// zero gives node i the value that has no bytes. Structs of numbers have fields, as
// they have elsewhere.
func setZero(p *parser, i int) {
	n := &p.l.Nodes[i]
	n.Flags |= Zero
	switch n.Kind {
	case Enum, Byte:
		n.Text = memberName(p, n.Type, 0)
	case Name:
		n.Text = "None"
	case LazyObject:
		n.Text = zeroGUID
	case Struct:
		switch {
		case n.Type.native == nil:
		case n.Type.native.layout != nil:
			addZeros(p, n.Type.native.layout)
		case n.Type.Name == "Guid":
			n.Text = zeroGUID
		}
	}
	p.close(i)
}

const zeroGUID = "00000000000000000000000000000000"

// zeros adds the fields of a struct of numbers.
func addZeros(p *parser, l *layout) {
	for k := range l.fields {
		t := l.fields[k].narrow
		if p.v.wide {
			t = l.fields[k].wide
		}
		at := len(p.l.Nodes)
		if p.add(l.fields[k].name, t) != at {
			return
		}
		p.l.Nodes[at].Flags |= Zero
		if t.Kind == Struct {
			addZeros(p, t.native.layout)
		}
		p.close(at)
	}
}
