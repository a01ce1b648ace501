package shell

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"pakdb/internal/terminal"
	"pakdb/query"
	"pakdb/schema"
)

// view is one of the stable views, as the schema documents it.
type view struct {
	name, summary string
	columns       []column
}

type column struct{ name, typ, null, meaning string }

// documented returns the views that users may ask, as people read them.
func documented() (views []view) {
	for _, d := range schema.Views() {
		v := view{name: d.Name, summary: plain(d.Doc)}
		for _, c := range d.Columns {
			v.columns = append(v.columns, column{c.Name, plain(c.Type), plain(c.Null), plain(c.Doc)})
		}
		views = append(views, v)
	}
	return views
}

// plain returns Markdown as people read it.
func plain(text string) string {
	return strings.TrimSpace(strings.NewReplacer("\n", " ", "`", "", "**", "").Replace(text))
}

// showViews lists the stable views and the functions that yield rows, or describes one.
func showViews(s *shell, ctx context.Context, name string) error {
	all := documented()
	slices.SortStableFunc(all, func(v, w view) int { return cmp.Compare(v.rank(), w.rank()) })
	bold := func(text string) string { return coloured(s.Out, "1", text) }
	var b strings.Builder
	for _, v := range all {
		switch {
		case name == v.name:
			v.describe(&b, width(s), bold)
		case name == "":
			first, _, _ := strings.Cut(v.summary, ". ")
			b.WriteString(bold(fmt.Sprintf("%-25s", v.name)) + terminal.Wrap(strings.TrimSuffix(first, "."), width(s), 25) + "\n")
		}
	}
	for _, f := range s.DB.TableFunctions() {
		if name == "" || name == f.Name {
			b.WriteString(bold(fmt.Sprintf("%-25s", f.Name+"()")) + terminal.Wrap("FROM "+f.Usage()+": "+f.Doc, width(s), 25) + "\n")
		}
	}
	if b.Len() == 0 {
		return query.Usagef(".views shows all", "no view %s", name)
	}
	return printText(ctx, s, b.String())
}

// rank is the place of a view in a list: those to begin with, then the others as they are
// documented.
func (v *view) rank() int {
	first := []string{"builds", "files", "entries", "archives", "contents", "problems"}
	switch i := slices.Index(first, v.name); {
	case i >= 0:
		return i
	}
	return len(first)
}

// describe writes what a view is, and a line for each column.
func (v *view) describe(b *strings.Builder, width int, bold func(string) string) {
	names, types := 0, 0
	for _, c := range v.columns {
		names, types = max(names, len(c.name)), max(types, len(c.typ))
	}
	b.WriteString(terminal.Wrap(v.summary, width, 0) + "\n\n")
	for _, c := range v.columns {
		text := c.meaning
		if c.null != "never" && c.null != "" {
			text = strings.TrimPrefix(text+"; NULL: "+c.null, "; ")
		}
		b.WriteString(bold(fmt.Sprintf("%-*s", names, c.name)) + fmt.Sprintf("  %-*s  ", types, c.typ))
		b.WriteString(strings.TrimRight(terminal.Wrap(text, width, names+types+4), " ") + "\n")
	}
}
