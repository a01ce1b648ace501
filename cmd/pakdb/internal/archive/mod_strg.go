package archive

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pakdb/codecs/mods"
	"pakdb/codecs/retropak"
	"pakdb/codecs/unreal/property"
	"pakdb/internal/glob"
)

// isSTRG reports whether an entry has the texts of a game of Retro Studios.
func isSTRG(name string) bool { return strings.HasPrefix(name, "STRG/") }

// retroTexts is an asset whose texts are changed: "ENGL[3]".
type retroTexts struct {
	body    []byte
	fields  []string
	values  map[string]string
	changes []mods.Change
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

// Apply implements [editable].
func (t *retroTexts) Apply(e mods.Edit) error {
	old, err := t.Get(e.Object, e.Field)
	if err != nil {
		return err
	}
	if e.Op != mods.Set {
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
	t.changes = append(t.changes, mods.Change{Field: e.Field, Old: fmt.Sprint(old), New: e.Value})
	return nil
}

// Get implements [editable].
func (t *retroTexts) Get(object, field string) (any, error) {
	if object != "" {
		field = object + ":" + field
	}
	if !slices.Contains(t.fields, field) {
		return nil, &property.NoFieldError{Path: field, Near: glob.Nearest(field, t.fields)}
	}
	return t.values[field], nil
}

// Holds implements [editable].
func (t *retroTexts) Holds(object, field, value string) bool {
	now, err := t.Get(object, field)
	return err == nil && now == value
}

// Changes implements [editable].
func (t *retroTexts) Changes() []mods.Change { return t.changes }

// Files implements [editable].
func (t *retroTexts) Files(context.Context) (body, _ []byte, err error) { return t.body, nil, nil }
