package lzo

// What LZO1X can say of a match: classes by length and distance, and by how many
// literals stand before it. doc.go has the bits.
const (
	class1Distance = 0x400  // 2 bytes, behind 1 to 3 literals
	class2Distance = 0x800  // 3 to 8 bytes
	class2Length   = 8      //
	runDistance    = 0xc00  // 3 bytes, behind 4 literals and more
	class3Distance = 0x4000 // any length, up to 33 bytes in 5 bits
	class3Length   = 33     //
	class4Length   = 9      // any length, up to 9 bytes in 3 bits, as far as the dictionary goes
)

// size returns how many bytes a match takes behind so many literals; 0: there is
// no way to say it.
func (m match) size(literals int) int {
	switch {
	case m.length == 2 && (m.distance > class1Distance || literals == 0 || literals > 3):
		return 0
	case m.length == 2, m.short(), m.behindRun(literals):
		return 2
	case m.distance <= class3Distance:
		return 3 + extra(m.length-class3Length)
	}
	return 3 + extra(m.length-class4Length)
}

func (m match) short() bool { return m.length <= class2Length && m.distance <= class2Distance }

func (m match) behindRun(literals int) bool {
	return m.length == 3 && m.distance <= runDistance && literals > 3
}

// extra returns how many bytes hold what of a length does not fit into the
// instruction.
func extra(n int) int {
	if n <= 0 {
		return 0
	}
	return (n + 254) / 255
}

// run writes literals: all those between two matches, or at an end. Up to three
// are announced by the match before them.
func (e *Encoder) run(literals []byte) {
	n := len(literals)
	switch {
	case n == 0:
		return
	case len(e.out) == e.base && n <= 238:
		e.out = append(e.out, byte(n+17))
	case n <= 3:
		e.out[len(e.out)-2] |= byte(n)
	case n <= 18:
		e.out = append(e.out, byte(n-3))
	default:
		e.out = append(e.out, 0)
		e.extend(n - 18)
	}
	e.out = append(e.out, literals...)
}

// extend writes what of a length does not fit into the instruction.
func (e *Encoder) extend(n int) {
	for ; n > 255; n -= 255 {
		e.out = append(e.out, 0)
	}
	e.out = append(e.out, byte(n))
}

// copy writes a match behind so many literals.
func (e *Encoder) copy(m match, literals int) {
	d := m.distance - 1
	switch {
	case m.length == 2:
		e.out = append(e.out, byte(d&3<<2), byte(d>>2))
	case m.short():
		e.out = append(e.out, byte((m.length-1)<<5|d&7<<2), byte(d>>3))
	case m.behindRun(literals):
		d -= class2Distance
		e.out = append(e.out, byte(d&3<<2), byte(d>>2))
	case m.distance <= class3Distance:
		e.far(32, m.length, class3Length, d)
	default:
		d = m.distance - class3Distance
		e.far(16|d>>11&8, m.length, class4Length, d)
	}
}

func (e *Encoder) far(op, length, most, d int) {
	if length <= most {
		e.out = append(e.out, byte(op|(length-2)))
	} else {
		e.out = append(e.out, byte(op))
		e.extend(length - most)
	}
	e.out = append(e.out, byte(d<<2), byte(d>>6))
}
