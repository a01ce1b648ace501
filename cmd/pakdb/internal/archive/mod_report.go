package archive

import (
	"bufio"
	"cmp"
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs/mods"
	"pakdb/internal/terminal"
	"pakdb/internal/ui"
	"pakdb/query"
)

// conflictWriter shows what mods change of the entries that several of them change: for people,
// as rows, or as a page.
type conflictWriter struct {
	a      *cli.App
	w      *bufio.Writer
	p      cli.Palette
	rows   *query.Rows // nil: for people, or a page
	page   *conflictPage
	base   string
	labels []string
	frames bool // say whose tables an entry has

	entries, conflicts int64
}

// conflictPage is the data of the page, as its script reads it.
type conflictPage struct {
	Base    string      `json:"base"`
	Mods    []string    `json:"mods"`
	Names   []string    `json:"names"` // as the command has them
	Out     string      `json:"out"`
	Entries []pageEntry `json:"entries"`
	Sum     string      `json:"sum"`
}

type pageEntry struct {
	Path  string     `json:"path"` // as decisions have it
	Shown string     `json:"shown"`
	Mods  []string   `json:"mods"`
	Lines []pageLine `json:"lines"`
}

type pageLine struct {
	Status string            `json:"status"`
	Name   string            `json:"name"`
	Object string            `json:"object"`
	Field  string            `json:"field"`
	Base   string            `json:"base"`
	Values map[string]string `json:"values"` // by mod
	Why    string            `json:"why"`
}

func newConflictWriter(a *cli.App, format, base string, labels, names []string) (w *conflictWriter, err error) {
	w = &conflictWriter{a: a, w: bufio.NewWriter(a.Stdout), p: cli.NewPalette(a), base: base, labels: labels}
	switch format {
	case "":
	case "html":
		w.page = &conflictPage{Base: base, Mods: labels, Names: names, Out: "Merged_9_P.pak", Entries: []pageEntry{}}
		if ext := filepath.Ext(names[0]); ext != ".pak" && ext != "" {
			w.page.Out = "Merged" + ext
		}
	default:
		w.rows, err = a.Rows(format, "path", "status", "field", "base", "mod", "value", "taken", "why")
	}
	return w, err
}

// words is where sentences go.
func (w *conflictWriter) words() io.Writer {
	if w.rows != nil {
		return w.a.Stderr
	}
	return w.a.Stdout
}

// itemStatus says whether the versions agree.
func itemStatus(item *mods.MergeItem) string {
	switch {
	case item.Why != "":
		return "conflict"
	case item.Ordered:
		return "joined"
	case len(item.Values) > 1:
		return "same"
	}
	return "one"
}

// itemName is how people call what an item is about: rows of tables as comparisons call them.
func itemName(item *mods.MergeItem) string {
	name := strings.Trim(item.Object+"."+item.Field, ".")
	return strings.Replace(name, ".Rows[", "[", 1)
}

// unit shows an entry that several mods change in different ways.
func (w *conflictWriter) unit(u *mods.MergedUnit) error {
	if len(u.Mods) < 2 || u.Whole && u.Items[0].Why == "" {
		return nil
	}
	w.entries++
	var names []string
	for _, i := range u.Mods {
		names = append(names, w.labels[i])
	}
	path := strings.TrimLeft(u.Path, "./")
	switch {
	case w.page != nil:
		w.page.Entries = append(w.page.Entries, pageEntry{Path: u.Path, Shown: path, Mods: names})
	case w.rows == nil:
		_, _ = fmt.Fprintf(w.w, "%s  (%s)\n", terminal.Printable(path), terminal.Printable(strings.Join(names, ", ")))
	}
	for i := range u.Items {
		item := &u.Items[i]
		if item.Why != "" {
			w.conflicts++
		}
		if err := w.item(path, u.Whole, item); err != nil {
			return err
		}
	}
	if w.frames && u.Open() == 0 && u.Frame >= 0 && w.rows == nil && w.page == nil {
		_, _ = fmt.Fprintln(w.w, "  "+w.p.Paint(cli.Faint, "code and bulk data are those of "+terminal.Printable(w.labels[u.Frame])))
	}
	return nil
}

func (w *conflictWriter) item(path string, whole bool, item *mods.MergeItem) error {
	status, name := itemStatus(item), itemName(item)
	if w.rows == nil && w.page == nil {
		return w.line(status, name, whole, item)
	}
	taken := ""
	if item.Taken >= 0 {
		taken = w.labels[item.Taken]
	} else if !item.Open {
		taken = "base"
	}
	if w.page != nil {
		line := pageLine{status, cmp.Or(name, "the whole entry"), item.Object, item.Field, shownItem(item.Base, whole), map[string]string{}, item.Why}
		for v, text := range item.Values {
			if text = shownItem(text, whole); whole {
				text = "other bytes"
			}
			line.Values[w.labels[v]] = text
		}
		e := &w.page.Entries[len(w.page.Entries)-1]
		e.Lines = append(e.Lines, line)
		return nil
	}
	for _, v := range slices.Sorted(maps.Keys(item.Values)) {
		row := []driver.Value{path, status, cli.TextOrNull(name), cli.TextOrNull(shownItem(item.Base, whole)), w.labels[v], cli.TextOrNull(shownItem(item.Values[v], whole)), cli.TextOrNull(taken), cli.TextOrNull(item.Why)}
		if err := w.rows.Write(row...); err != nil {
			return err
		}
	}
	return nil
}

// shownItem returns a value as people read it.
func shownItem(text string, whole bool) string {
	if whole {
		return ""
	}
	return strings.TrimSuffix(text, ".0")
}

const shownValue = 160 // bytes of a value

func cutItem(text string, whole bool) string {
	text = shownItem(text, whole)
	if len(text) > shownValue {
		text = strings.ToValidUTF8(text[:shownValue], "") + "..."
	}
	return text
}

// values lists what the mods make of something.
func (w *conflictWriter) values(status string, whole bool, item *mods.MergeItem) (all []string) {
	for _, v := range slices.Sorted(maps.Keys(item.Values)) {
		text := cmp.Or(cutItem(item.Values[v], whole), "removed")
		switch {
		case text == "there" && item.Base == "":
			text = "added"
		case whole || text == "there":
			text = "another one"
		}
		if status == "same" {
			return []string{text}
		}
		all = append(all, text+" ("+w.labels[v]+")")
	}
	return all
}

// line writes a value: what the build has, and what each mod makes of it.
func (w *conflictWriter) line(status, name string, whole bool, item *mods.MergeItem) error {
	colour := map[string]string{"conflict": cli.Red, "same": cli.Faint, "one": cli.Green, "joined": cli.Green}[status]
	text := fmt.Sprintf("%-8s  %s", status, cmp.Or(name, "the whole entry"))
	if base := cutItem(item.Base, whole); base != "" && base != "there" {
		text += ": " + base
	}
	text += " -> " + strings.Join(w.values(status, whole, item), ", ")
	switch {
	case item.Ordered:
		text += ": in this order"
	case item.Why != "" && !item.Open && item.Taken >= 0:
		text += ": that of " + w.labels[item.Taken]
	case item.Why != "" && !item.Open:
		text += ": that of " + w.base
	case item.Why != "" && item.Why != mods.WhyDifferent:
		text += ": " + item.Why
	}
	_, err := fmt.Fprintln(w.w, "  "+w.p.Paint(colour, terminal.Printable(text)))
	return err
}

func (w *conflictWriter) close() error {
	sum := fmt.Sprintf("%s in several mods, %s", cli.Plural(w.entries, "entry", "entries"), cli.Plural(w.conflicts, "conflict", "conflicts"))
	switch {
	case w.rows != nil:
		return w.rows.Close()
	case w.page != nil:
		w.page.Sum = sum
		if err := w.page.write(w.w); err != nil {
			return err
		}
	default:
		_, _ = fmt.Fprintln(w.w, sum)
	}
	return w.w.Flush()
}

// write writes the page. Names and values reach it as JSON, in which no markup is.
func (p *conflictPage) write(w io.Writer) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	style := string(ui.File("base.css")) + string(ui.File("changes.css")) + string(ui.File("merge.css"))
	script := ui.Script("words.js", "theme.js", "merge.js")
	_, err = fmt.Fprintf(w, `%s<body>
<main class="changes"></main>
<script type="application/json" id="data">%s</script>
<script>%s</script>
</body>
</html>
`, ui.Head("Mods of "+p.Base, style, script), data, script)
	return err
}

// writeText writes a file that appears when it is complete.
func writeText(ctx context.Context, name string, b []byte) error {
	return toFile(ctx, name, time.Time{}, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}
