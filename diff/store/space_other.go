//go:build !linux && !darwin

package store

// freeSpace returns how many bytes may still be written below dir, or -1.
func freeSpace(string) int64 { return -1 }
