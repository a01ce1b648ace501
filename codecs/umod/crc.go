package umod

// crcTable is the table of CRC-32/BZIP2, which hash/crc32 does not have: it
// takes the most significant bit first.
type crcTable [256]uint32

const crcPoly = 0x04C11DB7

func newCRCTable() *crcTable {
	var t crcTable
	for i := range t {
		c := uint32(i) << 24
		for range 8 {
			c = c<<1 ^ crcPoly&-(c>>31)
		}
		t[i] = c
	}
	return &t
}

// crcSum is a running checksum; it is an io.Writer.
type crcSum struct {
	table *crcTable
	state uint32
}

func newCRC() *crcSum { return &crcSum{newCRCTable(), 0xFFFFFFFF} }

func (c *crcSum) Write(p []byte) (int, error) {
	s := c.state
	for _, b := range p {
		s = s<<8 ^ c.table[byte(s>>24)^b]
	}
	c.state = s
	return len(p), nil
}

func (c *crcSum) sum() uint32 { return ^c.state }
