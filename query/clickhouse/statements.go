package clickhouse

import (
	"iter"
	"slices"
	"strings"
)

// lexeme is a part of an SQL text as ClickHouse reads it.
type lexeme struct {
	kind       lexemeKind
	start, end int
}

type lexemeKind uint8

const (
	blank       lexemeKind = iota // space or a comment
	semicolon                     // the end of a statement
	placeholder                   // :name, @name or $name
	other                         // anything else: a literal, a name, a sign
)

// lexemes yields all parts of a text in order. Other than in SQLite, \ escapes what follows in
// quotes, # begins a comment, and $$ or $tag$ quotes up to the same again.
func lexemes(text string) iter.Seq[lexeme] {
	return func(yield func(lexeme) bool) {
		for pos := 0; pos < len(text); {
			kind, n := nextLexeme(text[pos:])
			if !yield(lexeme{kind, pos, pos + n}) {
				return
			}
			pos += n
		}
	}
}

// nextLexeme returns the kind and the length, 1 at least, of what a text begins with.
func nextLexeme(s string) (lexemeKind, int) {
	switch c := s[0]; {
	case strings.IndexByte(" \t\r\n\f\v", c) >= 0:
		return blank, 1
	case strings.HasPrefix(s, "--"), strings.HasPrefix(s, "# "), strings.HasPrefix(s, "#!"):
		return blank, through(s, "\n", 1)
	case strings.HasPrefix(s, "/*"):
		return blank, through(s, "*/", 2)
	case c == ';':
		return semicolon, 1
	case c == '\'' || c == '"' || c == '`':
		return other, inQuotes(s)
	case strings.HasPrefix(s, "::"):
		return other, 2
	case c == '$':
		if n := nameLength(s[1:]) + 1; strings.HasPrefix(s[n:], "$") {
			return other, through(s, s[:n+1], n+1)
		}
	}
	n := nameLength(s)
	switch {
	case n > 0:
		return other, n
	case strings.IndexByte(":@$", s[0]) < 0:
		return other, 1
	}
	if n = nameLength(s[1:]); n == 0 {
		return other, 1
	}
	return placeholder, 1 + n
}

// through returns the length of s up to the first mark behind from, and with it.
func through(s, mark string, from int) int {
	if i := strings.Index(s[from:], mark); i >= 0 {
		return from + i + len(mark)
	}
	return len(s)
}

// inQuotes returns the length of what is in quotes at the start of s, and of the quotes.
func inQuotes(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return i + 1 // a quote that is doubled begins the next one
		}
	}
	return len(s)
}

func nameLength(s string) int {
	n := 0
	for n < len(s) && (s[n] == '_' || s[n] >= 0x80 || s[n] >= '0' && s[n] <= '9' || s[n]|0x20 >= 'a' && s[n]|0x20 <= 'z') {
		n++
	}
	return n
}

// Statements cuts a text into its statements, without semicolons and empty ones.
func Statements(text string) (all []string) {
	start, end := -1, 0
	flush := func() {
		if start >= 0 {
			all = append(all, text[start:end])
		}
		start = -1
	}
	for l := range lexemes(text) {
		switch {
		case l.kind == semicolon:
			flush()
		case l.kind != blank:
			if start < 0 {
				start = l.start
			}
			end = l.end
		}
	}
	flush()
	return all
}

// Parameters returns the names that a text has as :name, @name or $name, each once.
func Parameters(text string) (names []string) {
	for l := range lexemes(text) {
		if name := text[min(l.start+1, l.end):l.end]; l.kind == placeholder && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// replaceParameters returns a text with other words for parameters, where replace has some.
func replaceParameters(text string, replace func(name string) (words string, ok bool)) string {
	var b strings.Builder
	for l := range lexemes(text) {
		words := text[l.start:l.end]
		if l.kind == placeholder {
			if own, ok := replace(words[1:]); ok {
				words = own
			}
		}
		b.WriteString(words)
	}
	return b.String()
}
