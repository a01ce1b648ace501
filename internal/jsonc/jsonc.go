// Package jsonc turns JSON with comments and trailing commas, as engines of games read it,
// into JSON.
package jsonc

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
)

// Plain returns JSON without its byte order mark, in UTF-8, with blanks in place of
// comments and of commas before a closing bracket. Nothing else is changed: a text that is
// no JSON stays none.
func Plain(text []byte) []byte {
	text = Text(text)
	out := text // copied before it is changed
	blank := func(from, to int) {
		if &out[0] == &text[0] {
			out = bytes.Clone(text)
		}
		for i := from; i < to; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	comma := -1 // of which nothing but blanks follows so far
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			comma = -1
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case c == '/' && i+1 < len(text) && (text[i+1] == '/' || text[i+1] == '*'):
			end := commentEnd(text, i)
			blank(i, end)
			i = end - 1
		case c == ',':
			comma = i
		case (c == '}' || c == ']') && comma >= 0:
			blank(comma, comma+1)
			comma = -1
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			comma = -1
		}
	}
	return out
}

// commentEnd returns where a comment ends that begins at i; one that is not closed, at the
// end.
func commentEnd(text []byte, i int) int {
	mark, rest := "\n", text[i+2:]
	if text[i+1] == '*' {
		mark = "*/"
	}
	at := bytes.Index(rest, []byte(mark))
	if at < 0 {
		return len(text)
	}
	return i + 2 + at + len(mark)
}

// Text returns a text without its byte order mark, in UTF-8. One in UTF-16 needs the mark.
func Text(text []byte) []byte {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(text, []byte("\xff\xfe")):
		order = binary.LittleEndian
	case bytes.HasPrefix(text, []byte("\xfe\xff")):
		order = binary.BigEndian
	default:
		return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	}
	units := make([]uint16, 0, len(text)/2)
	for i := 2; i+1 < len(text); i += 2 {
		units = append(units, order.Uint16(text[i:]))
	}
	return []byte(string(utf16.Decode(units)))
}
