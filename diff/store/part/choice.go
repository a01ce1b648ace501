package part

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Choice says which parts an installation wants: those in With, and of the others those
// that are not in Without, unless that has [All]. The zero value wants every part.
type Choice struct {
	With    []string `json:"with,omitempty"`
	Without []string `json:"without,omitempty"`
}

// ErrUnknown is the class of errors for parts that a build has not.
var ErrUnknown = errors.New("the build has no such part")

// ErrChoice is the class of errors for a choice that nobody can mean.
var ErrChoice = errors.New("not a choice of parts")

// Wants reports whether a part is wanted.
func (c Choice) Wants(name string) bool {
	return slices.Contains(c.With, name) || !slices.Contains(c.Without, name) && !slices.Contains(c.Without, All)
}

// Check fails with [ErrChoice] for names that no part has, too many of them, and for a name
// that is wanted and not.
func (c Choice) Check() error {
	for _, name := range slices.Concat(c.With, c.Without) {
		if name != All && !Valid(name) {
			return fmt.Errorf("%w: %.120q is no name of a part", ErrChoice, name)
		}
		if slices.Contains(c.With, name) && slices.Contains(c.Without, name) {
			return fmt.Errorf("%w: %q is wanted and left out", ErrChoice, name)
		}
	}
	if n := len(c.With) + len(c.Without); n > 4*Most {
		return fmt.Errorf("%w: %d names", ErrChoice, n)
	}
	return nil
}

// Change returns the choice after another one, of a build with these parts. [All] in it
// makes what was chosen before of no matter. A name that the build has not is an error
// ([ErrUnknown]), unless it was chosen before: a launcher may name the same parts always, and
// a later build may be without one of them.
func (c Choice) Change(by Choice, l List) (Choice, error) {
	if err := by.Check(); err != nil {
		return c, err
	}
	known := l.Names()
	for _, name := range slices.Concat(by.With, by.Without) {
		if name != All && !slices.Contains(known, name) && !slices.Contains(c.With, name) && !slices.Contains(c.Without, name) {
			return c, &unknownError{name, known}
		}
	}
	var next Choice
	switch {
	case slices.Contains(by.With, All):
	case slices.Contains(by.Without, All):
		next.Without = []string{All}
	default:
		next = c
	}
	next.With = changed(next.With, by.With, by.Without)
	next.Without = changed(next.Without, by.Without, by.With)
	if err := next.Check(); err != nil {
		return c, err
	}
	return next, nil
}

// changed returns names with more of them and without others, sorted. All stays in.
func changed(names, more, less []string) []string {
	all := slices.Contains(names, All)
	names = slices.DeleteFunc(slices.Concat(names, more), func(name string) bool { return name == All || slices.Contains(less, name) })
	if all {
		names = append(names, All)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Gone returns the names that were chosen and that a build has not.
func (c Choice) Gone(l List) (names []string) {
	known := l.Names()
	for _, name := range slices.Concat(c.With, c.Without) {
		if name != All && !slices.Contains(known, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// unknownError tells what there is instead.
type unknownError struct {
	name  string
	known []string
}

func (e *unknownError) Error() string { return fmt.Sprintf("the build has no part %q", e.name) }

func (e *unknownError) Is(target error) bool { return target == ErrUnknown }

// Hint returns the parts that the build has.
func (e *unknownError) Hint() string {
	if len(e.known) == 0 {
		return "it has no optional parts at all"
	}
	return "its parts are " + strings.Join(e.known, ", ") + "; " + All + " is every part"
}
