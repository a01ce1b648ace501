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

// plain returns Markdown as people read it.
func plain(text string) string {
	return strings.TrimSpace(strings.NewReplacer("\n", " ", "`", "", "**", "").Replace(text))
}

// showViews lists the views and the functions that yield rows, or describes one.
func showViews(s *shell, ctx context.Context, name string) error {
	first := []string{"problems", "contents", "archives", "entries", "files", "builds"}
	all := schema.Views() // those to begin with come first, the others as they are documented
	slices.SortStableFunc(all, func(v, w *schema.View) int {
		return cmp.Compare(slices.Index(first, w.Name), slices.Index(first, v.Name))
	})
	bold := func(text string) string { return coloured(s.Out, "1", text) }
	var b strings.Builder
	line := func(name, text string) {
		b.WriteString(bold(fmt.Sprintf("%-25s", name)) + terminal.Wrap(text, width(s), 25) + "\n")
	}
	for _, v := range all {
		switch name {
		case v.Name:
			describe(&b, v, width(s), bold)
		case "":
			summary, _, _ := strings.Cut(plain(v.Doc), ". ")
			line(v.Name, strings.TrimSuffix(summary, "."))
		}
	}
	for _, f := range s.DB.TableFunctions {
		if name == "" || name == f.Name {
			line(f.Name+"()", "FROM "+f.Usage()+": "+f.Doc)
		}
	}
	if b.Len() == 0 {
		return query.Usagef(".views shows all", "no view %s", name)
	}
	return printText(ctx, s, b.String())
}

// describe writes the summary of a view, and a line for each column.
func describe(b *strings.Builder, v *schema.View, width int, bold func(string) string) {
	names, types := 0, 0
	for _, c := range v.Columns {
		names, types = max(names, len(c.Name)), max(types, len(plain(c.Type)))
	}
	b.WriteString(terminal.Wrap(plain(v.Doc), width, 0) + "\n\n")
	for _, c := range v.Columns {
		text := plain(c.Doc)
		if null := plain(c.Null); null != "never" && null != "" {
			text = strings.TrimPrefix(text+"; NULL: "+null, "; ")
		}
		b.WriteString(bold(fmt.Sprintf("%-*s", names, c.Name)) + fmt.Sprintf("  %-*s  ", types, plain(c.Type)))
		b.WriteString(strings.TrimRight(terminal.Wrap(text, width, names+types+4), " ") + "\n")
	}
}
