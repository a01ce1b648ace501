package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"pakdb/codecs"
	"pakdb/internal/glob"
)

// NotFoundError says that an archive has no such entry. It is [codecs.ErrNotFound].
type NotFoundError struct {
	Where   string // the archive, as the user named it
	What    string
	Nearest string // the hint; "" for none
}

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("%s: %v: %s", e.Where, codecs.ErrNotFound, e.What)
}

// Unwrap returns [codecs.ErrNotFound].
func (e *NotFoundError) Unwrap() error { return codecs.ErrNotFound }

// Hint suggests other names, "" if there are none.
func (e *NotFoundError) Hint() string { return e.Nearest }

// ErrSeveral is the class of [SeveralError].
var ErrSeveral = errors.New("several entries")

// SeveralError says that a name means several entries, which are no copies of
// each other. It is [ErrSeveral].
type SeveralError struct {
	Where, Name string
	Entries     []*codecs.Entry
}

func (e *SeveralError) Error() string {
	return fmt.Sprintf("%s: %q names %d entries", e.Where, e.Name, len(e.Entries))
}

// Unwrap returns [ErrSeveral].
func (e *SeveralError) Unwrap() error { return ErrSeveral }

// Hint names the ordinals of the first entries.
func (e *SeveralError) Hint() string {
	var all []string
	for _, e := range e.Entries[:min(len(e.Entries), 8)] {
		all = append(all, Label(e)+" is #"+strconv.Itoa(e.Ordinal))
	}
	return "choose one by its ordinal: " + strings.Join(all, ", ")
}

// Label returns the path of an entry, or #ORDINAL if it has none.
func Label(e *codecs.Entry) string {
	if e.Name != "" {
		return e.Name
	}
	return "#" + strconv.Itoa(e.Ordinal)
}

// Find returns the entry that each of the names means: a path; a path in
// another case if only one entry has that; #ORDINAL; @ID, an id or path hash in hex;
// a name that the format knows; the name of a resource. Of copies of one asset it is
// the first. where names the archive in errors. It fails with a [NotFoundError], a
// [SeveralError], or with what is wrong with the table of the archive.
func Find(where string, ar codecs.Archive, names []string) ([]*codecs.Entry, error) {
	all, broken := match(ar, names)
	found := make([]*codecs.Entry, len(names))
	for i, m := range all {
		e, err := m.result(where)
		if errors.Is(err, codecs.ErrNotFound) {
			err = &NotFoundError{where, strconv.Quote(names[i]), glob.NameHint(names[i], Paths(ar))}
		}
		if err != nil && broken != nil {
			err = broken // a name that is missing may be in what cannot be read
		}
		if err != nil {
			return nil, err
		}
		found[i] = e
	}
	return found, nil
}

// FindCopies is Find for one name, but returns all copies of the asset, unless the
// name is an ordinal.
func FindCopies(where string, ar codecs.Archive, name string) ([]*codecs.Entry, error) {
	all, _ := match(ar, []string{name})
	if found := all[0].found(); all[0].ordinal < 0 && AreCopies(found) {
		return found, nil
	}
	return Find(where, ar, []string{name})
}

// match offers every entry to every name. broken is what is wrong with the table.
func match(ar codecs.Archive, names []string) (all []*lookup, broken error) {
	resources := NamesOf(ar)
	locator, _ := ar.(codecs.Locator)
	for _, name := range names {
		l := newLookup(name, resources)
		if locator != nil {
			l.located = locator.Locate(l.name)
		}
		all = append(all, l)
	}
	for e, err := range ar.Entries() {
		if e == nil {
			broken = err
			continue
		}
		for _, l := range all {
			l.offer(e)
		}
	}
	return all, broken
}

// lookup collects the entries of one name.
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

func newLookup(name string, all Names) *lookup {
	l := &lookup{ids: all.called(name), ordinal: -1}
	name = strings.ReplaceAll(name, `\`, "/")
	l.name = name
	if digits, ok := strings.CutPrefix(name, "#"); ok {
		if n, err := strconv.Atoi(digits); err == nil {
			l.ordinal = n
		}
	}
	if id, ok := strings.CutPrefix(name, "@"); ok {
		l.id = strings.TrimPrefix(strings.ToLower(id), "0x")
	}
	return l
}

// offer keeps e if the name is one of its.
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

func (l *lookup) result(where string) (*codecs.Entry, error) {
	found := l.found()
	switch {
	case len(found) == 0:
		return nil, codecs.ErrNotFound
	case len(found) > 1 && !AreCopies(found):
		return nil, &SeveralError{where, l.name, found}
	}
	return found[0], nil
}

// AreCopies reports whether an archive holds these entries several times on purpose,
// under one id: a reader takes any of them.
func AreCopies(entries []*codecs.Entry) bool {
	for _, e := range entries {
		if e.ID.IsZero() || e.ID != entries[0].ID || e.Type != entries[0].Type {
			return false
		}
	}
	return len(entries) > 0
}
