// Package blake2b computes BLAKE2b (RFC 7693), without a key, at once. It serves
// minisign's keys and signatures, which are over BLAKE2b; everything of pakdb's
// own is hashed with BLAKE3.
package blake2b

import (
	"encoding/binary"
	"math/bits"
)

const blockSize = 128

// iv are the square roots of the first primes, as in SHA-512.
var iv = [8]uint64{
	0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
}

// sigma says which words of the block each round mixes in.
var sigma = [10][16]uint8{
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	{14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
	{11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
	{7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
	{9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
	{2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
	{12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
	{13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
	{6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
	{10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
}

// Sum512 returns the hash of 64 bytes.
func Sum512(p []byte) (sum [64]byte) {
	copy(sum[:], hash(p, 64))
	return sum
}

// Sum256 returns the hash of 32 bytes, which is not a part of that of 64.
func Sum256(p []byte) (sum [32]byte) {
	copy(sum[:], hash(p, 32))
	return sum
}

func hash(p []byte, size int) []byte {
	h := iv
	h[0] ^= 0x01010000 ^ uint64(size)
	done := uint64(0)
	for len(p) > blockSize {
		done += blockSize
		mix(&h, p[:blockSize], done, false)
		p = p[blockSize:]
	}
	var last [blockSize]byte
	n := copy(last[:], p)
	mix(&h, last[:], done+uint64(n), true)
	var out []byte
	for _, w := range h {
		out = binary.LittleEndian.AppendUint64(out, w)
	}
	return out[:size]
}

// mix takes a block in, the last one where end is set; done counts the bytes up
// to its end.
func mix(h *[8]uint64, block []byte, done uint64, end bool) {
	var m, v [16]uint64
	for i := range m {
		m[i] = binary.LittleEndian.Uint64(block[8*i:])
	}
	copy(v[:], h[:])
	copy(v[8:], iv[:])
	v[12] ^= done
	if end {
		v[14] = ^v[14]
	}
	for round := range 12 {
		s := &sigma[round%10]
		for i := range 4 {
			quarter(&v, i, i+4, i+8, i+12, m[s[2*i]], m[s[2*i+1]])
		}
		for i := range 4 {
			quarter(&v, i, (i+1)%4+4, (i+2)%4+8, (i+3)%4+12, m[s[8+2*i]], m[s[9+2*i]])
		}
	}
	for i := range h {
		h[i] ^= v[i] ^ v[i+8]
	}
}

func quarter(v *[16]uint64, a, b, c, d int, x, y uint64) {
	v[a] += v[b] + x
	v[d] = bits.RotateLeft64(v[d]^v[a], -32)
	v[c] += v[d]
	v[b] = bits.RotateLeft64(v[b]^v[c], -24)
	v[a] += v[b] + y
	v[d] = bits.RotateLeft64(v[d]^v[a], -16)
	v[c] += v[d]
	v[b] = bits.RotateLeft64(v[b]^v[c], -63)
}
