package parquet

import (
	"encoding/binary"
	"math/bits"
)

// appendBits appends numbers in width bits each, the least first. Their number is a
// multiple of 8.
func appendBits(b []byte, values []uint64, width int) []byte {
	var acc uint64
	have := 0
	for _, v := range values {
		acc |= v << have
		if have+width < 64 {
			have += width
		} else {
			b = binary.LittleEndian.AppendUint64(b, acc)
			rest := 64 - have // bits of v that are written
			acc = 0
			if rest < width {
				acc = v >> rest
			}
			have = width - rest
		}
	}
	for ; have > 0; have -= 8 {
		b = append(b, byte(acc))
		acc >>= 8
	}
	return b
}

// hybrid appends numbers of width bits in runs: of equal ones, and of eights.
func (f *buffers) hybrid(b []byte, values []uint64, width int) []byte {
	loose := f.loose[:0]
	defer func() { f.loose = loose[:0] }()
	flush := func() {
		for len(loose)%8 != 0 {
			loose = append(loose, 0) // readers know how many there are
		}
		if len(loose) > 0 {
			b = binary.AppendUvarint(b, uint64(len(loose)/8)<<1|1)
			b = appendBits(b, loose, width)
			loose = loose[:0]
		}
	}
	for i := 0; i < len(values); {
		same := 1
		for i+same < len(values) && values[i+same] == values[i] {
			same++
		}
		if len(loose)%8 != 0 { // the run begins where the eights end
			take := min(same, 8-len(loose)%8)
			loose = append(loose, values[i:i+take]...)
			i, same = i+take, same-take
		}
		if same >= 8 {
			flush()
			b = binary.AppendUvarint(b, uint64(same)<<1)
			for at := 0; at < width; at += 8 {
				b = append(b, byte(values[i]>>at))
			}
		} else {
			loose = append(loose, values[i:i+same]...)
		}
		i += same
	}
	flush()
	return b
}

// A block of differences has four parts, each with a width of its own.
const (
	blockSize = 128
	partSize  = 32
)

// appendDeltas appends integers as differences in few bits (DELTA_BINARY_PACKED).
// Differences wrap around, as the format has it.
func appendDeltas(b []byte, values []int64) []byte {
	b = binary.AppendUvarint(b, blockSize)
	b = binary.AppendUvarint(b, blockSize/partSize)
	b = binary.AppendUvarint(b, uint64(len(values)))
	if len(values) == 0 {
		return binary.AppendVarint(b, 0)
	}
	b = binary.AppendVarint(b, values[0])
	last := values[0]
	for values = values[1:]; len(values) > 0; {
		block := values[:min(blockSize, len(values))]
		values = values[len(block):]
		var deltas [blockSize]int64
		least := block[0] - last
		for i, v := range block {
			deltas[i] = v - last
			least = min(least, deltas[i])
			last = v
		}
		b = appendBlock(b, deltas[:len(block)], least)
	}
	return b
}

func appendBlock(b []byte, deltas []int64, least int64) []byte {
	b = binary.AppendVarint(b, least)
	var above [blockSize]uint64
	for i, d := range deltas {
		above[i] = uint64(d - least)
	}
	var widths [blockSize / partSize]int
	for p := range widths {
		var all uint64
		for _, v := range above[p*partSize : (p+1)*partSize] {
			all |= v
		}
		widths[p] = bits.Len64(all)
		b = append(b, byte(widths[p]))
	}
	for p, width := range widths {
		if p*partSize < len(deltas) { // parts without values are left out
			b = appendBits(b, above[p*partSize:(p+1)*partSize], width)
		}
	}
	return b
}
