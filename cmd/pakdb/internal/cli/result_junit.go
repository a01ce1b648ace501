package cli

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"pakdb/internal/terminal"
)

// WriteJUnit writes JUnit XML: a test case for each archive, which fails when it has
// problems. failed says that the machine failed, so that problems are errors.
func (o *Object) WriteJUnit(w io.Writer, failed bool) error {
	out := bufio.NewWriter(w)
	names := o.checked
	if o.count > 0 && len(o.found) == 0 || len(names) == 0 {
		names = append(names, "") // what is wrong with no archive
	}
	kind, bad := "failure", 0
	if failed {
		kind = "error"
	}
	lines := o.byArchive()
	for _, name := range names {
		if len(lines[name]) > 0 || o.found[name] > 0 {
			bad++
		}
	}
	_, _ = fmt.Fprintf(out, "%s<testsuites>\n<testsuite name=%s tests=\"%d\" %ss=\"%d\" time=\"%.3f\">\n",
		xml.Header, quoted("pakdb "+o.command), len(names), kind, bad, time.Since(o.started).Seconds())
	for _, name := range names {
		title := name
		if title == "" {
			title = o.command
		}
		_, _ = fmt.Fprintf(out, "<testcase classname=%s name=%s", quoted("pakdb "+o.command), quoted(title))
		n := max(o.found[name], int64(len(lines[name])))
		if n == 0 {
			_, _ = fmt.Fprintln(out, "/>")
			continue
		}
		more := ""
		if left := n - int64(len(lines[name])); left > 0 {
			more = fmt.Sprintf("and %d more\n", left)
		}
		_, _ = fmt.Fprintf(out, "><%s message=\"%d found\">%s%s</%s></testcase>\n", kind, n, escaped(strings.Join(lines[name], "")), more, kind)
	}
	_, _ = fmt.Fprintln(out, "</testsuite>\n</testsuites>")
	return out.Flush() // has the error of all writes
}

// byArchive returns a line for each problem that is listed.
func (o *Object) byArchive() map[string][]string {
	lines := map[string][]string{}
	for _, p := range o.problems {
		archive, text := "", p.Cause
		if p.Archive != nil {
			archive = *p.Archive
		}
		place := ""
		if p.Path != nil {
			place = *p.Path + ": "
		}
		if p.Field != nil {
			place += *p.Field
			if p.Offset != nil {
				place += fmt.Sprintf(" at %#x", *p.Offset)
			}
			place += ": "
		}
		lines[archive] = append(lines[archive], terminal.Printable(place+text)+"\n")
	}
	return lines
}

// escaped is text as XML has it; what XML cannot have is U+FFFD.
func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder never fails
	return strings.ReplaceAll(b.String(), "&#xA;", "\n")
}

func quoted(text string) string { return `"` + escaped(terminal.Printable(text)) + `"` }
