//go:build linux || darwin

package atomicfile

import "syscall"

// FreeSpace returns how many bytes may still be written below dir, or -1.
func FreeSpace(dir string) int64 {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return -1
	}
	return int64(s.Bavail) * int64(s.Bsize)
}
