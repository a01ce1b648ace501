package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// PartChoice says which parts an installation wants: those in With, and of the others those
// that are not in Without, unless that has [AllParts]. The zero value wants every part.
type PartChoice struct {
	With    []string `json:"with,omitempty"`
	Without []string `json:"without,omitempty"`
}

// ErrUnknownPart is the class of errors for parts that a build has not.
var ErrUnknownPart = errors.New("the build has no such part")

// ErrPartChoice is the class of errors for a choice that nobody can mean.
var ErrPartChoice = errors.New("not a choice of parts")

// ParseChoice returns the choice of a list of names: of parts to have, and, with a hyphen before
// them, of parts to do without. It fails as [PartChoice.Check] does.
func ParseChoice(list []string) (c PartChoice, err error) {
	for _, name := range list {
		if without, ok := strings.CutPrefix(name, "-"); ok {
			c.Without = append(c.Without, without)
		} else {
			c.With = append(c.With, name)
		}
	}
	return c, c.Check()
}

// Wants reports whether a part is wanted.
func (c PartChoice) Wants(name string) bool {
	return slices.Contains(c.With, name) || !slices.Contains(c.Without, name) && !slices.Contains(c.Without, AllParts)
}

// Check fails with [ErrPartChoice] for names that no part has, too many of them, and for a name
// that is wanted and not.
func (c PartChoice) Check() error {
	for _, name := range slices.Concat(c.With, c.Without) {
		if name != AllParts && !ValidPart(name) {
			return fmt.Errorf("%w: %.120q is no name of a part", ErrPartChoice, name)
		}
		if slices.Contains(c.With, name) && slices.Contains(c.Without, name) {
			return fmt.Errorf("%w: %q is wanted and left out", ErrPartChoice, name)
		}
	}
	if n := len(c.With) + len(c.Without); n > 4*MostParts {
		return fmt.Errorf("%w: %d names", ErrPartChoice, n)
	}
	return nil
}

// Change returns the choice after another one, of a build with these parts. [AllParts] in it
// makes what was chosen before of no matter. A name that the build has not is an error
// ([ErrUnknownPart]), unless it was chosen before: a launcher may name the same parts always, and
// a later build may be without one of them.
func (c PartChoice) Change(by PartChoice, l Parts) (PartChoice, error) {
	if err := by.Check(); err != nil {
		return c, err
	}
	known := l.Names()
	for _, name := range slices.Concat(by.With, by.Without) {
		if name != AllParts && !slices.Contains(known, name) && !slices.Contains(c.With, name) && !slices.Contains(c.Without, name) {
			return c, &unknownError{name, known}
		}
	}
	var next PartChoice
	switch {
	case slices.Contains(by.With, AllParts):
	case slices.Contains(by.Without, AllParts):
		next.Without = []string{AllParts}
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
	all := slices.Contains(names, AllParts)
	names = slices.DeleteFunc(slices.Concat(names, more), func(name string) bool { return name == AllParts || slices.Contains(less, name) })
	if all {
		names = append(names, AllParts)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Gone returns the names that were chosen and that a build has not.
func (c PartChoice) Gone(l Parts) (names []string) {
	known := l.Names()
	for _, name := range slices.Concat(c.With, c.Without) {
		if name != AllParts && !slices.Contains(known, name) {
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

func (e *unknownError) Is(target error) bool { return target == ErrUnknownPart }

// Hint returns the parts that the build has.
func (e *unknownError) Hint() string {
	if len(e.known) == 0 {
		return "it has no optional parts at all"
	}
	return "its parts are " + strings.Join(e.known, ", ") + "; " + AllParts + " is every part"
}
