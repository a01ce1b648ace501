package regular

import (
	"errors"
	"fmt"
	"strings"
)

// Reasons why a walk does not take a symbolic link.
var (
	ErrOutside  = errors.New("a symbolic link out of the folder")
	ErrDangling = errors.New("a symbolic link to nothing")
	ErrCircle   = errors.New("a symbolic link that leads in a circle")
	ErrMany     = fmt.Errorf("a symbolic link to a folder that %d others lead to", maxEntered)

	errLink = errors.New("a symbolic link, which is not followed here")
)

// Odd is a path below a folder that is not walked, and the reason as an error.
type Odd struct {
	Path, Name string // as in [File]
	Err        error
}

func (o *Odd) Error() string { return o.Path + ": " + o.Err.Error() }
func (o *Odd) Unwrap() error { return o.Err }

// RefusedError lists all paths below a folder that a walk refuses.
type RefusedError struct {
	Root string
	List []*Odd
}

// Error returns a line for each path.
func (e *RefusedError) Error() string {
	if len(e.List) == 1 {
		return e.List[0].Error()
	}
	lines := []string{fmt.Sprintf("%s: %d paths are refused:", e.Root, len(e.List))}
	for _, err := range e.List {
		lines = append(lines, "  "+err.Error())
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the reasons.
func (e *RefusedError) Unwrap() (list []error) {
	for _, o := range e.List {
		list = append(list, o)
	}
	return list
}

// Hint names the flag that takes links out of the folder, if there are any.
func (e *RefusedError) Hint() string {
	if errors.Is(e, ErrOutside) {
		return "--follow-outside takes the files that links out of the folder lead to"
	}
	return ""
}
