package cli

import (
	"iter"
	"strconv"

	"pakdb/codecs"
	"pakdb/internal/glob"
)

// Selection is the entries that match patterns; without patterns, all entries.
type Selection struct {
	globs  glob.List
	hit    []bool                     // by pattern: it matched something
	others []func(*codecs.Entry) bool // by pattern: matches names other than paths; nil
}

// NewSelection parses patterns, in which case does not count, as it does not in the games.
// It fails as [glob.Parse] does.
func NewSelection(patterns []string) (*Selection, error) {
	globs, err := glob.ParseList(patterns, true)
	if err != nil {
		return nil, err
	}
	return &Selection{globs: globs, hit: make([]bool, len(globs))}, nil
}

// In lets patterns match the other names that entries of ar have, as names of
// packages in a container. It returns s.
func (s *Selection) In(ar codecs.Archive) *Selection {
	s.others = make([]func(*codecs.Entry) bool, len(s.globs))
	if l, ok := ar.(codecs.Locator); ok {
		for i, g := range s.globs {
			s.others[i] = l.Locate(g.Text())
		}
	}
	return s
}

func (s *Selection) match(i int, e *codecs.Entry) bool {
	return s.globs[i].Match(e.Name) || len(s.others) > 0 && s.others[i] != nil && s.others[i](e)
}

// Takes reports whether an entry matches, and remembers which patterns did.
func (s *Selection) Takes(e *codecs.Entry) bool {
	taken := len(s.globs) == 0
	for i := range s.globs {
		if (taken && s.hit[i]) || !s.match(i, e) {
			continue
		}
		s.hit[i], taken = true, true
	}
	return taken
}

// Missed returns a [NotFoundError] of the first pattern that matched none of the
// entries that Takes was asked about, nil if there is none. where names the archives,
// whose paths are for the hint.
func (s *Selection) Missed(where string, paths iter.Seq[string]) error {
	for i, hit := range s.hit {
		if !hit {
			return &NotFoundError{where, "nothing matches " + strconv.Quote(s.globs[i].String()), s.globs[i].Hint(paths)}
		}
	}
	return nil
}

// Named yields the entries of an archive that have a name, damaged or not.
func Named(ar codecs.Archive) iter.Seq[*codecs.Entry] {
	return func(yield func(*codecs.Entry) bool) {
		for e := range ar.Entries() {
			if e != nil && e.Name != "" && !yield(e) {
				return
			}
		}
	}
}

// Paths yields the paths of the entries that have one.
func Paths(ar codecs.Archive) iter.Seq[string] {
	return func(yield func(string) bool) {
		for e := range Named(ar) {
			if !yield(e.Name) {
				return
			}
		}
	}
}
