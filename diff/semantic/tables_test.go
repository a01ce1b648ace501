package semantic_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"testing"

	"pakdb/diff/semantic"
	"pakdb/schema"
)

// TestLabelsAreTexts asks for builds that no text names.
func TestLabelsAreTexts(t *testing.T) {
	for _, tt := range []struct {
		label driver.Value
		want  string
	}{
		{nil, "no such build: NULL; none is older than the first"},
		{1.5, "no such build: 1.5 is no text: quote labels, as in diff('1.0', '1.1')"},
		{[]byte("1"), "no such build: [49] is no text: quote labels, as in diff('1.0', '1.1')"},
	} {
		for _, f := range semantic.Tables(nil) {
			for _, args := range [][]driver.Value{{tt.label, "1"}, {"1", tt.label}} {
				if err := f.Rows(context.Background(), args, nil); !errors.Is(err, schema.ErrNoBuild) || err.Error() != tt.want {
					t.Errorf("%s%v: %v, want %s", f.Name, args, err, tt.want)
				}
			}
		}
	}
}
