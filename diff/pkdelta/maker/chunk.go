package maker

import "hash/crc32"

// Chunks are what content is recognised by wherever it stands: they end where
// the bytes themselves say so (a gear hash), so that an insertion moves the ends
// around it and no others.
const (
	minChunk  = 512
	maxChunk  = 16 << 10
	chunkBits = 10 // an end in 1,024 positions, from minChunk on
)

// gear holds a random number for each byte, from SplitMix64.
var gear = func() (t [256]uint64) {
	s := uint64(1)
	for i := range t {
		s += 0x9e3779b97f4a7c15
		z := (s ^ s>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		t[i] = z ^ z>>31
	}
	return t
}()

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// chunks calls do with the place, the length and the hash of each chunk of p.
func chunks(p []byte, do func(at, n int, hash uint32)) {
	for at := 0; at < len(p); {
		n := cut(p[at:])
		do(at, n, crc32.Checksum(p[at:at+n], castagnoli))
		at += n
	}
}

func cut(p []byte) int {
	p = p[:min(len(p), maxChunk)]
	if len(p) <= minChunk {
		return len(p)
	}
	h := uint64(0)
	for _, c := range p[minChunk-64 : minChunk] {
		h = h<<1 + gear[c]
	}
	for i, c := range p[minChunk:] {
		if h = h<<1 + gear[c]; h>>(64-chunkBits) == 0 {
			return minChunk + i + 1
		}
	}
	return len(p)
}
