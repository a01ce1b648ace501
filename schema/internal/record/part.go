package record

import (
	"encoding/binary"
	"fmt"
	"sort"
)

// Part is a place in a row of archive_shift behind the first one.
type Part struct {
	At   uint16 // how many times 1 << row_bits rows after the first one
	More int64  // by how much more offsets differ than at the first one, in [-1 << 55, 1 << 55)
}

// maxWidth is the most bytes that More takes.
const maxWidth = 7

// PackParts returns parts as archive_shift has them, in 2 + width bytes each; nil for none.
func PackParts(parts []Part) (width int64, packed []byte) {
	width = 1
	for _, p := range parts {
		for width < maxWidth && (p.More < -1<<(8*width-1) || p.More >= 1<<(8*width-1)) {
			width++
		}
	}
	if len(parts) == 0 {
		return width, nil
	}
	packed = make([]byte, 0, len(parts)*int(2+width))
	for _, p := range parts {
		packed = binary.BigEndian.AppendUint16(packed, p.At)
		var more [8]byte
		binary.BigEndian.PutUint64(more[:], uint64(p.More)+1<<(8*width-1))
		packed = append(packed, more[8-width:]...)
	}
	return width, packed
}

// MoreAt returns More of the last part that lies not after a place; 0 for none.
func MoreAt(packed []byte, width, at int64) (int64, error) {
	size := int(2 + width)
	if width < 1 || width > maxWidth || len(packed)%size != 0 {
		return 0, fmt.Errorf("archive_shift: %d bytes of parts with numbers of %d", len(packed), width)
	}
	n := sort.Search(len(packed)/size, func(i int) bool { return int64(binary.BigEndian.Uint16(packed[i*size:])) > at })
	if n == 0 {
		return 0, nil
	}
	more := int64(0)
	for _, b := range packed[n*size-int(width) : n*size] {
		more = more<<8 | int64(b)
	}
	return more - 1<<(8*width-1), nil
}
