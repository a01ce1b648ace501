package textfile

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"pakdb/codecs"
)

// element is one that is open while XML is read.
type element struct {
	path     string
	children map[string]int // how many of each name there were
	from     int            // where its content begins
	text     strings.Builder
	plain    bool // it has text alone
}

// xml reads the texts of elements that have no others in them, and the attributes of all:
// "Root.Item[1].Name" is the element Name in the second Item, "Root.Item@id" an attribute.
func (f *File) xml() error {
	base := 0
	if bytes.HasPrefix(f.data, []byte("\xEF\xBB\xBF")) {
		base = 3
	}
	d := xml.NewDecoder(bytes.NewReader(f.data[base:]))
	open := []*element{{children: map[string]int{}}}
	for {
		from := base + int(d.InputOffset())
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return codecs.Errorf(codecs.ErrCorrupt, "XML at 0x%x: %v", from, err)
		}
		if len(open) > maxDepth {
			return codecs.Errorf(codecs.ErrCorrupt, "XML is nested deeper than %d", maxDepth)
		}
		to, last := base+int(d.InputOffset()), open[len(open)-1]
		switch t := token.(type) {
		case xml.StartElement:
			last.plain = false
			name := t.Name.Local
			e := &element{path: name, children: map[string]int{}, from: to, plain: !bytes.HasSuffix(f.data[from:to], []byte("/>"))}
			if last.path != "" {
				e.path = last.path + "." + name
			}
			if n := last.children[name]; n > 0 {
				e.path = fmt.Sprintf("%s[%d]", e.path, n)
			}
			last.children[name]++
			if err := f.attributes(e.path, &t, from, to); err != nil {
				return err
			}
			open = append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
			if last.plain {
				f.Values = append(f.Values, Value{last.path, last.text.String(), last.from, from, escapeText})
			}
		case xml.CharData:
			last.text.Write(t)
			if bytes.Contains(f.data[from:to], []byte("<![CDATA[")) {
				last.plain = false
			}
		default:
			last.plain = false
		}
	}
}

// attributes lists those of an element whose tag is at from.
func (f *File) attributes(path string, t *xml.StartElement, from, to int) error {
	rest := f.data[from:to]
	for _, a := range t.Attr {
		i := bytes.IndexByte(rest, '=')
		if i < 0 {
			return codecs.Errorf(codecs.ErrCorrupt, "XML at 0x%x: attribute %s of %s", from, a.Name.Local, path)
		}
		start := i + 1 + len(rest[i+1:]) - len(bytes.TrimLeft(rest[i+1:], " \t\r\n"))
		end := bytes.IndexByte(rest[start+1:], rest[start])
		if end < 0 || !bytes.HasSuffix(bytes.TrimRight(rest[:i], " \t\r\n"), []byte(a.Name.Local)) {
			return codecs.Errorf(codecs.ErrCorrupt, "XML at 0x%x: attribute %s of %s", from, a.Name.Local, path)
		}
		at := to - len(rest) + start + 1
		f.Values = append(f.Values, Value{path + "@" + a.Name.Local, a.Value, at, at + end, escapeAttribute})
		rest = rest[start+1+end+1:]
	}
	return nil
}

func escapeText(s string) ([]byte, error) {
	return []byte(strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", "&#xD;").Replace(s)), nil
}

func escapeAttribute(s string) ([]byte, error) {
	return []byte(strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "\r", "&#xD;", "\n", "&#xA;", "\t", "&#x9;").Replace(s)), nil
}
