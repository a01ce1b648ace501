package codecs

import "math"

// smallestID is the lowest id worth looking for: counts, flags and offsets are
// below it. The id 00000001, which exists in Metroid Prime, was hit 10,290 times
// in one pak of 91 KiB.
const smallestID = 0x10000

// CommonValue tells ids of 4 or 8 bytes that content holds far more often than
// chance: small numbers, all ones and, of 4 bytes, the floats that people write.
func CommonValue(width int, id uint64) bool {
	if width == 4 {
		return id < smallestID || id == math.MaxUint32 || commonFloat(math.Float32frombits(uint32(id)))
	}
	return id < smallestID || id == math.MaxUint64
}

// commonFloat tells numbers that people write: whole ones up to 16384, tenths
// up to 100, 64ths up to 64. One id of 100,000 reads as one.
func commonFloat(f float32) bool {
	size := math.Abs(float64(f))
	return multiple(size, 1, 16384) || multiple(size, 10, 100) || multiple(size, 64, 64)
}

// multiple reports whether size is a multiple of 1/parts, as float32 has it.
func multiple(size, parts, limit float64) bool {
	return size <= limit && float32(math.Round(size*parts)/parts) == float32(size)
}
