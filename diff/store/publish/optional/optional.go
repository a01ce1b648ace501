// Package optional finds the files of a build's optional parts by the patterns that a publisher
// gives.
package optional

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"pakdb/diff/pkdelta"
	"pakdb/diff/store"
	"pakdb/diff/store/part"
	"pakdb/internal/glob"
)

// Part is an optional part of a build: the files that match a pattern of package glob, in
// which upper and lower case differ.
type Part struct{ Name, Pattern string }

// Set are the parts of one build, with their patterns read.
type Set struct {
	parts []Part
	globs glob.List
}

// ErrForgotten is the error for a build without the optional parts that the one before has:
// clients that left some out would get all of it.
var ErrForgotten = errors.New("the build before has optional parts, and this one none")

// partsError tells which.
type partsError struct {
	label string
	names []string
}

func (e *partsError) Error() string {
	return fmt.Sprintf("build %q has the optional parts %q, and this one none: clients that left some out would get all of it", e.label, e.names)
}

func (e *partsError) Is(target error) bool { return target == ErrForgotten }

// Hint says what to do.
func (e *partsError) Hint() string {
	return "pass --part NAME=PATTERN for each, or --no-parts if the build is to have none"
}

// Read reads the patterns of parts, each of which an input must match.
func Read(parts []Part, inputs []pkdelta.Input) (*Set, error) {
	var globs glob.List
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = p.Name
		g, err := glob.Parse(p.Pattern, false)
		if err != nil {
			return nil, fmt.Errorf("part %q: %w", p.Name, err)
		}
		globs = append(globs, g)
	}
	if err := part.CheckNames(names); err != nil {
		return nil, err
	}
	return &Set{parts, globs}, globs.Check("the build", func(yield func(string) bool) {
		for _, in := range inputs {
			if !yield(in.Name) {
				return
			}
		}
	})
}

// Order returns the numbers of the inputs, those of the same parts in a row. Clients fetch
// what lies near each other by one request, so that contents of languages whose files take
// turns in a folder must not in a pack.
func (s *Set) Order(inputs []pkdelta.Input) []int {
	order, groups := make([]int, len(inputs)), make([]string, len(inputs))
	for i, in := range inputs {
		in, group := in.Name, make([]byte, len(s.globs))
		for k, g := range s.globs {
			if g.Match(in) {
				group[k] = 1
			}
		}
		order[i], groups[i] = i, string(group)
	}
	slices.SortStableFunc(order, func(a, b int) int { return strings.Compare(groups[a], groups[b]) })
	return order
}

// Of returns the parts of a build with these files.
func (s *Set) Of(files []store.File) (part.List, error) {
	list := make(part.List, len(s.parts))
	for i, p := range s.parts {
		list[i].Name = p.Name
		for k := range files {
			if s.globs[i].Match(files[k].Path) {
				list[i].Add(k)
			}
		}
		if runs := len(list[i].Files) / 2; runs > part.MostRuns {
			return nil, fmt.Errorf("%w: %w: the files of %q are in %d places of the list of files, at most %d can be: give them a folder of their own",
				errors.ErrUnsupported, part.ErrInvalid, p.Name, runs, part.MostRuns)
		}
	}
	return list, list.Check()
}

// Forgotten returns an [ErrForgotten] for a build without parts after one that has some.
func Forgotten(label string, earlier []*store.Build) error {
	for _, b := range slices.Backward(earlier) {
		if b.Label == label {
			continue
		}
		if len(b.Parts) == 0 {
			return nil
		}
		return &partsError{b.Label, b.Parts.Names()}
	}
	return nil
}
