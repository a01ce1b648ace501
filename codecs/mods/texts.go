package mods

import (
	"context"
	"fmt"
	"strconv"

	"pakdb/codecs/internal/property"
	"pakdb/codecs/internal/textfile"
	"pakdb/internal/glob"
)

// Texts is a file of texts whose values are being changed: .locres, .ini, .json, .csv or .xml. It
// takes the edits that [Package] takes, and of these those that set a value.
type Texts struct {
	file    *textfile.File
	changes []Change
}

// isTexts reports whether [openTexts] reads files of that name.
func isTexts(name string) bool { return textfile.Editable(name) }

// openTexts reads a file of texts. Its name says what it is.
func openTexts(name string, content []byte) (*Texts, error) {
	f, err := textfile.Open(name, content)
	return &Texts{file: f}, err
}

// Apply makes an edit. An object of the edit is the first part of its field.
func (t *Texts) Apply(e Edit) error {
	switch e.Op {
	case Set:
		return t.Set(e.Object, e.Field, e.Value)
	case Multiply:
		return multiply(t, e.Object, e.Field, e.Value)
	}
	if _, err := t.find(e.Object, e.Field); err != nil {
		return err
	}
	return fmt.Errorf("%w: %s in a file of texts", property.ErrRefused, e.Op)
}

func (t *Texts) find(object, field string) (int, error) {
	if object != "" {
		field = object + ":" + field
	}
	i := t.file.Find(field)
	if i >= 0 {
		return i, nil
	}
	return -1, &property.NoFieldError{Path: field, Near: glob.Nearest(field, t.Fields())}
}

// Set changes a value.
func (t *Texts) Set(object, field, value string) error {
	i, err := t.find(object, field)
	if err != nil {
		return err
	}
	c := Change{Field: t.file.Values[i].Field, Old: t.file.Values[i].Text, New: value}
	if err := t.file.Set(i, value); err != nil {
		return fmt.Errorf("%w: %w", property.ErrRefused, err)
	}
	t.changes = append(t.changes, c)
	return nil
}

// Get returns a value: a number as a float, which has no type here, or a text.
func (t *Texts) Get(object, field string) (any, error) {
	i, err := t.find(object, field)
	if err != nil {
		return nil, err
	}
	s := t.file.Values[i].Text
	if f, err := strconv.ParseFloat(s, 64); err == nil && len(s) <= 15 {
		return f, nil
	}
	return s, nil
}

// Holds reports whether a field has a value.
func (t *Texts) Holds(object, field, value string) bool {
	i, err := t.find(object, field)
	return err == nil && t.file.Values[i].Text == value
}

// Changes returns the edits that were made, in order.
func (t *Texts) Changes() []Change { return t.changes }

// Files returns the content. The second file is that of packages which are split.
func (t *Texts) Files(context.Context) (content, _ []byte, err error) { return t.file.Data(), nil, nil }

// Fields returns the names of all values.
func (t *Texts) Fields() (all []string) {
	for _, v := range t.file.Values {
		all = append(all, v.Field)
	}
	return all
}

// Shown returns a value as Set takes it, "" where there is none.
func (t *Texts) Shown(field string) string {
	if i := t.file.Find(field); i >= 0 {
		return t.file.Values[i].Text
	}
	return ""
}

func (t *Texts) around() string { return t.file.Around() }
