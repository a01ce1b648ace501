package property

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// slotState says what a list without tags has of a position.
type slotState uint8

const (
	slotAbsent slotState = iota
	slotStored
	slotZero
)

// readStates returns what a list has of each position, from its header.
func readStates(header []byte, positions int, order binary.ByteOrder) []slotState {
	states := make([]slotState, positions)
	n, masked := 0, 0
	for last := false; !last; n += 2 {
		last = order.Uint16(header[n:])&fragmentLast != 0
	}
	mask := header[n:]
	at := 0
	for i := 0; i < n; i += 2 {
		f := order.Uint16(header[i:])
		at += int(f & fragmentSkip)
		for range f >> fragmentCount {
			states[at] = slotStored
			if f&fragmentZeros != 0 {
				if mask[masked/8]>>(masked%8)&1 != 0 {
					states[at] = slotZero
				}
				masked++
			}
			at++
		}
	}
	return states
}

// appendHeader appends the header of a list that has these positions, as the engine makes
// it.
func appendHeader(dst []byte, states []slotState, order binary.ByteOrder) []byte {
	type fragment struct {
		skip, count int
		zeros       bool
		bits        []bool
	}
	all := []fragment{{}}
	next := 0
	for at, s := range states {
		if s == slotAbsent {
			continue
		}
		for ; next < at; next++ {
			if last := &all[len(all)-1]; last.count > 0 || last.skip == fragmentSkip {
				all = append(all, fragment{})
			}
			all[len(all)-1].skip++
		}
		if all[len(all)-1].count == fragmentSkip {
			all = append(all, fragment{})
		}
		f := &all[len(all)-1]
		f.count++
		f.zeros = f.zeros || s == slotZero
		f.bits = append(f.bits, s == slotZero)
		next++
	}
	var bits []bool
	for i, f := range all {
		v := uint64(f.skip | f.count<<fragmentCount)
		if f.zeros {
			v |= fragmentZeros
			bits = append(bits, f.bits...)
		}
		if i == len(all)-1 {
			v |= fragmentLast
		}
		dst = appendNumber(dst, UInt16, v, order)
	}
	size := (len(bits) + 31) / 32 * 4
	if len(bits) <= 16 {
		size = (len(bits) + 7) / 8
	}
	mask := make([]byte, size)
	for i, zero := range bits {
		if zero {
			mask[i/8] |= 1 << (i % 8)
		}
	}
	return append(dst, mask...)
}

// rewriteHeader returns the header for other states. UE 5.4 writes two empty fragments in
// front of lists of some exports, which stay. It returns nil where the old header is not as
// the engine makes it.
func rewriteHeader(old []byte, was, now []slotState, order binary.ByteOrder) []byte {
	var front []byte
	made := appendHeader(nil, was, order)
	switch {
	case bytes.Equal(old, made):
	case len(old) > 4 && bytes.Equal(old[:4], []byte{0, 0, 0, 0}) && bytes.Equal(old[4:], made):
		front = old[:4]
	case len(old) == 2 && !slices.ContainsFunc(was, func(s slotState) bool { return s != slotAbsent }): // any skip
	default:
		return nil
	}
	return appendHeader(bytes.Clone(front), now, order)
}
