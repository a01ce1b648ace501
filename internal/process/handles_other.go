//go:build !unix

package process

// Handles returns how many files a process may have open at a time: no system but Unix
// has so few that it matters.
func Handles() int { return 1 << 20 }
