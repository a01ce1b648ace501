// Package terminal describes a terminal: whether a stream is a terminal, how large it
// is, and how far a statement is.
package terminal

import (
	"os"
	"strconv"

	"golang.org/x/term"
)

// Is reports whether a reader or writer is a terminal: a file that is one, or what
// has a method Terminal that says so.
func Is(stream any) bool {
	if t, ok := stream.(interface{ Terminal() bool }); ok {
		return t.Terminal()
	}
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Size returns how many cells a line of the terminal has, and how many lines it
// has. COLUMNS and LINES of the environment come first, as for other programs. ok is
// false if stream is no terminal, or does not know its size.
func Size(stream any) (width, height int, ok bool) {
	f, isFile := stream.(*os.File)
	if !isFile || !Is(stream) {
		return 0, 0, false
	}
	width, height, err := term.GetSize(int(f.Fd()))
	if err != nil {
		width, height = 0, 0
	}
	width, height = given("COLUMNS", width), given("LINES", height)
	return width, height, width > 0 && height > 0
}

// given returns the number that a variable of the environment has, or otherwise.
func given(variable string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(variable)); err == nil && n > 0 {
		return n
	}
	return otherwise
}

// Colours reports whether colours are wanted on stream: it is a terminal that has
// some, and NO_COLOR is not set.
func Colours(stream any) bool {
	return Is(stream) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
