package publish

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/store"
	"pakdb/internal/glob"
)

// PartFiles is an optional part of a build: the files that match a pattern of package glob, in
// which upper and lower case differ.
type PartFiles struct{ Name, Pattern string }

// Parts are the parts of one build, with their patterns read.
type Parts struct {
	parts []PartFiles
	globs glob.List
}

// ErrForgottenParts is the error for a build without the optional parts that the one before has:
// clients that left some out would get all of it.
var ErrForgottenParts = errors.New("the build before has optional parts, and this one none")

// partsError tells which.
type partsError struct {
	label string
	names []string
}

func (e *partsError) Error() string {
	return fmt.Sprintf("build %q has the optional parts %q, and this one none: clients that left some out would get all of it", e.label, e.names)
}

func (e *partsError) Is(target error) bool { return target == ErrForgottenParts }

// Hint says what to do.
func (e *partsError) Hint() string {
	return "pass --part NAME=PATTERN for each, or --part none if the build is to have none"
}

// ReadParts reads the patterns of parts, each of which an input must match.
func ReadParts(parts []PartFiles, inputs []delta.Input) (*Parts, error) {
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
	if err := store.CheckPartNames(names); err != nil {
		return nil, err
	}
	return &Parts{parts, globs}, globs.Check("the build", func(yield func(string) bool) {
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
func (s *Parts) Order(inputs []delta.Input) []int {
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
func (s *Parts) Of(files []store.File) (store.Parts, error) {
	list := make(store.Parts, len(s.parts))
	for i, p := range s.parts {
		list[i].Name = p.Name
		for k := range files {
			if s.globs[i].Match(files[k].Path) {
				list[i].Add(k)
			}
		}
		if runs := len(list[i].Files) / 2; runs > store.MostPartRuns {
			return nil, fmt.Errorf("%w: %w: the files of %q are in %d places of the list of files, at most %d can be: give them a folder of their own",
				errors.ErrUnsupported, store.ErrPart, p.Name, runs, store.MostPartRuns)
		}
	}
	return list, list.Check()
}

// ForgottenParts returns an [ErrForgottenParts] for a build without parts after one that has some.
func ForgottenParts(label string, earlier []*store.Build) error {
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
