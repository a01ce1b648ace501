//go:build !windows

package update

// IsHeld implements [System]: open files may be replaced.
func (system) IsHeld(error) bool { return false }
