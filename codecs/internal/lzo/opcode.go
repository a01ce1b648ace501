package lzo

// Bounds of the match classes, as doc.go describes them.
const (
	minM2, minM3, minM4 = 64, 32, 16 // first instruction byte of each class

	maxM3Length = 33 // longest match before [n] is needed
	maxM4Length = 9

	m1RunBase = 2049  // smallest distance of an M1 after a literal run
	m4Base    = 16384 // M4 distances are larger: this one ends the stream

	endByte = 0x11 // first byte of the end marker: an M4 of length 3
)

// A decoder's state is the number of literals that the instruction before
// copied: 0 to 3, or stateRun for a run of 4 and more.
const stateRun = 4

// opcode says how to read a match, so that the decoder has no branch for each
// class: which class comes next is what a processor guesses worst.
type opcode struct {
	length uint8  // 0: larger than the byte can say, [n] follows
	size   uint8  // bytes of the instruction without [n]
	shift  uint8  // distance = operand<<3>>shift + base
	lits   uint8  // bit of the literal count, from the byte before the operand
	mask   uint16 // of the operand: one byte or two
	base   uint16
}

// m1Row is the first row of M1 in the table: its meaning depends on the state.
const m1Row = 256

// opcodes is a constant table: by the instruction byte, then for bytes below
// minM4 a row of 16 for each state. Nothing writes to it once it is made.
var opcodes = makeOpcodes()

func makeOpcodes() (ops [m1Row + 16*(stateRun+1)]opcode) {
	for t := range minM4 {
		for state := 1; state < stateRun; state++ {
			ops[m1Row+16*state+t] = opcode{length: 2, size: 2, shift: 1, mask: 0xff, base: uint16(t>>2 + 1)}
		}
		ops[m1Row+16*stateRun+t] = opcode{length: 3, size: 2, shift: 1, mask: 0xff, base: uint16(t>>2 + m1RunBase)}
	}
	for t := minM4; t < minM3; t++ {
		base := uint16(m4Base + t&8<<11)
		ops[t] = opcode{length: uint8(t&7 + 2), size: 3, shift: 5, lits: 8, mask: 0xffff, base: base}
	}
	for t := minM3; t < minM2; t++ {
		ops[t] = opcode{length: uint8(t&31 + 2), size: 3, shift: 5, lits: 8, mask: 0xffff, base: 1}
	}
	for t := minM2; t < m1Row; t++ {
		ops[t] = opcode{length: uint8(t>>5 + 1), size: 2, mask: 0xff, base: uint16(t>>2&7 + 1)}
	}
	ops[0x10].length, ops[0x18].length, ops[0x20].length = 0, 0, 0
	return ops
}

// split reads the operand: word holds, from its lowest byte, the byte before
// the operand and the operand.
func (o *opcode) split(word uint32) (dist, lits int) {
	operand := word >> 8 & uint32(o.mask)
	return int(operand<<3>>(o.shift&31)) + int(o.base), int(word >> (o.lits & 31) & 3)
}

// maxLength is the longest match of t's class that needs no [n].
func maxLength(t uint32) int {
	if t < minM3 {
		return maxM4Length
	}
	return maxM3Length
}
