package family_test

import (
	"testing"

	"pakdb/internal/family"
)

type row struct {
	size int64
	text int32
}

func columns() []family.Column[row] {
	return []family.Column[row]{
		family.ValueColumn("size", func(r *row) any { return r.size }),
		family.TextColumn("name_id", func(r *row) int32 { return r.text }),
	}
}

func TestRowsOfTable(t *testing.T) {
	rows := family.NewTable("asset", "ordinal", columns()...).Ignoring().Rows(row{7, 1}, row{9, -1})
	l := rows.Layout()
	if l.Table != "x_asset" || l.Number != "ordinal" || l.Single || !l.Ignore || len(l.Columns) != 2 {
		t.Errorf("layout %+v", l)
	}
	if want := (family.ColumnLayout{Name: "name_id", Kind: family.Text}); l.Columns[1] != want {
		t.Errorf("column %+v, want %+v", l.Columns[1], want)
	}
	if got := rows.Value(1, 0); got != int64(9) {
		t.Errorf("value %v, want 9", got)
	}
	if a, b := rows.Position(0, 1), rows.Position(1, 1); a != 1 || b != -1 {
		t.Errorf("positions %d and %d, want 1 and -1", a, b)
	}
}

// TestWeight: batches of the catalog are cut by it, so that it decides in which
// order paths get their ids.
func TestWeight(t *testing.T) {
	many := family.NewTable("asset", "seq", columns()...)
	for _, c := range []struct {
		name  string
		batch *family.Batch
		want  int
	}{
		{"no facts", nil, 0},
		{"texts and rows", &family.Batch{Texts: make([]string, 5), Rows: []family.Rows{many.Rows(row{}, row{})}}, 7},
		{"a single row", &family.Batch{Words: make([]string, 2), Rows: []family.Rows{many.Single().Rows(row{})}}, 0},
	} {
		if got := c.batch.Weight(); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
