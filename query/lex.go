package query

import (
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
)

// kind is the kind of a token.
type kind uint8

const (
	space  kind = iota // and comments
	word               // keyword or name, quoted names included
	quoted             // string or blob literal
	param              // ?, ?1, :name, @name, $name
	semi               // the end of a statement
	other              // number, operator, punctuation, and what is quoted and never ends
)

// token is a part of an SQL text, by offsets in bytes.
type token struct {
	kind       kind
	start, end int
}

// lexemes yields all parts of an SQL text in order. Any text has some: what SQLite would refuse
// is left to SQLite.
func lexemes(text string) iter.Seq[token] {
	return func(yield func(token) bool) {
		for pos := 0; pos < len(text); {
			k, n := scan(text[pos:])
			if !yield(token{k, pos, pos + n}) {
				return
			}
			pos += n
		}
	}
}

// tokens yields the parts of an SQL text without space and comments.
func tokens(text string) iter.Seq[token] {
	return func(yield func(token) bool) {
		for t := range lexemes(text) {
			if t.kind != space && !yield(t) {
				return
			}
		}
	}
}

// scan returns the kind and the length of what a text begins with.
func scan(s string) (kind, int) {
	switch c := s[0]; {
	case strings.IndexByte(" \t\r\n\f", c) >= 0:
		return space, 1
	case strings.HasPrefix(s, "--"):
		line, _, _ := strings.Cut(s, "\n")
		return space, min(len(line)+1, len(s))
	case strings.HasPrefix(s, "/*"):
		if end := strings.Index(s[2:], "*/"); end >= 0 {
			return space, end + 4
		}
		return other, len(s)
	case c == ';':
		return semi, 1
	case c == '\'':
		return literal(s, quoted)
	case c == '"' || c == '`' || c == '[':
		return literal(s, word)
	case (c == 'x' || c == 'X') && strings.HasPrefix(s[1:], "'"):
		k, n := literal(s[1:], quoted)
		return k, 1 + n
	case c == '?' || strings.IndexByte(":@$", c) >= 0 && wordLen(s[1:]) > 0:
		return param, 1 + wordLen(s[1:])
	case c >= '0' && c <= '9' || c == '.' && len(s) > 1 && s[1] >= '0' && s[1] <= '9':
		return other, len(s) - len(strings.TrimLeftFunc(s, func(c rune) bool { return c == '.' || isWord(c) }))
	case c != '$' && isWord(rune(c)):
		return word, wordLen(s)
	}
	return other, 1
}

// literal returns the length of what is quoted. A doubled quote does not end it.
func literal(s string, k kind) (kind, int) {
	end := s[0]
	if end == '[' {
		end = ']'
	}
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] != end:
		case end != ']' && strings.HasPrefix(s[i+1:], s[:1]):
			i++
		default:
			return k, i + 1
		}
	}
	return other, len(s)
}

func isWord(c rune) bool {
	return c == '_' || c == '$' || c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// wordLen counts the leading bytes of s that continue a word.
func wordLen(s string) int { return len(s) - len(strings.TrimLeftFunc(s, isWord)) }

// Statement is one statement of an SQL text.
type Statement struct {
	SQL    string // without the semicolon
	Offset int    // of SQL in the text, in bytes

	names      []string // of its parameters, each once, without their first character
	positional int      // how many values without a name it takes
}

// Split cuts a text into its statements, leaving out empty ones.
func Split(text string) (all []Statement) {
	begun := false
	for t := range tokens(text) {
		if t.kind == semi {
			begun = false
			continue
		}
		if !begun {
			all, begun = append(all, Statement{Offset: t.start}), true
		}
		s := &all[len(all)-1]
		s.SQL = text[s.Offset:t.end]
		if t.kind == param {
			s.parameter(text[t.start:t.end])
		}
	}
	return all
}

// parameter notes a parameter of the statement.
func (s *Statement) parameter(text string) {
	switch name := text[1:]; {
	case text == "?":
		s.positional++
	case text[0] == '?':
		if n, err := strconv.ParseUint(name, 10, 15); err == nil { // SQLite has no higher numbers
			s.positional = max(s.positional, int(n))
		}
	case !slices.Contains(s.names, name):
		s.names = append(s.names, name)
	}
}

// Complete reports whether text ends with a statement's semicolon, so that a
// prompt need not ask for more.
func Complete(text string) bool {
	if !strings.Contains(text, ";") { // a prompt asks after each line of a long statement
		return false
	}
	var last token
	for t := range tokens(text) {
		last = t
	}
	return last.kind == semi
}

// OneLine returns an SQL text that does the same and has no line breaks: a comment to
// the end of its line becomes one in /* */, and a string is put together around each
// break. ok is false where that cannot be done, as for a name with a line break.
func OneLine(text string) (line string, ok bool) {
	var b strings.Builder
	for t := range lexemes(text) {
		piece := text[t.start:t.end]
		switch {
		case strings.HasPrefix(piece, "--"):
			piece = "/*" + strings.ReplaceAll(strings.TrimRight(piece[2:], "\r\n"), "*/", "* /") + "*/ "
		case t.kind == space:
			piece = strings.ReplaceAll(piece, "\n", " ")
		case !strings.Contains(piece, "\n"):
		case t.kind == quoted && piece[0] == '\'':
			piece = "(" + strings.ReplaceAll(piece, "\n", "'||char(10)||'") + ")"
		default:
			return "", false
		}
		b.WriteString(piece)
	}
	return strings.TrimSpace(b.String()), true
}

// Args are the values for the parameters of SQL.
type Args struct {
	Named      map[string]driver.Value // by name without : @ or $
	Positional []driver.Value          // for ?, ?1, ?2; and for the parameters of a named query, in its order
}

// ParseValue gives a value that was typed its type: null, an integer (also 0x
// and up to 16 hex digits, whose highest bit makes it negative, as hashes are
// stored), a real (with a point or an exponent), 'text' in single quotes, x'hex'
// for a blob; anything else is text as it is. What would not print the same
// as it was typed stays text: 007, +1, and integers of more than 64 bits.
func ParseValue(s string) driver.Value {
	switch {
	case strings.EqualFold(s, "null"):
		return nil
	case len(s) >= 2 && s[0] == '\'' && s[len(s)-1] == '\'':
		return strings.ReplaceAll(s[1:len(s)-1], "''", "'")
	case len(s) >= 3 && (s[0] == 'x' || s[0] == 'X') && s[1] == '\'' && s[len(s)-1] == '\'':
		if b, err := hex.DecodeString(s[2 : len(s)-1]); err == nil {
			return b
		}
	case strings.HasPrefix(s, "0x"):
		if n, err := strconv.ParseUint(s[2:], 16, 64); err == nil {
			return int64(n)
		}
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && strconv.FormatInt(n, 10) == s {
		return n
	}
	if f, ok := parseReal(s); ok {
		return f
	}
	return s
}

// parseReal accepts decimal reals alone: no inf, no hex, no underscores.
func parseReal(s string) (float64, bool) {
	if !strings.ContainsAny(s, "0123456789") || !strings.ContainsAny(s, ".eE") || strings.Trim(s, "0123456789.eE+-") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil && !math.IsInf(f, 0)
}

// ParseArg splits name=value and types the value.
func ParseArg(s string) (name string, v driver.Value, err error) {
	name, text, ok := strings.Cut(s, "=")
	name = strings.TrimLeft(name, ":@$")
	if !ok || name == "" || wordLen(name) != len(name) {
		return "", nil, Usagef("a parameter is given as name=value", "parameter %q", s)
	}
	return name, ParseValue(text), nil
}

// bind returns the values that a statement needs, in the driver's form.
func (a Args) bind(s Statement) ([]driver.NamedValue, error) {
	var missing []string
	for i := len(a.Positional); i < s.positional; i++ {
		missing = append(missing, fmt.Sprintf("?%d", i+1))
	}
	var values []driver.NamedValue
	for _, v := range a.Positional {
		values = append(values, driver.NamedValue{Ordinal: len(values) + 1, Value: v})
	}
	for _, name := range s.names {
		v, ok := a.Named[name]
		if !ok {
			missing = append(missing, ":"+name)
		}
		values = append(values, driver.NamedValue{Ordinal: len(values) + 1, Name: name, Value: v})
	}
	if len(missing) > 0 {
		return nil, Usagef("give it with -p name=value, or as an argument for ?",
			"no value for parameter %s", strings.Join(missing, ", "))
	}
	return values, nil
}

// Parameters returns the names of the parameters of an SQL text, in order of appearance.
func Parameters(text string) (all []string) {
	for _, s := range Split(text) {
		all = append(all, s.names...)
	}
	return all
}
