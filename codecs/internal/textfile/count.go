package textfile

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"github.com/tidwall/jsonc"

	"pakdb/codecs/family"
	"pakdb/internal/bin"
)

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
