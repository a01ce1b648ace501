package textfile

import (
	"fmt"
	"slices"
	"strings"

	"pakdb/codecs"
)

// Setting is a statement of an .ini.
type Setting struct {
	Section, Key string
	Op           string // in front of the key: "+", "-", ".", "!", or ""
	Value        string // without blanks around it

	from, to, value int  // of its lines in the text, and where the value begins
	long            bool // it goes on in the next line
}

// Same reports whether two settings say the same.
func (s *Setting) Same(o *Setting) bool {
	return s.Op == o.Op && s.Value == o.Value && strings.EqualFold(s.Key, o.Key) && strings.EqualFold(s.Section, o.Section)
}

// Settings are the statements of an .ini, with the text around them.
type Settings struct {
	All    []Setting
	text   string
	encode func(string) []byte
	ends   map[string]int // of sections in lower case: where a statement is added
}

// OpenSettings reads an .ini. Lines that are no statement, section or comment have no key.
func OpenSettings(data []byte) (*Settings, error) {
	text, encode, err := configText(data)
	if err != nil {
		return nil, err
	}
	s := &Settings{text: text, encode: encode, ends: map[string]int{}}
	section, at := "", 0
	if strings.HasPrefix(text, "\uFEFF") {
		at = len("\uFEFF")
	}
	s.ends[""] = at
	for at < len(text) {
		from := at
		line, _, _ := strings.Cut(text[at:], "\n")
		at = min(at+len(line)+1, len(text))
		body := strings.TrimSpace(line)
		switch {
		case body == "" || body[0] == ';' || body[0] == '#' || strings.HasPrefix(body, "//"):
			continue
		case body[0] == '[' && strings.HasSuffix(body, "]"):
			section = body[1 : len(body)-1]
			s.ends[strings.ToLower(section)] = at
			continue
		}
		next := Setting{Section: section, from: from}
		for strings.HasSuffix(strings.TrimRight(line, "\r"), `\`) && at < len(text) {
			next.long = true
			line, _, _ = strings.Cut(text[at:], "\n")
			at = min(at+len(line)+1, len(text))
		}
		next.long = next.long || strings.HasSuffix(strings.TrimRight(line, "\r"), `\`)
		next.to = at
		next.divide(text)
		s.All = append(s.All, next)
		s.ends[strings.ToLower(section)] = at
	}
	return s, nil
}

// divide finds the operator, the key and the value.
func (s *Setting) divide(text string) {
	statement := text[s.from:s.to]
	key, value, ok := strings.Cut(statement, "=")
	s.value = s.from + len(key) + 1
	if s.Key = strings.TrimSpace(key); s.Key != "" && strings.IndexByte("+-.!", s.Key[0]) >= 0 {
		s.Op, s.Key = s.Key[:1], strings.TrimSpace(s.Key[1:])
	}
	if s.Key == "" || !ok && s.Op != "!" {
		s.Op, s.Key, s.value, value = "", "", s.from, statement
	}
	s.Value = strings.TrimSpace(value)
}

// With returns the file with other statements of a key: want are those of any files, in order.
// Statements that stay keep their lines, and new ones lie where those before them are.
func (s *Settings) With(section, key string, want []Setting, of []*Settings) (*Settings, error) {
	end := "\n"
	if strings.Contains(s.text, "\r\n") {
		end = "\r\n"
	}
	var old []Setting
	for _, o := range s.All {
		if strings.EqualFold(o.Section, section) && strings.EqualFold(o.Key, key) {
			old = append(old, o)
		}
	}
	anchor, found := s.ends[strings.ToLower(section)]
	head := ""
	if !found {
		anchor, head = len(s.text), "["+section+"]"+end
	}
	if len(old) > 0 {
		anchor = old[0].from
	}
	var out strings.Builder
	at := 0
	upTo := func(to int) { out.WriteString(s.text[at:max(at, to)]); at = max(at, to) }
	put := func(line string) {
		if written := out.String(); written != "" && !strings.HasSuffix(written, "\n") && written != "\uFEFF" {
			out.WriteString(end)
		}
		out.WriteString(line)
	}
	for i := range want {
		k := slices.IndexFunc(old, func(o Setting) bool { return o.Same(&want[i]) })
		if k < 0 {
			upTo(anchor)
			put(head + strings.TrimRight(of[i].text[want[i].from:want[i].to], "\r\n") + end)
			head = ""
			continue
		}
		for _, gone := range old[:k] {
			upTo(gone.from)
			at = gone.to
		}
		upTo(old[k].to)
		anchor, old = old[k].to, old[k+1:]
	}
	for _, gone := range old {
		upTo(gone.from)
		at = gone.to
	}
	upTo(len(s.text))
	next, err := OpenSettings(s.encode(out.String()))
	if err != nil {
		return nil, err
	}
	return next, s.check(next, section, key, want)
}

// check fails unless next has these statements of a key, and all others as they are.
func (s *Settings) check(next *Settings, section, key string, want []Setting) error {
	of := func(o *Setting) bool { return strings.EqualFold(o.Section, section) && strings.EqualFold(o.Key, key) }
	divide := func(all []Setting) (mine, others []Setting) {
		for i := range all {
			if of(&all[i]) {
				mine = append(mine, all[i])
			} else {
				others = append(others, all[i])
			}
		}
		return mine, others
	}
	same := func(a, b Setting) bool { return a.Same(&b) }
	_, others := divide(s.All)
	mine, rest := divide(next.All)
	if !slices.EqualFunc(mine, want, same) || !slices.EqualFunc(others, rest, same) {
		return fmt.Errorf("%w: [%s] %s: the result would not read back", codecs.ErrCorrupt, section, key)
	}
	return nil
}

// Data returns the content.
func (s *Settings) Data() []byte { return s.encode(s.text) }
