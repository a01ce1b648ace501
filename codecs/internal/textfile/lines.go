package textfile

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"hash/fnv"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidwall/jsonc"

	"pakdb/codecs/internal/latin1"
	"pakdb/internal/bin"
	"pakdb/internal/family"
)

// Bounds of what is listed. Blocks of some lines take a third of the room that lines of
// their own do.
const (
	maxBlocks = 4096
	maxLine   = 480
	minBlock  = 256
	maxBlock  = 960
)

// lister lists a text in blocks of lines.
type lister struct {
	facts *family.PlainFacts
	known map[string]int32 // texts of blocks
	block strings.Builder
	first int32 // number of the block's first line
	next  int32 // number of the line after it
}

// listLines lists the lines of a text, and returns how many bytes of it were left out.
func listLines(f *family.PlainFacts, body []byte) (left int64) {
	text := body
	if wide(body) {
		text = bin.Text(body[:len(body)&^1])
	}
	l := &lister{facts: f, known: map[string]int32{}}
	for number := int32(1); len(text) > 0; number++ {
		rest := text
		var line []byte
		line, text, _ = bytes.Cut(text, []byte("\n"))
		s := strings.TrimSpace(decoded(line))
		whole := len(s) <= maxLine
		for s != "" {
			var part string
			if part, s = cut(s); hasWord(part) && !l.add(number, strings.TrimSpace(part), whole) {
				return int64(len(rest))
			}
		}
	}
	l.end()
	return 0
}

// maxGap is how many lines without a word a block may have between others.
const maxGap = 4

// add adds a line, or a part of one, which is a block of its own. It reports false if there
// are too many blocks.
func (l *lister) add(number int32, line string, whole bool) bool {
	if l.block.Len() > 0 && (!whole || number > l.next+maxGap || l.block.Len()+1+len(line) > maxBlock) {
		l.end()
	}
	if len(l.facts.Blocks) == maxBlocks {
		return false
	}
	if l.block.Len() == 0 {
		l.first, l.next = number, number
	} else {
		l.next--
	}
	for ; l.next < number; l.next++ {
		l.block.WriteByte('\n')
	}
	l.block.WriteString(line)
	l.next = number + 1
	// Blocks end where what is written says so: most are the same when lines come before.
	if !whole || l.block.Len() >= minBlock && ends(line) {
		l.end()
	}
	return true
}

// end completes a block.
func (l *lister) end() {
	text := l.block.String()
	if text == "" {
		return
	}
	l.block.Reset()
	at, ok := l.known[text]
	if !ok {
		at = int32(len(l.facts.Texts))
		l.known[text] = at
		l.facts.Texts = append(l.facts.Texts, text)
	}
	l.facts.Blocks = append(l.facts.Blocks, family.Block{Line: l.first, Text: at})
}

// ends reports one line in eight, the same wherever it is.
func ends(line string) bool {
	h := fnv.New32a()
	_, _ = io.WriteString(h, line)
	return h.Sum32()%8 == 0
}

// decoded returns a line as UTF-8. Other bytes are Latin-1.
func decoded(line []byte) string {
	line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	if utf8.Valid(line) {
		return string(line)
	}
	return latin1.Decode(line)
}

// cut returns the first part of a line, and what follows: at a blank or a comma, if one is
// in its second half.
func cut(s string) (part, rest string) {
	if len(s) <= maxLine {
		return s, ""
	}
	end := maxLine
	if i := strings.LastIndexAny(s[maxLine/2:maxLine], " ,;\t"); i >= 0 {
		end = maxLine/2 + i + 1
	}
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end], s[end:]
}

func hasWord(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

var unparsed = []family.Figure{{Name: "unparsed", Value: 1}}

// counted returns what a text of a kind has.
func counted(kind string, body []byte) []family.Figure {
	count := map[string]func([]byte) ([]family.Figure, error){"json": countJSON, "xml": countXML, "csv": countCSV}[kind]
	if count == nil {
		return nil
	}
	figures, err := count(body)
	if err != nil {
		return unparsed
	}
	return figures
}

// countJSON counts the strings, numbers and words that are no keys.
func countJSON(body []byte) ([]family.Figure, error) {
	body = jsonc.ToJSON(bin.Text(body))
	if !json.Valid(body) {
		return nil, errNoJSON
	}
	var values int64
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case c == '"':
			for i++; body[i] != '"'; i++ {
				if body[i] == '\\' {
					i++
				}
			}
			if rest := bytes.TrimLeft(body[i+1:], " \t\r\n"); len(rest) == 0 || rest[0] != ':' {
				values++
			}
		case strings.IndexByte("-0123456789tfn", c) >= 0:
			values++
			for i+1 < len(body) && strings.IndexByte(",]} \t\r\n", body[i+1]) < 0 {
				i++
			}
		}
	}
	return []family.Figure{{Name: "values", Value: values}}, nil
}

func countXML(body []byte) ([]family.Figure, error) {
	d := xml.NewDecoder(bytes.NewReader(bin.Text(body)))
	d.Strict = false
	d.AutoClose, d.Entity = xml.HTMLAutoClose, xml.HTMLEntity
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	var elements int64
	for {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			if elements == 0 {
				return nil, errNoElement
			}
			return []family.Figure{{Name: "elements", Value: elements}}, nil
		}
		if err != nil {
			return nil, err
		}
		if _, ok := token.(xml.StartElement); ok {
			elements++
		}
	}
}

// Why a text is not what its name says.
var (
	errNoJSON    = errors.New("no JSON")
	errNoElement = errors.New("no element")
)

func countCSV(body []byte) ([]family.Figure, error) {
	body = bin.Text(body)
	head, _, _ := bytes.Cut(body, []byte("\n"))
	r := csv.NewReader(bytes.NewReader(body))
	for _, comma := range []rune{';', '\t'} {
		if bytes.Count(head, []byte(string(comma))) > bytes.Count(head, []byte(string(r.Comma))) {
			r.Comma = comma
		}
	}
	r.ReuseRecord, r.FieldsPerRecord = true, -1
	var rows, columns int64
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return []family.Figure{{Name: "rows", Value: rows}, {Name: "columns", Value: columns}}, nil
		}
		if err != nil {
			return nil, err
		}
		rows++
		columns = max(columns, int64(len(record)))
	}
}
