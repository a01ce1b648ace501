// Package page writes a comparison as one HTML file that needs nothing else: the changes
// one below the other, with what is inside of them, a tree of folders and classes, and a map.
//
// Names in archives are anyone's. They reach the page as JSON, packed by gzip in base64, and
// as text of elements, never as markup; a Content-Security-Policy admits the page's own
// script and style, by their hashes, and nothing from outside.
//
// [Markdown] writes a summary for a pull request instead.
package page

import (
	"bufio"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"sync"

	"pakdb/diff"
	"pakdb/diff/semantic"
	"pakdb/internal/ui"
)

var (
	style  = sync.OnceValue(func() string { return string(ui.File("base.css")) + string(ui.File("changes.css")) })
	script = sync.OnceValue(func() string {
		return ui.Script("words.js", "theme.js", "treemap.js", "chart.js", "inside.js", "changes.js", "mail.js")
	})
)

// Data is a comparison as its page reads it: rows, whose texts are numbers of words. It is
// not safe for concurrent use.
type Data struct {
	builds  [2]string
	dirs    words
	words   words
	ways    []diff.Way
	classes []string

	unknown int64
}

// NewData returns the data of a comparison of two builds, by what these are called.
func NewData(old, new string) *Data { return &Data{builds: [2]string{old, new}} }

// Writer writes the page of one comparison. It is not safe for concurrent use.
type Writer struct {
	*Data
	w      *bufio.Writer
	base64 io.WriteCloser // to w
	packed counter        // to base64
	gzip   *gzip.Writer   // to packed
	most   int64          // bytes of data on the page, before what changed inside is left out
	held   int            // bytes that gzip may not have packed yet
	rows   int
	totals *diff.Totals
	err    error
}

// counter counts bytes on their way.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// New begins a page. old and new are what the builds are called; most bounds the bytes of
// data on it: of further changes it has the rows alone. damaged are lines about archives of
// the builds that are damaged as a whole, which are above all else.
func New(w io.Writer, old, new string, most int64, damaged ...string) *Writer {
	p := &Writer{Data: NewData(old, new), w: bufio.NewWriter(w), most: most, totals: diff.NewTotals("kind")}
	p.print(ui.Head(old+" → "+new+" · pakdb diff", style(), script()), `<body>
<main class="changes">
`, alert(damaged), string(ui.File("changes.html")), `</main>
<script type="text/plain" id="data">`)
	p.base64 = base64.NewEncoder(base64.StdEncoding, p.w)
	p.packed.w = p.base64
	p.gzip, _ = gzip.NewWriterLevel(&p.packed, gzip.BestCompression) // it is a level
	p.pack([]byte(`{"rows":[`))
	return p
}

// pack writes a part of the data.
func (p *Writer) pack(b []byte) {
	p.held += len(b)
	if p.err == nil {
		_, p.err = p.gzip.Write(b)
	}
}

// alert is what is above everything; "" if there is nothing to say.
func alert(damaged []string) string {
	if len(damaged) == 0 {
		return ""
	}
	text := `<section id="damaged" role="alert"><b>Damaged archives: what they lack counts as removed, and need not be.</b><ul>`
	for _, d := range damaged {
		text += "<li>" + html.EscapeString(d) + "</li>"
	}
	return text + "</ul></section>\n"
}

func (p *Writer) print(texts ...string) {
	for _, text := range texts {
		if p.err == nil {
			_, p.err = p.w.WriteString(text)
		}
	}
}

// words numbers texts that repeat, from 0.
type words struct {
	list []string
	at   map[string]int
}

// add returns the number of a text, -1 for "".
func (w *words) add(text string) int {
	if text == "" {
		return -1
	}
	i, ok := w.at[text]
	if !ok {
		if w.at == nil {
			w.at = map[string]int{}
		}
		i = len(w.list)
		w.list, w.at[text] = append(w.list, text), i
	}
	return i
}

// Add writes a change. in is what changed inside of its content, pictures are those of it, and
// warnings say what could not be looked at.
func (p *Writer) Add(c *diff.Change, in *semantic.Difference, pictures []*semantic.Pictures, warnings []string) error {
	p.totals.Add(c)
	row := p.Row(c)
	if inside := Inside(in, pictures, warnings); inside != nil {
		text, err := json.Marshal(inside)
		if err != nil {
			return err
		}
		if base64.StdEncoding.EncodedLen(int(p.packed.n)+p.held+len(text)) <= int(p.most) {
			row = append(row, json.RawMessage(text))
		} else {
			row = append(row, 0) // the page counts these, and names them
		}
	}
	text, err := json.Marshal(row)
	if err != nil {
		return err
	}
	if p.rows++; p.rows > 1 {
		p.pack([]byte(","))
	}
	p.pack(text)
	if p.held > mostHeld && p.err == nil {
		p.err = p.gzip.Flush()
		p.held = 0
	}
	return p.err
}

// mostHeld is after how many bytes it is asked what they are packed to.
const mostHeld = 256 << 10

// Row returns the row of a change, for JSON.
func (p *Data) Row(c *diff.Change) []any {
	return []any{p.words.add(c.Kind.String()), p.words.add(c.Also.String()), p.side(c.New), p.side(c.Old),
		c.Download, c.Similarity, p.words.add(c.RenamedBy), p.words.add(c.PartList()), c.Notes}
}

// SetClasses sets what class the object of each change is, "" for none.
func (p *Data) SetClasses(classes []string) { p.classes = classes }

// SetDownloads sets what the update takes by each way of transport, all of the
// new build first.
func (p *Data) SetDownloads(ways []diff.Way) { p.ways = ways }

// SetUnknown sets how many entries could not be compared, which have no row.
func (p *Data) SetUnknown(n int64) { p.unknown = n }

// downloads are bytes, whether they are exact, and what is fetched.
func (p *Data) downloads() [][]any {
	rows := make([][]any, len(p.ways))
	for i := range p.ways {
		d := &p.ways[i]
		rows[i] = []any{d.Bytes, d.Exact, d.Text()}
	}
	return rows
}

// side is folder, name, archive, type, size, stored, copies; null for none.
func (p *Data) side(f *diff.File) any {
	if f == nil {
		return nil
	}
	dir, name := splitName(f.Name())
	return []any{p.dirs.add(dir), name, p.words.add(f.Archive), p.words.add(f.Type), f.Size, f.Stored, f.Copies}
}

func splitName(path string) (dir, name string) {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			return path[:i], path[i+1:]
		}
	}
	return "", path
}

// Close ends the page. It does not close what New was given.
func (p *Writer) Close() error {
	words, err := json.Marshal(p.Words())
	if err != nil {
		return err
	}
	p.pack([]byte(`],"words":`))
	p.pack(words)
	p.pack([]byte("}"))
	for _, part := range []io.Closer{p.gzip, p.base64} {
		if p.err == nil {
			p.err = part.Close()
		}
	}
	p.print("</script>\n")
	p.withoutScript()
	p.print("<script>", script(), "</script>\n</body>\n</html>\n")
	if p.err != nil {
		return p.err
	}
	return p.w.Flush()
}

// Words returns all that the page needs beside the rows, for JSON.
func (p *Data) Words() map[string]any {
	return map[string]any{"dirs": p.dirs.list, "words": p.words.list, "kinds": kindNames(), "builds": p.builds, "downloads": p.downloads(),
		"classes": p.classes, "unknown": p.unknown}
}

func kindNames() (names []string) {
	for _, k := range diff.Kinds() {
		names = append(names, k.String())
	}
	return names
}

// withoutScript shows the sums where no script runs.
func (p *Writer) withoutScript() {
	p.print("<noscript>")
	if p.unknown > 0 {
		p.print(fmt.Sprintf("<p>Entries that could not be compared: %d.</p>", p.unknown))
	}
	p.print("<table><tr><th>change</th><th>entries</th><th>old bytes</th><th>new bytes</th><th>to download</th></tr>")
	for _, kind := range p.totals.Values() {
		s := p.totals.Get(kind)
		p.print(fmt.Sprintf("<tr><td>%s</td><td>%d</td><td>%d</td><td>%d</td><td>%d</td></tr>", html.EscapeString(kind), s.Count, s.OldSize, s.NewSize, s.Download))
	}
	p.print("</table>")
	if len(p.ways) > 0 {
		p.print("<table><tr><th>bytes</th><th>to download as</th></tr>")
		for i := range p.ways {
			p.print(fmt.Sprintf("<tr><td>%d</td><td>%s</td></tr>", p.ways[i].Bytes, html.EscapeString(p.ways[i].Text())))
		}
		p.print("</table>")
	}
	p.print("</noscript>\n")
}
