package textfile

import (
	"bytes"
	"context"
	_ "embed"
	"io"
	"path"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
)

//go:embed CONFIG.md
var configSpec string

const configFormatName = "config"

// configMaxSize bounds the content held in memory.
const configMaxSize = 64 << 20

// ConfigInspector returns the inspector of settings. Its facts are of kind "config" with a
// [*unreal.ConfigFacts].
func ConfigInspector() *codecs.Inspector {
	return &codecs.Inspector{
		Name:     configFormatName,
		Doc:      "settings of Unreal Engine (.ini), and texts of UE1 and UE2 (.int and its kin)",
		Spec:     configSpec,
		Revision: 3,
		Match:    configMatch,
		Inspect:  configInspect,
	}
}

// configMatch takes .ini, and files of texts that begin like one: their extension is that of a
// language.
func configMatch(e *codecs.Entry, head []byte) bool {
	switch strings.ToLower(path.Ext(e.Name)) {
	case ".ini":
		return true
	case ".int", ".det", ".est", ".frt", ".itt":
		head = bytes.TrimLeft(withoutMark(head), " \t\r\n\x00")
		return len(head) > 0 && (head[0] == '[' || head[0] == ';')
	}
	return false
}

// withoutMark cuts off a byte order mark.
func withoutMark(head []byte) []byte {
	for _, mark := range []string{"\xff\xfe", "\xfe\xff", "\xef\xbb\xbf"} {
		head = bytes.TrimPrefix(head, []byte(mark))
	}
	return head
}

func configInspect(ctx context.Context, content io.ReaderAt, size int64, _ *codecs.Entry) (*codecs.Facts, error) {
	body, err := whole(ctx, configFormatName, content, size, configMaxSize)
	if err != nil {
		return nil, err
	}
	p := &configParser{facts: &unreal.ConfigFacts{}}
	p.texts = newTexts(&p.facts.Texts)
	p.parse(body)
	return &codecs.Facts{Kind: "config", Detail: p.facts, Problems: p.problems}, nil
}

type configParser struct {
	texts
	facts    *unreal.ConfigFacts
	section  int32
	problems []*codecs.FormatError
}

// parse reads all lines.
func (p *configParser) parse(body []byte) {
	if bytes.HasPrefix(body, []byte("\xfe\xff")) { // UTF-16 in the other order of bytes
		body = bytes.Clone(body)
		for i := 0; i+1 < len(body); i += 2 {
			body[i], body[i+1] = body[i+1], body[i]
		}
	}
	wide := bytes.HasPrefix(body, []byte("\xff\xfe"))
	at := int64(0)
	switch {
	case wide:
		body, at = body[2:], 2
		if len(body)%2 != 0 {
			p.add("text", at+int64(len(body)-1), codecs.Errorf(codecs.ErrTruncated, "half a UTF-16 unit"))
		}
	case bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		body, at = body[3:], 3
	}
	first, lost := int64(-1), 0 // lines with a NUL
	size := len(body)
	p.section = p.text("")
	var whole strings.Builder
	for len(body) > 0 {
		var line []byte
		start := at + int64(size-len(body))
		line, body = cutLine(body, wide)
		if i := nul(line, wide); i >= 0 {
			if lost++; lost == 1 {
				first = start + int64(i)
			}
			whole.Reset()
			continue
		}
		text := strings.TrimRight(unreal.Text{Bytes: line, Wide: wide}.String(), "\r")
		before, more := strings.CutSuffix(text, `\`)
		whole.WriteString(before)
		if !more || len(body) == 0 {
			p.line(strings.TrimSpace(whole.String()))
			whole.Reset()
		}
	}
	if lost > 0 {
		p.add("text", first, codecs.Errorf(codecs.ErrCorrupt, "a NUL in a text (lines left out: %d)", lost))
	}
}

// nul returns where a NUL is, or -1.
func nul(body []byte, wide bool) int {
	if !wide {
		return bytes.IndexByte(body, 0)
	}
	for i := 0; i+1 < len(body); i += 2 {
		if body[i] == 0 && body[i+1] == 0 {
			return i
		}
	}
	return -1
}

// cutLine returns the first line, without its end, and what follows.
func cutLine(body []byte, wide bool) (line, rest []byte) {
	if !wide {
		line, rest, _ = bytes.Cut(body, []byte("\n"))
		return line, rest
	}
	for i := 0; i+1 < len(body); i += 2 {
		if body[i] == '\n' && body[i+1] == 0 {
			return body[:i], body[i+2:]
		}
	}
	return body, nil
}

func (p *configParser) add(field string, off int64, err error) {
	p.problems = append(p.problems, failure(configFormatName, field, err, off))
}

// line reads one line without blanks around it. What is no setting has no key.
func (p *configParser) line(text string) {
	switch {
	case text == "" || text[0] == ';' || text[0] == '#' || strings.HasPrefix(text, "//"):
		return
	case text[0] == '[' && strings.HasSuffix(text, "]"):
		p.section = p.text(text[1 : len(text)-1])
		return
	}
	key, value, ok := strings.Cut(text, "=")
	op := ""
	if key = strings.TrimSpace(key); key != "" && strings.IndexByte("+-.!", key[0]) >= 0 {
		op, key = key[:1], strings.TrimSpace(key[1:])
	}
	if key == "" || !ok && op != "!" {
		op, key, value = "", "", text
	}
	value = strings.TrimSpace(value)
	if n := len(value); n >= 2 && value[0] == '"' && value[n-1] == '"' && strings.Count(value, `"`) == 2 {
		value = value[1 : n-1]
	}
	p.facts.Lines = append(p.facts.Lines, unreal.ConfigLine{Section: p.section, Op: op, Key: p.text(key), Value: p.text(value)})
}
