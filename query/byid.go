package query

import (
	"slices"
	"strings"
)

// A text that a view computes for each row, as a path, costs thirty times what its id
// does when it is compared for a million rows. Where such texts of two views are
// compared, texts are equal if and only if ids are, and NULL where ids are.

// idColumns are the columns of views that have such texts, and those of their ids.
var idColumns = map[string]string{"path": "path_id", "content": "content_id"}

// identified are views of which [idColumns] are true, and whose ids mean the same.
var identified = []string{"entries", "files", "chunks", "packages", "exports", "imports", "sums"}

// byID returns a statement with a.path = b.path written as a.path_id = b.path_id, and
// likewise for <> and for contents, where a and b are views that have ids. Other statements are
// returned as they are.
func byID(sql string) string {
	all, words := split(sql)
	if slices.Contains(words, "between") || slices.Contains(words, "collate") { // whose AND is no conjunction
		return sql
	}
	var aliases map[string]bool
	var b strings.Builder
	written := 0
	for i := range words {
		second := comparesTexts(words, i)
		if second == 0 {
			continue
		}
		if aliases == nil {
			aliases = identifiedAliases(words)
		}
		if !aliases[words[i]] || !aliases[words[second]] || words[i] == words[second] {
			continue
		}
		for _, column := range []int{i + 2, second + 2} {
			b.WriteString(sql[written:all[column].start] + idColumns[words[column]])
			written = all[column].end
		}
	}
	return b.String() + sql[written:]
}

// comparesTexts returns where the second name stands if a condition begins at a word
// that is a.path = b.path, or <>, and nothing more; 0 if not.
func comparesTexts(words []string, i int) (second int) {
	if i == 0 || i+6 >= len(words) || !slices.Contains([]string{"on", "and", "where", "("}, words[i-1]) {
		return 0
	}
	switch words[i+3] + words[i+4] { // signs are tokens of one character
	case "==", "<>", "!=":
		second = i + 5
	default:
		if words[i+3] != "=" {
			return 0
		}
		second = i + 4
	}
	next := second + 3
	if next > len(words) || words[i+1] != "." || words[second+1] != "." || words[i+2] != words[second+2] || idColumns[words[i+2]] == "" {
		return 0
	}
	if next == len(words) || slices.Contains([]string{";", ")", "and", "where", "group", "order", "limit", "union", "except", "intersect",
		"join", "left", "inner", "cross", "window"}, words[next]) {
		return second
	}
	return 0
}

// identifiedAliases returns by which names a statement knows [identified] views alone.
func identifiedAliases(words []string) map[string]bool {
	aliases := map[string]bool{}
	for i, w := range words {
		next := func(n int) string {
			if i+n < len(words) {
				return words[i+n]
			}
			return ""
		}
		name := next(1)
		switch {
		case w == "," && next(2) == ".": // the columns of a SELECT
			continue
		case !slices.Contains([]string{"from", "join", ","}, w):
			if (next(1) == "as" || next(1) == "(") && slices.Contains(identified, w) { // WITH entries AS (...)
				if next(2) == "(" || next(2) == "materialized" || next(2) == "not" || next(1) == "(" {
					return nil
				}
			}
			continue
		case next(2) == "as":
			name = next(3)
		case isAlias(next(2)):
			name = next(2)
		}
		if _, again := aliases[name]; again { // of another part of the statement, it may be
			aliases[name] = aliases[name] && slices.Contains(identified, next(1))
		} else {
			aliases[name] = slices.Contains(identified, next(1))
		}
	}
	return aliases
}

// isAlias reports whether a word after the name of a table is another name for it.
func isAlias(text string) bool {
	return text != "" && isWord(text[0]) && !slices.Contains([]string{"on", "join", "left", "inner", "cross", "natural", "using", "where",
		"group", "order", "limit", "union", "except", "intersect", "window", "indexed", "not", "outer", "full", "right", "having"}, text)
}
