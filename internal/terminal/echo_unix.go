//go:build linux || darwin

package terminal

import "golang.org/x/sys/unix"

// hideTyping has the terminal no longer show what is typed.
func hideTyping(fd int) error {
	state, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return err
	}
	state.Lflag &^= unix.ECHO
	return unix.IoctlSetTermios(fd, setTermios, state)
}
