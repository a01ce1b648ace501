package overlay

import (
	"slices"
	"strconv"
	"strings"

	"pakdb/internal/glob"
)

// Choice says which changes a patch is made of: patterns and paths, of which one must
// take a change, and patterns that keep it out. Case does not count. The zero value
// takes everything. It is safe for concurrent use once it is complete.
type Choice struct {
	only, exclude glob.List
	paths         map[string]bool // in lower case; nil: none are asked for
}

// NewChoice parses the patterns of --only and --exclude. A malformed one is a
// [glob.ErrPattern].
func NewChoice(only, exclude []string) (*Choice, error) {
	c := &Choice{}
	var err error
	if c.only, err = glob.ParseList(only, true); err != nil {
		return nil, err
	}
	c.exclude, err = glob.ParseList(exclude, true)
	return c, err
}

// AddPaths takes changes of these paths too. Of no paths it takes none, and then only
// what a pattern matches is taken.
func (c *Choice) AddPaths(paths []string) {
	if c.paths == nil {
		c.paths = map[string]bool{}
	}
	for _, p := range paths {
		c.paths[strings.ToLower(p)] = true
	}
}

// Check returns a [glob.UnmatchedError] for a pattern that matches no path of either
// build: a mistyped --only would leave out what it should take, a mistyped --exclude
// the other way round.
func (c *Choice) Check(old, new *Stack) error {
	paths := func(yield func(string) bool) {
		for _, s := range []*Stack{old, new} {
			for i := range s.Files {
				if !yield(s.Files[i].Path()) {
					return
				}
			}
		}
	}
	return slices.Concat(c.only, c.exclude).Check(strconv.Quote(old.Label)+" or "+strconv.Quote(new.Label), paths)
}

// Takes reports whether a change is chosen, for [Options].Only.
func (c *Choice) Takes(it *Item) bool {
	if c.exclude.Match(it.Path) {
		return false
	}
	if c.only == nil && c.paths == nil {
		return true
	}
	return c.only.Match(it.Path) || c.paths[strings.ToLower(it.Path)] ||
		it.New != nil && c.paths[strings.ToLower(it.New.Name)] || it.Old != nil && c.paths[strings.ToLower(it.Old.Name)]
}
