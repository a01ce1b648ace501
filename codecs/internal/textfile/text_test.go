package textfile_test

import (
	"bytes"
	"context"
	"encoding/binary"

	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/textfile"
	"pakdb/internal/family"
)

func inspect(t testing.TB, name, body string) *codecs.Facts {
	t.Helper()
	facts, err := textfile.Inspector().Inspect(context.Background(), bytes.NewReader([]byte(body)), int64(len(body)), &codecs.Entry{Name: name})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return facts
}

// summary is "kind figure=value ...: line text | ...".
func summary(facts *codecs.Facts) string {
	f := facts.Detail.(*family.PlainFacts)
	var b strings.Builder
	b.WriteString(facts.Kind)
	for _, x := range f.Figures {
		fmt.Fprintf(&b, " %s=%d", x.Name, x.Value)
	}
	b.WriteString(":")
	for i, l := range f.Blocks {
		if i > 0 {
			b.WriteString(" |")
		}
		fmt.Fprintf(&b, " %d %s", l.Line, strings.ReplaceAll(f.Texts[l.Text], "\n", " / "))
	}
	return b.String()
}

func wideText(order binary.ByteOrder, text string) string {
	b := order.(binary.AppendByteOrder).AppendUint16(nil, 0xFEFF)
	for _, u := range utf16.Encode([]rune(text)) {
		b = order.(binary.AppendByteOrder).AppendUint16(b, u)
	}
	return string(b)
}

// genericTexts are files by name, and what is read of them.
var genericTexts = []struct{ name, body, want string }{
	{"a.json", "{\n  // of all\n  \"bosses\": [\n    {\"name\": \"Ultron\", \"level\": 60},\n  ],\n  \"on\": true, \"off\": null\n}\n",
		`json lines=7 values=4: 2 // of all / "bosses": [ / {"name": "Ultron", "level": 60}, /  / "on": true, "off": null`},
	{"list.JSON", `[1, [2, {"a": {"b": [3]}}], "x\"", -4.5e1]`, `json lines=1 values=5: 1 [1, [2, {"a": {"b": [3]}}], "x\"", -4.5e1]`},
	{"broken.json", "{\"a\": \n", `json lines=1 unparsed=1: 1 {"a":`},
	{"a.xml", "<?xml version=\"1.0\"?>\n<a>\n  <b c=\"d\"/>\n</a>", `xml lines=4 elements=2: 1 <?xml version="1.0"?> / <a> / <b c="d"/> / </a>`},
	{"page.html", "<p>one<br>two", "xml lines=1 elements=2: 1 <p>one<br>two"},
	{"none.xml", "\n", "xml lines=1 unparsed=1:"},
	{"a.csv", "id;price\nsword;120\n\"a;b\";95\n", `csv lines=3 rows=3 columns=2: 1 id;price / sword;120 / "a;b";95`},
	{"a.tsv", "id\tx\n1\t2", "csv lines=2 rows=2 columns=2: 1 id\tx / 1\t2"},
	{"a.lua", "local x = 1\n\n  return x\n", "lua lines=3: 1 local x = 1 /  / return x"},
	{"README.md", "# A\r\n---\r\n\r\nb\r\n", "text lines=4: 1 # A /  /  / b"},
	{"mark.txt", "\xef\xbb\xbfa\nb", "text lines=2: 1 a / b"},
	{"wide.txt", wideText(binary.LittleEndian, "Grüße\nzwei\n"), "text lines=2 utf16=1: 1 Grüße / zwei"},
	{"wide.json", wideText(binary.BigEndian, `{"a": "ü"}`), `json lines=1 utf16=1 values=1: 1 {"a": "ü"}`},
	{"latin.txt", "Gr\xfc\xdfe\n", "text lines=1: 1 Grüße"},
	{"empty.txt", "", "text lines=0:"},
	{"long.txt", strings.Repeat("word ", 100) + "\nnext", "text lines=2: 1 " + strings.TrimSpace(strings.Repeat("word ", 96)) + " | 1 word word word word | 2 next"},
	{"solid.txt", strings.Repeat("ü", 300), "text lines=1: 1 " + strings.Repeat("ü", 240) + " | 1 " + strings.Repeat("ü", 60)},
}

func TestTexts(t *testing.T) {
	for _, c := range genericTexts {
		if got := summary(inspect(t, c.name, c.body)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestLarge: what is beyond the bounds is counted.
func TestLarge(t *testing.T) {
	line := strings.Repeat("x", 99) + "\n"
	for _, c := range []struct {
		name, body string
		blocks     int
		figures    string
	}{
		{"a.txt", strings.Repeat(line, 10_000), 292, "lines=10000 bytes_not_searched=737856"}, // of 256 KiB
		{"a.json", strings.Repeat(" ", 5<<20), 0, "lines=1 bytes_not_searched=4980736"},
		{"b.txt", strings.Repeat("a\n", 100_000), 209, "lines=100000"},
	} {
		f := inspect(t, c.name, c.body).Detail.(*family.PlainFacts)
		var figures []string
		for _, x := range f.Figures {
			figures = append(figures, fmt.Sprintf("%s=%d", x.Name, x.Value))
		}
		if got := strings.Join(figures, " "); len(f.Blocks) != c.blocks || got != c.figures {
			t.Errorf("%s: %d blocks, %s", c.name, len(f.Blocks), got)
		}
	}
}

func TestMatch(t *testing.T) {
	for name, want := range map[string]bool{"a.json": true, "A.TXT": true, "a.uasset": false, "a": false} {
		if got := textfile.Inspector().Match(&codecs.Entry{Name: name}, []byte("text")); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	for head, want := range map[string]bool{"a\x00b": false, "\xff\xfea\x00": true, "": true} {
		if got := textfile.Inspector().Match(&codecs.Entry{Name: "a.txt"}, []byte(head)); got != want {
			t.Errorf("%q: %v", head, got)
		}
	}
}

// TestCorpus writes the corpus of the fuzz target, or compares it.
func TestCorpus(t *testing.T) {
	for _, c := range genericTexts {
		codecstest.Corpus(t, *update, "FuzzInspect", c.name, fmt.Sprintf("string(%q)", c.name), fmt.Sprintf("string(%q)", c.body))
	}
}

func FuzzInspect(f *testing.F) {
	f.Fuzz(func(t *testing.T, name, body string) {
		if !textfile.Inspector().Match(&codecs.Entry{Name: name}, []byte(body)) {
			return
		}
		facts := inspect(t, name, body)
		d := facts.Detail.(*family.PlainFacts)
		for _, text := range d.Texts {
			if !utf8.ValidString(text) || len(text) > 960 {
				t.Fatalf("a line of %d bytes: %q", len(text), text)
			}
		}
		d.Batch()
	})
}

func BenchmarkInspect(b *testing.B) {
	body := []byte("[\n" + strings.Repeat("  {\"name\": \"Ultron\", \"level\": 60, \"drops\": [1, 2, 3]},\n", 4000) + "null]\n")
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := textfile.Inspector().Inspect(context.Background(), bytes.NewReader(body), int64(len(body)), &codecs.Entry{Name: "a.json"}); err != nil {
			b.Fatal(err)
		}
	}
}
