package unrealpak

import "pakdb/internal/aes256"

const (
	// senseBytes is how many of a content are worth weighing.
	senseBytes = 4 << 10
	// senseCertain is the result in bits that noise has once in 16 million times.
	senseCertain = 24
)

// senseOf weighs whether b is content, and not the noise that a wrong key decrypts
// to. The result is the logarithm to base 2 of how much likelier b is under a
// coarse model of content than as noise. The expected value of that quotient is
// 1 for noise, so a result of n bits is chance at most once in 2^n times. A
// content that is compressed has a negative result as well.
//
// Equal blocks of cipher text are equal noise, so each block counts once.
func senseOf(b []byte) (bits float64) {
	seen := map[string]bool{}
	for len(b) > 0 {
		block := b[:min(len(b), aes256.Block)]
		b = b[len(block):]
		if seen[string(block)] {
			continue
		}
		seen[string(block)] = true
		for _, c := range block {
			bits += weight(c)
		}
	}
	return bits
}

// weight is log2(256 p) of a byte whose probability in content is p: a quarter
// of all bytes are zeros, a sixteenth 0xFF, half are one of the 98 of plain text,
// and the rest is shared by the other 156.
func weight(c byte) float64 {
	switch {
	case c == 0:
		return 6
	case c == 0xFF:
		return 4
	case c >= ' ' && c <= '~', c == '\t', c == '\n', c == '\r':
		return 0.38
	}
	return -1.7
}
