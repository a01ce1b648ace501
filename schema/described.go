package schema

import (
	_ "embed"
	"strings"
)

//go:embed views.txt
var document string // a heading, a summary and a row for each column of the views of SCHEMA.md

// View is a view as SCHEMA.md describes it.
type View struct {
	Name    string
	Doc     string
	Columns []ViewColumn
}

// ViewColumn is a column of a view. Type is "text", "integer", "boolean" (0 or 1), "number"
// (an integer or a real), "real", "time" (a text in UTC), "blob" or "any". Null says which
// rows have NULL: "never", or when.
type ViewColumn struct{ Name, Type, Null, Doc string }

// Views returns the views, in the order of SCHEMA.md.
func Views() (all []*View) {
	for _, section := range strings.Split(document, "\n### ")[1:] {
		name, body, _ := strings.Cut(section, "\n")
		v := &View{Name: name}
		for line := range strings.Lines(body) {
			cells := strings.Split(strings.ReplaceAll(strings.TrimSpace(line), `\|`, "\x00"), "|")
			if len(cells) != 6 || cells[0] != "" {
				v.Doc += line
				continue
			}
			for i, c := range cells {
				cells[i] = strings.ReplaceAll(strings.TrimSpace(c), "\x00", "|")
			}
			v.Columns = append(v.Columns, ViewColumn{cells[1], cells[2], cells[3], cells[4]})
		}
		v.Doc = strings.TrimSpace(v.Doc)
		all = append(all, v)
	}
	return all
}
