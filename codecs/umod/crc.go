package umod

import (
	"hash/crc32"
	"math/bits"
)

// crcSum is a running CRC-32/BZIP2; it is an io.Writer. It has the polynomial
// of the common CRC-32 but takes the most significant bit of a byte first, so
// it is the common one over bytes with their bits reversed, itself reversed.
type crcSum struct {
	common uint32
	buf    [4096]byte
}

func newCRC() *crcSum { return new(crcSum) }

func (c *crcSum) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		n := min(len(rest), len(c.buf))
		for i, b := range rest[:n] {
			c.buf[i] = bits.Reverse8(b)
		}
		c.common = crc32.Update(c.common, crc32.IEEETable, c.buf[:n])
		rest = rest[n:]
	}
	return len(p), nil
}

func (c *crcSum) sum() uint32 { return bits.Reverse32(c.common) }
