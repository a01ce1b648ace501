//go:build !amd64 || purego

package inflate

// Adler32 returns the Adler-32 of p, as hash/adler32 does.
func Adler32(p []byte) uint32 { return sumFrom(1, 0, p) }
