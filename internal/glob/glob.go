// Package glob matches the paths of entries with the patterns that users type.
package glob

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// ErrPattern is the class of errors of a pattern that cannot be parsed.
var ErrPattern = errors.New("pattern")

// Glob is a pattern for paths of entries: * and ? stay within a folder, ** goes
// across, [a-z] is one of several, {a,b} one or the other. A pattern without a
// slash is for the last part of a path; one that ends in a slash takes all that
// is below. A backslash counts as a slash, as people paste such paths.
//
// There is nothing to explode: a mismatch goes back to the last * or the last **,
// never to one before it.
type Glob struct {
	given string // as it was typed
	text  string
	alts  [][]token // any of them
	base  bool      // for the last part alone
	fold  bool      // upper and lower case are the same
}

type token struct {
	kind tokenKind
	lit  rune
	set  []runeRange
	not  bool
}

type runeRange struct{ lo, hi rune }

type tokenKind uint8

const (
	literal tokenKind = iota
	anyOne            // ?
	oneOf             // [...]
	star              // *
	across            // **
	folders           // **/: any number of whole folders
)

// maxAlternatives bounds what braces expand to.
const maxAlternatives = 1024

// Is reports whether a text has characters that only patterns need.
func Is(text string) bool { return strings.ContainsAny(text, "*?[{") }

// Parse parses a pattern; fold makes it ignore case. It fails with ErrPattern for a [
// or { that is not closed, and for braces of more than 1024 alternatives.
func Parse(text string, fold bool) (*Glob, error) {
	pattern := strings.ReplaceAll(text, `\`, "/")
	if strings.HasSuffix(pattern, "/") {
		pattern += "**"
	}
	g := &Glob{given: text, text: strings.ReplaceAll(text, `\`, "/"), base: !strings.Contains(pattern, "/"), fold: fold}
	if fold {
		g.text, pattern = strings.ToLower(g.text), strings.ToLower(pattern)
	}
	all, err := expandBraces(pattern, nil)
	if err != nil {
		return nil, fmt.Errorf("%w %q: %w", ErrPattern, text, err)
	}
	for _, alternative := range all {
		tokens, err := tokenize(alternative)
		if err != nil {
			return nil, fmt.Errorf("%w %q: %w", ErrPattern, text, err)
		}
		g.alts = append(g.alts, tokens)
	}
	return g, nil
}

// String returns the pattern as it was typed.
func (g *Glob) String() string { return g.given }

// Text returns the pattern with slashes for backslashes, in lower case if it ignores
// case.
func (g *Glob) Text() string { return g.text }

// Match reports whether path matches. A path always matches itself, whatever
// of it would mean something in a pattern.
func (g *Glob) Match(path string) bool {
	if g.fold {
		path = strings.ToLower(path)
	}
	if path == g.text {
		return true
	}
	if g.base {
		path = path[strings.LastIndexByte(path, '/')+1:]
	}
	for _, tokens := range g.alts {
		if matchTokens(tokens, path) {
			return true
		}
	}
	return false
}

// matchTokens walks both from left to right. On a mismatch the last star takes
// one character more; when that is a slash, the last ** does.
func matchTokens(tokens []token, s string) bool {
	type mark struct{ token, at int }
	near, far := mark{-1, 0}, mark{-1, 0} // where * and ** go back to
	i, at := 0, 0
	for {
		if i < len(tokens) {
			switch t := tokens[i]; t.kind {
			case star:
				near = mark{i, at}
				i++
				continue
			case across, folders:
				far, near = mark{i, at}, mark{-1, 0}
				i++
				continue
			default:
				if n := t.take(s[at:]); n > 0 {
					i, at = i+1, at+n
					continue
				}
			}
		} else if at == len(s) {
			return true
		}
		switch {
		case near.token >= 0 && near.at < len(s) && s[near.at] != '/':
			_, n := utf8.DecodeRuneInString(s[near.at:])
			near.at += n
			i, at = near.token+1, near.at
		case far.token >= 0 && advance(tokens[far.token].kind, s, &far.at):
			near = mark{-1, 0}
			i, at = far.token+1, far.at
		default:
			return false
		}
	}
}

// advance moves at to the next place where what follows a ** may begin.
func advance(kind tokenKind, s string, at *int) bool {
	if *at >= len(s) {
		return false
	}
	if kind == across {
		_, n := utf8.DecodeRuneInString(s[*at:])
		*at += n
		return true
	}
	n := strings.IndexByte(s[*at:], '/')
	*at += n + 1
	return n >= 0
}

// take returns how many bytes of s a token for one character takes, 0 for none.
func (t *token) take(s string) int {
	if s == "" {
		return 0
	}
	r, n := utf8.DecodeRuneInString(s)
	switch t.kind {
	case literal:
		if r == t.lit {
			return n
		}
	case anyOne:
		if r != '/' {
			return n
		}
	case oneOf:
		if r != '/' && t.has(r) {
			return n
		}
	}
	return 0
}

func (t *token) has(r rune) bool {
	for _, x := range t.set {
		if x.lo <= r && r <= x.hi {
			return !t.not
		}
	}
	return t.not
}

func tokenize(pattern string) ([]token, error) {
	var tokens []token
	for p := pattern; p != ""; {
		switch {
		case strings.HasPrefix(p, "**/") && (len(p) == len(pattern) || pattern[len(pattern)-len(p)-1] == '/'):
			tokens, p = append(tokens, token{kind: folders}), p[3:]
		case strings.HasPrefix(p, "**"):
			tokens, p = append(tokens, token{kind: across}), strings.TrimLeft(p, "*")
		case p[0] == '*':
			tokens, p = append(tokens, token{kind: star}), p[1:]
		case p[0] == '?':
			tokens, p = append(tokens, token{kind: anyOne}), p[1:]
		case p[0] == '[':
			t, rest, err := parseSet(p[1:])
			if err != nil {
				return nil, err
			}
			tokens, p = append(tokens, t), rest
		default:
			r, n := utf8.DecodeRuneInString(p)
			tokens, p = append(tokens, token{lit: r}), p[n:]
		}
	}
	return tokens, nil
}

// parseSet parses the text after an opening bracket: a-z, !a-z, and ] as the first.
func parseSet(p string) (t token, rest string, err error) {
	t.kind = oneOf
	if p != "" && (p[0] == '!' || p[0] == '^') {
		t.not, p = true, p[1:]
	}
	for first := true; p != ""; first = false {
		if p[0] == ']' && !first {
			return t, p[1:], nil
		}
		lo, n := utf8.DecodeRuneInString(p)
		p = p[n:]
		hi := lo
		if len(p) >= 2 && p[0] == '-' && p[1] != ']' {
			hi, n = utf8.DecodeRuneInString(p[1:])
			p = p[1+n:]
		}
		t.set = append(t.set, runeRange{lo, hi})
	}
	return t, "", fmt.Errorf("a [ without its ]")
}

// expandBraces appends the alternatives of the first {a,b} and of those after it.
func expandBraces(pattern string, all []string) ([]string, error) {
	open := strings.IndexByte(pattern, '{')
	if open < 0 {
		if len(all) >= maxAlternatives {
			return nil, fmt.Errorf("more than %d alternatives", maxAlternatives)
		}
		return append(all, pattern), nil
	}
	end := strings.IndexByte(pattern[open:], '}')
	if end < 0 {
		return nil, fmt.Errorf("a { without its }")
	}
	var err error
	for option := range strings.SplitSeq(pattern[open+1:open+end], ",") {
		if all, err = expandBraces(pattern[:open]+option+pattern[open+end+1:], all); err != nil {
			return nil, err
		}
	}
	return all, nil
}
