package search

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Query is a list of terms, all of which must match.
type Query struct {
	Text  string // as it was given, without spaces around it
	lower string
	terms []term
}

// term is a word, the start of one, or words in a row.
type term struct {
	text   string   // in lower case, without quotes and star
	words  []string // all of them; of "UltronBoss" its parts
	whole  string   // or this one, "ultronboss"; "" for none
	prefix bool     // the last word may go on
	phrase bool     // the text occurs as it is
}

// Parse reads a query: words, starts of words that end in *, and "words in a
// row" in quotes. Case and accents do not matter. A query without a word matches nothing.
func Parse(text string) *Query {
	q := &Query{Text: strings.TrimSpace(text)}
	q.lower = strings.ToLower(q.Text)
	rest := q.Text
	for rest != "" {
		var part string
		quoted := rest[0] == '"'
		if quoted {
			part, rest, _ = strings.Cut(rest[1:], `"`)
		} else {
			end := strings.IndexFunc(rest, func(r rune) bool { return r == '"' || unicode.IsSpace(r) })
			if end < 0 {
				end = len(rest)
			}
			part, rest = rest[:end], rest[end:]
		}
		q.add(part, quoted)
		rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
	}
	return q
}

func (q *Query) add(part string, quoted bool) {
	t := term{phrase: quoted}
	if !quoted && strings.HasSuffix(part, "*") {
		t.prefix = true
		part = strings.TrimRight(part, "*")
	}
	t.text = strings.ToLower(part)
	var parts []string
	whole, n := "", 0
	EachWord(part, func(word string, inner bool) {
		if inner {
			parts = append(parts, word)
			return
		}
		whole = word
		n++
		t.words = append(t.words, word)
	})
	if n == 1 && len(parts) > 1 && !t.prefix {
		t.words, t.whole = parts, whole
	}
	if last := len(t.words) - 1; last > 0 && utf8.RuneCountInString(t.words[last]) == 1 && t.words[last] >= "\u0e00" {
		t.words = t.words[:last] // the pair before it has the character
	} else if last == 0 && t.words[0] >= "\u0e00" && utf8.RuneCountInString(t.words[0]) == 1 {
		t.prefix = true // pairs that begin with it
	}
	if len(t.words) > 0 {
		q.terms = append(q.terms, t)
	}
}

// Match returns the query in the language of FTS5.
func (q *Query) Match() string {
	var all []string
	for _, t := range q.terms {
		var words []string
		for i, w := range t.words {
			w = `"` + w + `"`
			if t.prefix && i == len(t.words)-1 {
				w += "*"
			}
			words = append(words, w)
		}
		one := strings.Join(words, " AND ")
		if t.whole != "" {
			one = `"` + t.whole + `" OR (` + one + ")"
		}
		all = append(all, "("+one+")")
	}
	return strings.Join(all, " AND ")
}

// Longest returns the longest word of ASCII that is looked for, "" for none: a text of ASCII
// that matches has it somewhere.
func (q *Query) Longest() (longest string) {
	for i := range q.terms {
		for _, w := range q.terms[i].words {
			if len(w) > len(longest) && isASCII(w) {
				longest = w
			}
		}
	}
	return longest
}

// Line returns the line of a text that has most of the terms, the first of these, and its
// number; first is that of the text's first line.
func (q *Query) Line(text, first string) (line, place string) {
	number, _ := strconv.Atoi(first)
	best := -1
	for i, l := range strings.Split(text, "\n") {
		words := Words(l)
		n := 0
		for k := range q.terms {
			if q.terms[k].isIn(words, l) {
				n++
			}
		}
		if n > best {
			best, line, place = n, l, "line "+strconv.Itoa(number+i)
		}
	}
	return line, place
}

// Matches reports whether a text has all terms.
func (q *Query) Matches(text string) bool {
	if len(q.terms) == 0 {
		return false
	}
	words := Words(text)
	for i := range q.terms {
		if !q.terms[i].isIn(words, text) {
			return false
		}
	}
	return true
}

func (t *term) isIn(words []string, text string) bool {
	if t.phrase && !strings.Contains(strings.ToLower(text), t.text) {
		return false
	}
	if t.whole != "" && has(words, t.whole, false) {
		return true
	}
	for i, w := range t.words {
		if !has(words, w, t.prefix && i == len(t.words)-1) {
			return false
		}
	}
	return true
}

func has(words []string, word string, prefix bool) bool {
	for _, w := range words {
		if w == word || prefix && strings.HasPrefix(w, word) {
			return true
		}
	}
	return false
}

// Score is how well a text that matches fits: less is better. A text that is what was
// looked for is the best, then one that begins with it, then one that has it as it is;
// short ones are better than long ones.
func (q *Query) Score(text string) int {
	lower := strings.ToLower(text)
	rank := 3
	switch at := strings.Index(lower, q.lower); {
	case lower == q.lower:
		rank = 0
	case at == 0:
		rank = 1
	case at > 0:
		rank = 2
	}
	return rank<<32 + min(len(text), 1<<32-1)
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Words returns the words of the query, none if there is nothing to look for.
func (q *Query) Words() (all []string) {
	for _, t := range q.terms {
		all = append(all, t.words...)
	}
	return all
}

// Parts returns the texts of the terms, which may be parts of words in paths.
func (q *Query) Parts() (all []string) {
	for _, t := range q.terms {
		all = append(all, t.text)
	}
	return all
}

// Leading returns the parts by which paths are looked up: a short one takes a look at each
// path, which is done where all of them are short.
func (q *Query) Leading() []string {
	parts := q.Parts()
	if long := slices.DeleteFunc(q.Parts(), func(part string) bool { return Trigrams(part) == "" }); len(long) > 0 {
		return long
	}
	return parts
}

// InPath reports whether a path has all terms; they may be parts of words.
func (q *Query) InPath(path string) bool {
	path = strings.ToLower(path)
	return !slices.ContainsFunc(q.terms, func(t term) bool { return !strings.Contains(path, t.text) })
}

// PathScore is the score of a path: by the name of the file, without its extension.
func (q *Query) PathScore(path string) int {
	name := path[strings.LastIndexByte(path, '/')+1:]
	if i := strings.LastIndexByte(name, '.'); i > 0 && !strings.Contains(q.Text, ".") {
		name = name[:i]
	}
	return q.Score(name)
}
