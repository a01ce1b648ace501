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
	word   kind = iota // keyword or name, quoted names included
	number             // numeric literal
	quoted             // string or blob literal
	param              // ?, ?1, :name, @name, $name
	semi               // the end of a statement
	sign               // operator or punctuation
	broken             // a literal or a comment that never ends
)

// token is a part of an SQL text, by offsets in bytes.
type token struct {
	kind       kind
	start, end int
}

// tokens yields the tokens of an SQL text in order, without space and
// comments. Any text has tokens: what SQLite would refuse is left to SQLite.
func tokens(text string) iter.Seq[token] {
	return func(yield func(token) bool) {
		for pos := 0; pos < len(text); {
			t, ok := scan(text, pos)
			if ok && !yield(t) {
				return
			}
			pos = t.end
		}
	}
}

// scan reads what starts at pos; ok is false for space and comments. The token
// is never empty.
func scan(text string, pos int) (t token, ok bool) {
	t = token{start: pos, end: pos + 1}
	rest := text[pos:]
	switch c := rest[0]; {
	case strings.IndexByte(" \t\r\n\f", c) >= 0:
		return t, false
	case strings.HasPrefix(rest, "--"):
		t.end = pos + upTo(rest, "\n", 2)
		return t, false
	case strings.HasPrefix(rest, "/*"):
		t.kind = broken
		t.end = pos + upTo(rest, "*/", 2)
		return t, !strings.HasSuffix(rest[2:t.end-pos], "*/")
	case c == ';':
		t.kind = semi
	case c == '\'':
		t.kind, t.end = literal(text, pos, quoted)
	case c == '"' || c == '`' || c == '[':
		t.kind, t.end = literal(text, pos, word)
	case (c == 'x' || c == 'X') && strings.HasPrefix(rest[1:], "'"):
		t.kind, t.end = literal(text, pos+1, quoted)
	case c == '?' || c == ':' || c == '@' || c == '$':
		t.end += wordLen(rest[1:])
		if t.kind = param; t.end == pos+1 && c != '?' {
			t.kind = sign
		}
	case c >= '0' && c <= '9' || c == '.' && len(rest) > 1 && rest[1] >= '0' && rest[1] <= '9':
		t.kind, t.end = number, pos+digits(rest)
	case isWord(rune(c)):
		t.kind, t.end = word, pos+wordLen(rest)
	default:
		t.kind = sign
	}
	return t, true
}

// upTo returns the length of s up to and with the first mark after from.
func upTo(s, mark string, from int) int {
	if i := strings.Index(s[from:], mark); i >= 0 {
		return from + i + len(mark)
	}
	return len(s)
}

// literal finds the end of what is quoted at pos, where a doubled quote stands
// for itself.
func literal(text string, pos int, k kind) (kind, int) {
	end := text[pos]
	if end == '[' {
		end = ']'
	}
	for i := pos + 1; i < len(text); i++ {
		if text[i] != end {
			continue
		}
		if end == ']' || i+1 == len(text) || text[i+1] != end {
			return k, i + 1
		}
		i++
	}
	return broken, len(text)
}

func isWord(c rune) bool {
	return c == '_' || c == '$' || c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// wordLen counts the leading bytes of s that continue a word.
func wordLen(s string) int { return len(s) - len(strings.TrimLeftFunc(s, isWord)) }

// digits counts the leading bytes of s that continue a number, signs of
// exponents included.
func digits(s string) int {
	for i := range len(s) {
		exponent := i > 0 && (s[i] == '+' || s[i] == '-') && (s[i-1] == 'e' || s[i-1] == 'E') &&
			!strings.HasPrefix(s, "0x") && !strings.HasPrefix(s, "0X")
		if !isWord(rune(s[i])) && s[i] != '.' && !exponent {
			return i
		}
	}
	return len(s)
}

// Statement is one statement of an SQL text.
type Statement struct {
	SQL    string // without the semicolon
	Offset int    // of SQL in the text, in bytes
}

// Split cuts a text into its statements, leaving out empty ones.
func Split(text string) []Statement {
	var all []Statement
	start, end := -1, 0
	flush := func() {
		if start >= 0 {
			all = append(all, Statement{SQL: text[start:end], Offset: start})
		}
		start = -1
	}
	for t := range tokens(text) {
		if t.kind == semi {
			flush()
			continue
		}
		if start < 0 {
			start = t.start
		}
		end = t.end
	}
	flush()
	return all
}

// Complete reports whether text ends with a statement's semicolon, so that a
// prompt need not ask for more.
func Complete(text string) bool {
	last := token{kind: sign}
	for t := range tokens(text) {
		last = t
	}
	return last.kind == semi
}

// parameters returns the names of the parameters of a statement, each once, in
// order of appearance and without their first character; and how many values
// without a name it takes.
func parameters(sql string) (names []string, positional int) {
	seen := map[string]bool{}
	for t := range tokens(sql) {
		if t.kind != param {
			continue
		}
		name := sql[t.start+1 : t.end]
		switch {
		case sql[t.start] == '?' && name == "":
			positional++
		case sql[t.start] == '?':
			positional = max(positional, atoi(name))
		case !seen[name]:
			seen[name] = true
			names = append(names, name)
		}
	}
	return names, positional
}

// OneLine returns an SQL text that does the same and has no line breaks: a comment to
// the end of its line becomes one in /* */, and a string is put together around each
// break. ok is false where that cannot be done, as for a name with a line break.
func OneLine(text string) (line string, ok bool) {
	var b strings.Builder
	for pos := 0; pos < len(text); {
		t, isToken := scan(text, pos)
		piece := text[t.start:t.end]
		switch pos = t.end; {
		case isToken && t.kind == quoted && piece[0] == '\'' && strings.Contains(piece, "\n"):
			piece = "(" + strings.ReplaceAll(piece, "\n", "'||char(10)||'") + ")"
		case isToken && strings.Contains(piece, "\n"):
			return "", false
		case !isToken && strings.HasPrefix(piece, "--"):
			piece = "/*" + strings.ReplaceAll(strings.TrimRight(piece[2:], "\r\n"), "*/", "* /") + "*/ "
		case !isToken:
			piece = strings.ReplaceAll(piece, "\n", " ")
		}
		b.WriteString(piece)
	}
	return strings.TrimSpace(b.String()), true
}

// IsStatement reports whether a text is a statement that yields rows rather than a
// pattern of paths: SELECT or WITH, and what follows.
func IsStatement(text string) bool {
	word, _, more := strings.Cut(strings.TrimSpace(text), " ")
	return more && (strings.EqualFold(word, "select") || strings.EqualFold(word, "with"))
}

// Args are the values for the parameters of SQL.
type Args struct {
	Named      map[string]driver.Value // by name without : @ or $
	Positional []driver.Value          // for ?, ?1, ?2; and for the parameters of a named query, in its order
}

// maxPositional is SQLite's own limit for ?NNN.
const maxPositional = 32766

// atoi returns a parameter's number, 0 if it is none; it is bounded so that
// what a statement says is never allocated.
func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > maxPositional {
		return 0
	}
	return n
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
func (a Args) bind(sql string) ([]driver.NamedValue, error) {
	names, positional := parameters(sql)
	var missing []string
	for i := len(a.Positional); i < positional; i++ {
		missing = append(missing, fmt.Sprintf("?%d", i+1))
	}
	var values []driver.NamedValue
	for _, v := range a.Positional {
		values = append(values, driver.NamedValue{Ordinal: len(values) + 1, Value: v})
	}
	for _, name := range names {
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

// Parameters returns the names of the parameters of an SQL text, each once.
func Parameters(text string) (all []string) {
	for _, s := range Split(text) {
		names, _ := parameters(s.SQL)
		all = append(all, names...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// check reports values that no statement takes: most likely a typing error.
func (a Args) check(statements []Statement) error {
	var known []string
	positional := 0
	for _, s := range statements {
		names, n := parameters(s.SQL)
		known = append(known, names...)
		positional = max(positional, n)
	}
	if len(a.Positional) > positional {
		return Usagef("arguments bind ?; named parameters are given with -p name=value",
			"%d arguments for %d positional parameters", len(a.Positional), positional)
	}
	for name := range a.Named {
		if !slices.Contains(known, name) {
			return Usagef(suggest(name, known), "no parameter :%s in the SQL", name)
		}
	}
	return nil
}
