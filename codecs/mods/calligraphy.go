package mods

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path"
	"strings"

	"pakdb/codecs/internal/calligraphy"
	"pakdb/codecs/internal/property"
	"pakdb/internal/glob"
)

// Database is what the ids in Marvel Heroes' game database mean: the files of an archive, by
// their ids. It is for one goroutine.
type Database = calligraphy.Names

// NewDatabase returns the database whose files have these paths in an archive. Read returns
// the content of one of them.
func NewDatabase(paths iter.Seq[string], read func(path string) ([]byte, error)) *Database {
	return calligraphy.NewNames(paths, read)
}

// Prototype is a .prototype, .defaults or .curve of Marvel Heroes whose values are being
// changed. It takes the edits that [Package] takes, and of these those that set, multiply,
// append and remove.
type Prototype struct {
	draft    *calligraphy.Draft
	dangling bool
	changes  []Change
}

// isPrototype reports whether a file of that name is one that [openPrototype] reads.
func isPrototype(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".prototype", ".defaults", ".curve":
		return true
	}
	return false
}

// openPrototype reads a file of the database by its path in the archive. With dangling its
// values may refer to what the archive lacks.
func openPrototype(name string, content []byte, db *Database, dangling bool) (*Prototype, error) {
	d, err := calligraphy.Edit(name, content, db)
	return &Prototype{draft: d, dangling: dangling}, valueError(err)
}

// valueError gives errors the classes of this package.
func valueError(err error) error {
	switch {
	case errors.Is(err, calligraphy.ErrValue):
		return &classed{err, property.ErrValue}
	case errors.Is(err, calligraphy.ErrRefused):
		return &classed{err, property.ErrRefused}
	}
	return err
}

// classed is an error that is of another class, too.
type classed struct{ err, class error }

func (e *classed) Error() string   { return e.err.Error() }
func (e *classed) Unwrap() []error { return []error{e.err, e.class} }

// Apply makes an edit.
func (p *Prototype) Apply(e Edit) error {
	switch e.Op {
	case Set:
		return p.Set(e.Object, e.Field, e.Value)
	case Multiply:
		return multiply(p, e.Object, e.Field, e.Value)
	case Append:
		i, err := p.find(e.Object, e.Field+"[0]")
		if err != nil {
			return err
		}
		if err := p.draft.Append(i, e.Value, p.dangling); err != nil {
			return valueError(err)
		}
		p.changes = append(p.changes, Change{Field: e.Field + "[]", New: e.Value})
		return nil
	case Remove:
		i, err := p.find(e.Object, e.Field)
		if err != nil {
			return err
		}
		c := Change{Field: p.draft.Paths()[i], Old: p.draft.Shown(i)}
		if err := p.draft.Remove(i); err != nil {
			return valueError(err)
		}
		p.changes = append(p.changes, c)
		return nil
	}
	if _, err := p.find(e.Object, e.Field); err != nil {
		return err
	}
	return fmt.Errorf("%w: %s in a prototype", property.ErrRefused, e.Op)
}

func (p *Prototype) find(object, field string) (int, error) {
	if strings.HasPrefix(object, "#") {
		field = object // of several fields of that name
	} else if object != "" {
		field = object + ":" + field
	}
	i, err := p.draft.Find(field)
	var ambiguous *calligraphy.AmbiguousError
	switch {
	case errors.As(err, &ambiguous):
		return -1, &AmbiguousError{Field: field, Objects: ambiguous.Choices}
	case i < 0:
		return -1, &property.NoFieldError{Path: field, Near: glob.Nearest(field, p.draft.Paths())}
	}
	return i, err
}

// Set changes a value.
func (p *Prototype) Set(object, field, value string) error {
	i, err := p.find(object, field)
	if err != nil {
		return err
	}
	c := Change{Field: p.draft.Paths()[i], Old: p.draft.Shown(i)}
	if err := p.draft.Set(i, value, p.dangling); err != nil {
		return valueError(err)
	}
	c.New = p.draft.Shown(i)
	p.changes = append(p.changes, c)
	return nil
}

// Get returns a value: a number, or a text.
func (p *Prototype) Get(object, field string) (any, error) {
	i, err := p.find(object, field)
	if err != nil {
		return nil, err
	}
	if n, ok := p.draft.Number(i); ok {
		return n, nil
	}
	return p.draft.Shown(i), nil
}

// Holds reports whether a field has a value.
func (p *Prototype) Holds(object, field, value string) bool {
	i, err := p.find(object, field)
	return err == nil && p.draft.Shown(i) == value
}

// Changes returns the edits that were made, in order.
func (p *Prototype) Changes() []Change { return p.changes }

// Files returns the content. The second file is that of packages which are split.
func (p *Prototype) Files(context.Context) (content, _ []byte, err error) {
	return p.draft.Content(), nil, nil
}

// Fields returns the paths of all values.
func (p *Prototype) Fields() []string { return p.draft.Paths() }

// Shown returns a value as Set takes it, "" where there is none.
func (p *Prototype) Shown(field string) string {
	i, err := p.find("", field)
	if err != nil {
		return ""
	}
	return p.draft.Shown(i)
}

func (p *Prototype) around() string { return p.draft.Around() }
