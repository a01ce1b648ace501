package textfile

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

// Value is a value of a file of texts, and the bytes that it takes.
type Value struct {
	Field    string // "Namespace[Key]" of .locres, "Section[Key]" of .ini, "A.B[0]" of JSON, "Row[Column]" of CSV, "A.B@c" of XML
	Text     string
	from, to int
	encode   func(string) ([]byte, error) // nil: the value is read alone
}

// File is the content of a file of texts whose values can be changed. Bytes of other values,
// comments, order and ends of lines are kept.
type File struct {
	Values []Value
	data   []byte
	kind   string
}

// ErrNoEdit is wrapped by errors about texts that are not changed in place.
var ErrNoEdit = errors.New("cannot be set")

// Editable reports whether a file of that name can be changed: .locres, .ini, .json, .csv
// or .xml.
func Editable(name string) bool {
	return slices.Contains([]string{".locres", ".ini", ".json", ".csv", ".xml"}, strings.ToLower(path.Ext(name)))
}

// Open reads a file for changes. It fails for content that is not understood whole.
func Open(name string, data []byte) (*File, error) {
	f := &File{data: data, kind: strings.ToLower(path.Ext(name))}
	var err error
	switch f.kind {
	case ".locres":
		err = f.locres()
	case ".ini":
		err = f.config()
	case ".json":
		err = f.json()
	case ".csv":
		err = f.csv()
	case ".xml":
		err = f.xml()
	default:
		err = fmt.Errorf("%w: only .locres, .ini, .json, .csv and .xml are", ErrNoEdit)
	}
	return f, err
}

// Data returns the content.
func (f *File) Data() []byte { return f.data }

// Around returns the content without its values and blanks: what versions that differ in values
// alone have in common. Of .locres it is "", and of .ini, whose statements [Settings] compares.
func (f *File) Around() string {
	if f.kind == ".locres" || f.kind == ".ini" {
		return ""
	}
	var out []byte
	at := 0
	for i := range f.Values {
		if v := &f.Values[i]; v.from >= at {
			out, at = append(out, f.data[at:v.from]...), v.to
		}
	}
	return string(bytes.Join(bytes.Fields(append(out, f.data[at:]...)), nil))
}

// Find returns the position of a value, -1 for none.
func (f *File) Find(field string) int {
	return slices.IndexFunc(f.Values, func(v Value) bool { return strings.EqualFold(v.Field, field) })
}

// Set changes a value, and reads the result back: it fails unless that value alone differs.
func (f *File) Set(i int, text string) error {
	v := &f.Values[i]
	if text == v.Text {
		return nil
	}
	if v.encode == nil {
		return fmt.Errorf("%w: %s: it is no single text, number or bool", ErrNoEdit, v.Field)
	}
	b, err := v.encode(text)
	if err != nil {
		return err
	}
	if f.kind == ".locres" && b == nil {
		return f.accept(f.moved(i, text), i, text)
	}
	return f.accept(slices.Concat(f.data[:v.from], b, f.data[v.to:]), i, text)
}

// accept takes new content if it reads back as asked.
func (f *File) accept(data []byte, at int, text string) error {
	next, err := Open("a"+f.kind, data)
	if err == nil && len(next.Values) != len(f.Values) {
		err = fmt.Errorf("%d values, not %d", len(next.Values), len(f.Values))
	}
	if err != nil {
		return fmt.Errorf("%w: the result would not read back: %w", ErrNoEdit, err)
	}
	for i := range f.Values {
		want := f.Values[i].Text
		if i == at {
			want = text
		}
		if got := next.Values[i]; got.Field != f.Values[i].Field || got.Text != want {
			return fmt.Errorf("%w: the result would not read back: %s would be %q", ErrNoEdit, got.Field, got.Text)
		}
	}
	*f = *next
	return nil
}

// locres reads keys with their texts. From version 1 on these are in a table that ends the
// file, and a text of one key alone is changed in place.
func (f *File) locres() error {
	d := &locresDecoder{r: bin.NewReader(f.data, 0, binary.LittleEndian), size: int64(len(f.data))}
	facts, err := d.locres(bytes.HasPrefix(f.data, []byte(magicRes)))
	if err != nil {
		return err
	}
	if len(d.problems) > 0 {
		return d.problems[0]
	}
	users := map[int32]int{}
	for _, row := range facts.Rows {
		users[row.Text]++
	}
	spans := locresSpans(f.data, facts.Version)
	for i, row := range facts.Rows {
		v := Value{Field: facts.Texts[row.Namespace] + "[" + facts.Texts[row.Key] + "]", Text: facts.Texts[row.Text]}
		at := i
		if facts.Version >= 1 {
			at = int(row.Text)
		}
		v.from, v.to = spans[at][0], spans[at][1]
		v.encode = func(s string) ([]byte, error) {
			if facts.Version >= 1 && users[row.Text] > 1 {
				return nil, nil // other keys keep the text
			}
			return unreal.AppendFString(nil, s), nil
		}
		f.Values = append(f.Values, v)
	}
	return nil
}

// locresSpans returns where texts lie: of version 0 by key, else by the string of the table.
func locresSpans(data []byte, version int) (spans [][2]int) {
	r := bin.NewReader(data, 0, binary.LittleEndian)
	text := func() {
		from := r.Pos()
		unreal.FString(r)
		spans = append(spans, [2]int{from, r.Pos()})
	}
	if version >= 1 {
		r.Seek(int(binary.LittleEndian.Uint64(data[len(magicRes)+1:])))
		for range r.Count(minString) {
			if text(); version >= 2 {
				r.Skip(4)
			}
		}
		return spans
	}
	for range r.Count(minNamespace) {
		unreal.FString(r)
		for range r.Count(minKey) {
			unreal.FString(r)
			r.Skip(4)
			text()
		}
	}
	return spans
}

// moved gives a key a text of its own, which is appended to the table.
func (f *File) moved(i int, text string) []byte {
	data := bytes.Clone(f.data)
	order := binary.LittleEndian
	version := data[len(magicRes)]
	r := bin.NewReader(data, 0, order)
	r.Seek(len(magicRes) + 1)
	table := int(r.I64())
	if version >= 2 {
		r.Skip(4)
	}
	hash := func() {
		if version >= 2 {
			r.Skip(4)
		}
	}
	count := order.Uint32(data[table:])
	for range r.U32() {
		hash()
		unreal.FString(r)
		for range r.U32() {
			hash()
			unreal.FString(r)
			r.Skip(4)
			if i--; i != -1 {
				r.Skip(4)
				continue
			}
			old := order.Uint32(data[r.Pos():])
			order.PutUint32(data[r.Pos():], count)
			if version >= 2 {
				users := locresSpans(data, int(version))[old][1]
				order.PutUint32(data[users:], order.Uint32(data[users:])-1)
			}
			r.Skip(4)
		}
	}
	order.PutUint32(data[table:], count+1)
	data = unreal.AppendFString(data, text)
	if version >= 2 {
		data = order.AppendUint32(data, 1)
	}
	return data
}

// config reads the settings of an .ini. The second setting of a key is Section[Key][1].
func (f *File) config() error {
	s, err := OpenSettings(f.data)
	if err != nil {
		return err
	}
	seen := map[string]int{}
	valid := utf8.ValidString(s.text)
	for _, set := range s.All {
		if set.Key == "" || set.Op == "!" && set.Value == "" {
			continue
		}
		v := Value{Field: set.Section + "[" + set.Key + "]"}
		if n := seen[strings.ToLower(v.Field)]; n > 0 {
			v.Field += "[" + strconv.Itoa(n) + "]"
		}
		seen[strings.ToLower(set.Section+"["+set.Key+"]")]++
		value := s.text[set.value:set.to]
		from := set.value
		if v.Text = set.Value; v.Text != "" {
			from += len(value) - len(strings.TrimLeft(value, " \t"))
		}
		if n := len(v.Text); n >= 2 && v.Text[0] == '"' && v.Text[n-1] == '"' && strings.Count(v.Text, `"`) == 2 {
			from, v.Text = from+1, v.Text[1:n-1]
		}
		to := from + len(v.Text)
		v.from, v.to = 0, len(f.data)
		if !set.long {
			v.encode = func(text string) ([]byte, error) {
				if strings.ContainsAny(text, "\r\n") || strings.HasSuffix(text, `\`) {
					return nil, fmt.Errorf("%w: a value of several lines", ErrNoEdit)
				}
				if !valid && strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
					return nil, fmt.Errorf("%w: %q into text that is not UTF-8", ErrNoEdit, text)
				}
				return s.encode(s.text[:from] + text + s.text[to:]), nil
			}
		}
		f.Values = append(f.Values, v)
	}
	return nil
}

// configText decodes a text, and returns what encodes it again in the same way.
func configText(data []byte) (text string, encode func(string) []byte, err error) {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		order = binary.LittleEndian
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		order = binary.BigEndian
	default:
		return string(data), func(s string) []byte { return []byte(s) }, nil
	}
	encode = func(s string) (b []byte) {
		for _, u := range utf16.Encode([]rune(s)) {
			var two [2]byte
			order.PutUint16(two[:], u)
			b = append(b, two[:]...)
		}
		return b
	}
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	text = string(utf16.Decode(units))
	if !bytes.Equal(encode(text), data) {
		return "", nil, fmt.Errorf("%w: text that is not UTF-16", ErrNoEdit)
	}
	return text, encode, nil
}

// json reads the values of JSON by their paths.
func (f *File) json() error {
	body := bytes.TrimPrefix(f.data, []byte("\xef\xbb\xbf"))
	dec := json.NewDecoder(bytes.NewReader(body))
	if err := f.jsonValues(dec, len(f.data)-len(body), ""); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return codecs.Errorf(codecs.ErrCorrupt, "JSON goes on after its value")
	}
	return nil
}

func (f *File) jsonValues(dec *json.Decoder, base int, path string) error {
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		return codecs.Errorf(codecs.ErrCorrupt, "JSON: %v", err)
	}
	return f.jsonValue(raw, base+int(dec.InputOffset())-len(raw), path, 0)
}

// maxDepth bounds how deep JSON and XML are nested.
const maxDepth = 200

func (f *File) jsonValue(raw []byte, at int, path string, depth int) error {
	if depth > maxDepth {
		return codecs.Errorf(codecs.ErrCorrupt, "JSON is nested deeper than %d", maxDepth)
	}
	if raw[0] != '{' && raw[0] != '[' {
		v := Value{Field: path, Text: string(raw), from: at, to: at + len(raw), encode: func(s string) ([]byte, error) {
			if !json.Valid([]byte(s)) || s[0] == '{' || s[0] == '[' || s[0] == '"' {
				return nil, fmt.Errorf("%w: %s: %q is no number, bool or null", ErrNoEdit, path, s)
			}
			return []byte(s), nil
		}}
		if raw[0] == '"' {
			if err := json.Unmarshal(raw, &v.Text); err != nil {
				return err
			}
			v.encode = func(s string) ([]byte, error) {
				var b bytes.Buffer
				enc := json.NewEncoder(&b)
				enc.SetEscapeHTML(false)
				err := enc.Encode(s)
				return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
			}
		}
		f.Values = append(f.Values, v)
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return err
	}
	for n := 0; dec.More(); n++ {
		below := fmt.Sprintf("%s[%d]", path, n)
		if raw[0] == '{' {
			key, err := dec.Token()
			if err != nil {
				return err
			}
			below = strings.TrimPrefix(path+"."+fmt.Sprint(key), ".")
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return err
		}
		if err := f.jsonValue(value, at+int(dec.InputOffset())-len(value), below, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// csv reads cells: the first row names the columns, the first column the rows.
func (f *File) csv() error {
	body := bytes.TrimPrefix(f.data, []byte("\xef\xbb\xbf"))
	base := len(f.data) - len(body)
	lines := []int{0}
	for i, c := range body {
		if c == '\n' {
			lines = append(lines, i+1)
		}
	}
	r := csv.NewReader(bytes.NewReader(body))
	var columns []string
	for {
		row, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return codecs.Errorf(codecs.ErrCorrupt, "%v", err)
		}
		if columns == nil {
			columns = row
			continue
		}
		for i := 1; i < len(row); i++ {
			line, column := r.FieldPos(i)
			from := lines[line-1] + column - 1
			to := int(r.InputOffset())
			if i+1 < len(row) {
				line, column := r.FieldPos(i + 1)
				to = lines[line-1] + column - 2
			} else {
				to -= len(body[:to]) - len(bytes.TrimRight(body[:to], "\r\n"))
			}
			quoted := from < to && body[from] == '"'
			f.Values = append(f.Values, Value{Field: row[0] + "[" + columns[i] + "]", Text: row[i], from: base + from, to: base + max(from, to), encode: func(s string) ([]byte, error) {
				if quoted || strings.ContainsAny(s, "\",\r\n") || strings.TrimSpace(s) != s {
					s = `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
				}
				return []byte(s), nil
			}})
		}
	}
}
