//go:build !linux && !darwin

package atomicfile

// FreeSpace returns how many bytes may still be written below dir, or -1.
func FreeSpace(string) int64 { return -1 }
