//go:build !unix && !windows

package atomicfile

import "os"

// HasLinks is false: the system does not say.
func HasLinks(*os.File) (bool, error) { return false, nil }
