//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package atomicfile

import (
	"io"
	"os"
)

func hold(*os.File) bool { return true }

// keep does nothing, as nothing is locked.
func keep(*os.File) io.Closer { return nil }

// unused removes nothing, since no call there lists the owners of an open file.
func unused(string, func() error) error { return nil }
