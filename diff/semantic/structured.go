package semantic

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strings"

	"pakdb/internal/bin"
)

// structuredChanges lists what differs between two texts that have a structure: JSON by
// paths, tables of CSV by row and column, XML by element. ok is false when either has
// none. name is that of the file: only its extension distinguishes a table from other text.
func structuredChanges(name string, a, b []byte) (changes []Field, ok bool) {
	if changes, ok := jsonChanges(a, b); ok {
		return changes, true
	}
	var old, new any
	switch ext := strings.ToLower(path.Ext(name)); {
	case ext == ".csv" || ext == ".tsv":
		old, ok = parseTable(a)
		if !ok {
			return nil, false
		}
		new, ok = parseTable(b)
	case isXML(a) && isXML(b):
		old, ok = parseXML(a)
		if !ok {
			return nil, false
		}
		new, ok = parseXML(b)
	}
	if !ok {
		return nil, false
	}
	d := &jsonDiff{budget: maxAlign}
	d.values("$", old, new)
	return d.changes, true
}

// maxNodes bounds the cells of a table and the elements and attributes of XML.
const maxNodes = 2 << 20

// parseTable reads CSV as rows by their key, which is the first column: of an object for
// each row, by column. ok is false where keys or columns are not unique, or rows are of
// different lengths.
func parseTable(b []byte) (rows map[string]any, ok bool) {
	b = bin.Text(b)
	head, _, _ := bytes.Cut(b, []byte("\n"))
	r := csv.NewReader(bytes.NewReader(b))
	for _, comma := range ",;\t" {
		if bytes.ContainsRune(head, comma) && bytes.Count(head, []byte(string(comma))) > bytes.Count(head, []byte(string(r.Comma))) {
			r.Comma = comma
		}
	}
	columns, err := r.Read()
	if err != nil || len(columns) < 2 || hasTwice(columns) {
		return nil, false
	}
	rows = map[string]any{}
	for nodes := 0; ; nodes += len(columns) {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return rows, true
		}
		if err != nil || nodes > maxNodes {
			return nil, false
		}
		if _, twice := rows[cells[0]]; twice {
			return nil, false
		}
		row := map[string]any{}
		for i, cell := range cells[1:] {
			row[columns[i+1]] = cell
		}
		rows[cells[0]] = row
	}
}

func hasTwice(all []string) bool {
	seen := map[string]bool{}
	for _, s := range all {
		if seen[s] {
			return true
		}
		seen[s] = true
	}
	return false
}

func isXML(b []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(bin.Text(b), " \t\r\n"), []byte("<"))
}

// maxDepth bounds how deep elements of XML lie.
const maxDepth = 200

// parseXML reads XML as objects: attributes by @name, the text as #text, elements by name.
// Elements of one name are distinguished by an attribute that is unique among them, else they
// are a list. An element that has nothing but text is a text.
func parseXML(b []byte) (root any, ok bool) {
	p := &xmlReader{d: xml.NewDecoder(bytes.NewReader(bin.Text(b)))}
	p.d.CharsetReader = func(charset string, in io.Reader) (io.Reader, error) {
		if c := strings.ToLower(charset); strings.HasPrefix(c, "utf-") || c == "us-ascii" { // utf-16 was made utf-8
			return in, nil
		}
		return nil, errors.New("another charset")
	}
	for {
		token, err := p.d.Token()
		if err != nil {
			return root, root != nil && errors.Is(err, io.EOF)
		}
		if start, begins := token.(xml.StartElement); begins {
			if root != nil {
				return nil, false
			}
			v, err := p.element(start, 0)
			if err != nil {
				return nil, false
			}
			root = map[string]any{xmlName(start.Name): v}
		}
	}
}

type xmlReader struct {
	d     *xml.Decoder
	nodes int
}

// child is an element in another.
type child struct {
	name  string
	attrs map[string]string
	value any
}

var errLarge = errors.New("too much XML")

func (p *xmlReader) element(start xml.StartElement, depth int) (any, error) {
	if p.nodes += 1 + len(start.Attr); depth > maxDepth || p.nodes > maxNodes {
		return nil, errLarge
	}
	object := map[string]any{}
	for _, a := range start.Attr {
		object["@"+xmlName(a.Name)] = a.Value
	}
	var text strings.Builder
	var children []child
	for {
		token, err := p.d.Token()
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.CharData:
			text.Write(t)
		case xml.StartElement:
			t = t.Copy()
			v, err := p.element(t, depth+1)
			if err != nil {
				return nil, err
			}
			c := child{name: xmlName(t.Name), value: v, attrs: map[string]string{}}
			for _, a := range t.Attr {
				c.attrs[xmlName(a.Name)] = a.Value
			}
			children = append(children, c)
		case xml.EndElement:
			addChildren(object, children)
			own := strings.TrimSpace(text.String())
			if len(object) == 0 {
				return own, nil
			}
			if own != "" {
				object["#text"] = own
			}
			return object, nil
		}
	}
}

// keys are attributes that distinguish elements of one name.
var keys = []string{"id", "Id", "ID", "key", "Key", "name", "Name"}

// addChildren puts elements into an object.
func addChildren(object map[string]any, children []child) {
	byName := map[string][]child{}
	for _, c := range children {
		byName[c.name] = append(byName[c.name], c)
	}
	for name, all := range byName {
		if key := uniqueKey(all); key != "" {
			for _, c := range all {
				object[name+"[@"+key+"="+c.attrs[key]+"]"] = c.value
			}
			continue
		}
		if len(all) == 1 {
			object[name] = all[0].value
			continue
		}
		list := make([]any, len(all))
		for i, c := range all {
			list[i] = c.value
		}
		object[name] = list
	}
}

// uniqueKey returns the attribute that all of some elements have, each with another value;
// "" for none.
func uniqueKey(all []child) string {
	for _, key := range keys {
		seen := map[string]bool{}
		for _, c := range all {
			if v, ok := c.attrs[key]; ok {
				seen[v] = true
			}
		}
		if len(seen) == len(all) {
			return key
		}
	}
	return ""
}

func xmlName(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return n.Space + ":" + n.Local
}
