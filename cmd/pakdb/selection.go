package main

import (
	"fmt"
	"iter"
	"strconv"
	"strings"

	"pakdb/codecs"
)

// selection is which entries the user asked for by patterns. Without patterns
// it is all of them.
type selection struct {
	globs  []*glob
	hit    []bool                     // by pattern: it matched something
	others []func(*codecs.Entry) bool // by pattern: taken for another name than a path; nil
}

func newSelection(patterns []string, fold bool) (*selection, error) {
	s := &selection{hit: make([]bool, len(patterns))}
	for _, p := range patterns {
		g, err := parseGlob(p, fold)
		if err != nil {
			return nil, err
		}
		s.globs = append(s.globs, g)
	}
	return s, nil
}

// in lets patterns stand for the other names that entries of ar go by.
func (s *selection) in(ar *archive) *selection {
	s.others = make([]func(*codecs.Entry) bool, len(s.globs))
	if l, ok := ar.Archive.(codecs.Locator); ok {
		for i, g := range s.globs {
			s.others[i] = l.Locate(g.text)
		}
	}
	return s
}

func (s *selection) match(i int, e *codecs.Entry) bool {
	return s.globs[i].match(e.Name) || len(s.others) > 0 && s.others[i] != nil && s.others[i](e)
}

// takes reports whether the entry was asked for.
func (s *selection) takes(e *codecs.Entry) bool {
	taken := len(s.globs) == 0
	for i := range s.globs {
		if (taken && s.hit[i]) || !s.match(i, e) {
			continue
		}
		s.hit[i], taken = true, true
	}
	return taken
}

// missed returns an error that names the first pattern without a match.
func (s *selection) missed(ar *archive) error {
	for i, hit := range s.hit {
		if !hit {
			return hinted(fmt.Errorf("%s: %w: nothing matches %q", ar.path, codecs.ErrNotFound, s.globs[i].given), nearestPath(s.globs[i], pathsOf(ar)))
		}
	}
	return nil
}

// named yields the entries that have a name, damaged or not.
func named(ar *archive) iter.Seq[*codecs.Entry] {
	return func(yield func(*codecs.Entry) bool) {
		for e := range ar.Entries() {
			if e != nil && e.Name != "" && !yield(e) {
				return
			}
		}
	}
}

// pathsOf yields the paths of the entries that have one.
func pathsOf(ar *archive) iter.Seq[string] {
	return func(yield func(string) bool) {
		for e := range named(ar) {
			if !yield(e.Name) {
				return
			}
		}
	}
}

// label is what an entry is called by: its path, or its ordinal if it has none.
func label(e *codecs.Entry) string {
	if e.Name != "" {
		return e.Name
	}
	return "#" + strconv.Itoa(e.Ordinal)
}

// find returns the entry that each of the names stands for: a path, or one in
// another case if there is but one, #ORDINAL, @ID, the name of a resource. Of
// copies of one asset it is the first.
func find(ar *archive, names []string) ([]*codecs.Entry, error) {
	lookups, broken := lookUp(ar, names)
	found := make([]*codecs.Entry, len(names))
	for i := range lookups {
		e, err := lookups[i].result()
		if err != nil && broken != nil {
			return nil, broken
		}
		if err != nil {
			return nil, notFound(ar, names[i], err)
		}
		found[i] = e
	}
	return found, nil
}

// lookUp offers every entry to every name. broken is what is wrong with the
// table, if anything: a name that is missing may stand in what cannot be read.
func lookUp(ar *archive, names []string) (lookups []lookup, broken error) {
	lookups = make([]lookup, len(names))
	resources := resourcesOf(ar.Archive)
	locator, _ := ar.Archive.(codecs.Locator)
	for i, name := range names {
		lookups[i] = newLookup(name, resources)
		if locator != nil {
			lookups[i].located = locator.Locate(lookups[i].name)
		}
	}
	for e, err := range ar.Entries() {
		if e == nil {
			broken = err
			continue
		}
		for i := range lookups {
			lookups[i].offer(e)
		}
	}
	return lookups, broken
}

func notFound(ar *archive, name string, err error) error {
	if h := hint(err); h != "" {
		return hinted(fmt.Errorf("%s: %w", ar.path, err), h)
	}
	return hinted(fmt.Errorf("%s: %w: %q", ar.path, err, name), nearestName(name, pathsOf(ar)))
}

// lookup finds the entry that one name stands for.
type lookup struct {
	name    string
	ordinal int    // -1: the name is none
	id      string // hex digits in lower case; "": the name is none

	ids     map[resource]bool        // of the resources that have this name, in any case
	located func(*codecs.Entry) bool // where the name is another kind of name; nil

	exact, folded []*codecs.Entry
	other         []*codecs.Entry // by ordinal or id
	resource      []*codecs.Entry // by the name of a resource
}

func newLookup(name string, all resources) lookup {
	l := lookup{ids: all.called(name), ordinal: -1}
	name = strings.ReplaceAll(name, `\`, "/")
	l.name = name
	if n, err := strconv.Atoi(strings.TrimPrefix(name, "#")); err == nil && name[0] == '#' {
		l.ordinal = n
	}
	if id, ok := strings.CutPrefix(name, "@"); ok {
		l.id = strings.TrimPrefix(strings.ToLower(id), "0x")
	}
	return l
}

// offer keeps e if the name may stand for it.
func (l *lookup) offer(e *codecs.Entry) {
	switch {
	case e.Name != "" && e.Name == l.name:
		l.exact = append(l.exact, e)
	case l.located != nil && l.located(e), e.Ordinal == l.ordinal, l.id != "" && (l.id == e.ID.String() || l.id == e.PathHash.String()):
		l.other = append(l.other, e)
	case e.Name != "" && strings.EqualFold(e.Name, l.name):
		l.folded = append(l.folded, e)
	case l.ids[resource{e.Type, e.ID}]:
		l.resource = append(l.resource, e)
	}
}

// found returns the entries of the closest kind of match.
func (l *lookup) found() []*codecs.Entry {
	for _, found := range [][]*codecs.Entry{l.exact, l.other, l.folded, l.resource} {
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

func (l *lookup) result() (*codecs.Entry, error) {
	found := l.found()
	switch {
	case len(found) == 0:
		return nil, codecs.ErrNotFound
	case len(found) > 1 && !areCopies(found):
		return nil, hinted(refusal(fmt.Errorf("%q stands for %d entries", l.name, len(found))), "choose one by its ordinal: "+ordinals(found))
	}
	return found[0], nil
}

func ordinals(entries []*codecs.Entry) string {
	var all []string
	for _, e := range entries[:min(len(entries), 8)] {
		all = append(all, label(e)+" is #"+strconv.Itoa(e.Ordinal))
	}
	return strings.Join(all, ", ")
}
