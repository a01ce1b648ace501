// Package regular opens and lists regular files. A named pipe blocks until somebody
// writes to it, and a device may do anything: neither is opened, wherever it lies.
//
// Files in reading order: nonblock_unix.go and nonblock_other.go (a flag), open.go (one
// file), walk.go (all files below a folder), refused.go (what a walk does not take).
package regular
