//go:build !purego

package inflate

import "golang.org/x/sys/cpu"

// hasSums says whether the processor has what sums needs.
var hasSums = cpu.X86.HasAVX2

// adlerLong is how many bytes sums takes at once. Of their weighted sums a lane
// of 32 bits has at most adlerLong/32 * 4*255*32.
const adlerLong = 1 << 16

// sums returns three sums over n bytes at p: of all bytes; for each 32 bytes, of
// those before them; and of each byte times 32 to 1, by its place in 32 bytes.
// n is a multiple of 32, from 32 to adlerLong.
//
//go:noescape
func sums(p *byte, n int) (all, before, weighted uint64)

// Adler32 returns the Adler-32 of p, as hash/adler32 does.
func Adler32(p []byte) uint32 {
	if !hasSums {
		return sumFrom(1, 0, p)
	}
	s1, s2 := uint64(1), uint64(0)
	for len(p) >= 32 {
		n := min(len(p)&^31, adlerLong)
		all, before, weighted := sums(&p[0], n)
		s2 = (s2 + uint64(n)*s1 + 32*before + weighted) % adlerMod
		s1 = (s1 + all) % adlerMod
		p = p[n:]
	}
	return sumFrom(s1, s2, p)
}
