package mods

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pakdb/codecs/internal/property"
	"pakdb/codecs/retropak"
	"pakdb/internal/glob"
)

// Editable is a package or a file of texts.
type Editable interface {
	Apply(e Edit) error
	Get(object, field string) (any, error)
	Holds(object, field, value string) bool
	Changes() []Change
	Files(ctx context.Context) (header, body []byte, err error)
}

// IsText reports whether a file that is no package can be changed.
func IsText(name string) bool { return isTexts(name) || isPrototype(name) || isSTRG(name) }

// OpenText reads a file that is no package. db returns the database that a prototype is of;
// dangling lets it refer to what that lacks.
func OpenText(name string, content []byte, db func() *Database, dangling bool) (Editable, error) {
	switch {
	case isSTRG(name):
		return openSTRG(content)
	case isPrototype(name):
		return openPrototype(name, content, db(), dangling)
	}
	return openTexts(name, content)
}

// isSTRG reports whether an entry has the texts of a game of Retro Studios.
func isSTRG(name string) bool { return strings.HasPrefix(name, "STRG/") }

// retroTexts is an asset whose texts are changed: "ENGL[3]".
type retroTexts struct {
	body    []byte
	fields  []string
	values  map[string]string
	changes []Change
}

func openSTRG(body []byte) (*retroTexts, error) {
	texts, err := retropak.ReadTexts(body)
	if err != nil {
		return nil, err
	}
	t := &retroTexts{body: body, values: map[string]string{}}
	for _, s := range texts.Strings {
		field := fmt.Sprintf("%s[%d]", texts.Languages[s.Language], s.Number)
		t.fields = append(t.fields, field)
		t.values[field] = texts.Texts[s.Text]
	}
	return t, nil
}

// Apply implements [Editable].
func (t *retroTexts) Apply(e Edit) error {
	old, err := t.Get(e.Object, e.Field)
	if err != nil {
		return err
	}
	if e.Op != Set {
		return fmt.Errorf("%w: %s in a file of texts", property.ErrRefused, e.Op)
	}
	language, number := strings.TrimSuffix(e.Field, e.Field[strings.IndexByte(e.Field, '['):]), 0
	if _, err := fmt.Sscanf(e.Field[len(language):], "[%d]", &number); err != nil {
		return err
	}
	body, err := retropak.SetText(t.body, language, number, e.Value)
	if err != nil {
		return fmt.Errorf("%w: %w", property.ErrRefused, err)
	}
	t.body = body
	t.values[e.Field] = e.Value
	t.changes = append(t.changes, Change{Field: e.Field, Old: fmt.Sprint(old), New: e.Value})
	return nil
}

// Get implements [Editable].
func (t *retroTexts) Get(object, field string) (any, error) {
	if object != "" {
		field = object + ":" + field
	}
	if !slices.Contains(t.fields, field) {
		return nil, &property.NoFieldError{Path: field, Near: glob.Nearest(field, t.fields)}
	}
	return t.values[field], nil
}

// Holds implements [Editable].
func (t *retroTexts) Holds(object, field, value string) bool {
	now, err := t.Get(object, field)
	return err == nil && now == value
}

// Changes implements [Editable].
func (t *retroTexts) Changes() []Change { return t.changes }

// Files implements [Editable].
func (t *retroTexts) Files(context.Context) (body, _ []byte, err error) { return t.body, nil, nil }
