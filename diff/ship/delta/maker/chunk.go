package maker

import (
	"hash/crc32"

	"pakdb/internal/gear"
)

// Chunks are what content is recognised by wherever it stands: they end where
// the bytes themselves say so (a gear hash), so that an insertion moves the ends
// around it and no others.
const (
	minChunk  = 512
	maxChunk  = 16 << 10
	chunkBits = 10 // an end in 1,024 positions, from minChunk on
)

// rolling is the table of the gear hash. Patches depend on it.
var rolling = gear.Mixed(1)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// chunks calls do with the place, the length and the hash of each chunk of p.
func chunks(p []byte, do func(at, n int, hash uint32)) {
	for at := 0; at < len(p); {
		n := cut(p[at:])
		do(at, n, crc32.Checksum(p[at:at+n], castagnoli))
		at += n
	}
}

func cut(p []byte) int { return rolling.Cut(p[:min(len(p), maxChunk)], minChunk, chunkBits) }
