package retropak

import (
	"hash/crc32"
	"hash/crc64"
	"strings"
)

// AssetHash32 returns the id that the cooker of Metroid Prime 1 and 2 gave to
// the asset of that path ("$/Textures/Misc/VisorSteamQTR.TXTR"): CRC-32 of the
// lower-case path without the final inversion. Not every id is a path's hash.
// Checked against a published pair.
func AssetHash32(path string) uint32 {
	return ^crc32.ChecksumIEEE([]byte(strings.ToLower(path)))
}

// AssetHash64 is [AssetHash32] for the 64-bit ids of Metroid Prime 3 and
// Donkey Kong Country Returns: CRC-64 of ECMA-182, reflected, without the final
// inversion. The public tools agree on it; no pair from a game was at hand.
func AssetHash64(path string) uint64 {
	return ^crc64.Checksum([]byte(strings.ToLower(path)), crc64.MakeTable(crc64.ECMA))
}
