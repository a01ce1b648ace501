package query

import (
	"fmt"
	"slices"
	"strings"

	"pakdb/query/rewrite"
)

// keyColumns are the columns of views that are computed for each row, and the numbers
// beside them that they are computed from. Numbers have indexes.
var keyColumns = map[string]string{
	"path": "path_id", "target_path": "target_path_id", "import_path": "import_path_id",
	"content": "content_id", "guid": "guid_key", "asset_id": "asset_key", "path_hash": "path_hash_key",
	"package": "package_key", "package_id": "package_key", "import_id": "import_key", "target": "target_key",
}

// Advice returns why a statement may be slow and what to write in its place, in one
// line; "" if its text shows no reason. It reads the text alone, so a statement that
// it warns of may still be fast on a small catalog: show it when one takes long.
func Advice(sql string) string {
	_, words := split(byID(sql))
	for i := range words {
		for _, advise := range []func([]string, int) string{adviseFiles, adviseJoin, adviseFunction, advisePattern} {
			if text := advise(words, i); text != "" {
				return text
			}
		}
	}
	return ""
}

// reworded returns a statement in other words; see package rewrite.
func reworded(sql string) string {
	if sums := rewrite.Totals(sql, rewritable(sql)); sums != sql {
		return sums
	}
	if lifetimes := rewrite.Lifetimes(sql, rewritable(sql)); lifetimes != sql {
		return lifetimes
	}
	if fields := rewrite.Fields(sql, rewritable(sql)); fields != sql {
		return fields
	}
	return rewrite.Patterns(sql, rewritable(sql))
}

func rewritable(sql string) []rewrite.Token {
	all, words := split(sql)
	tokens := make([]rewrite.Token, len(all))
	for i, t := range all {
		tokens[i] = rewrite.Token{Text: words[i], Start: t.start, End: t.end, Name: t.kind == word}
	}
	return tokens
}

// split returns the tokens of a statement and their texts: words in lower case without
// quotes, literals with the quote that they begin with.
func split(sql string) (all []token, words []string) {
	for t := range tokens(sql) {
		text := sql[t.start:t.end]
		switch t.kind {
		case word:
			text = strings.ToLower(unquote(text))
		case quoted:
			text = "'" + text[1:]
		}
		all, words = append(all, t), append(words, text)
	}
	return all, words
}

// adviseFiles looks for conditions on paths of the view files.
func adviseFiles(words []string, i int) string {
	if i+1 >= len(words) || !slices.Contains(rewrite.Unindexed("files"), words[i]) || !isEqual(words[i+1]) && words[i+1] != "in" && words[i+1] != "glob" ||
		!slices.Contains(words, "files") || slices.Contains(words, "entries") {
		return ""
	}
	if i+4 < len(words) && words[i+3] == "." && words[i+4] == words[i] {
		return fmt.Sprintf("files has no index of %s: name the build of both with build = '...'", words[i])
	}
	return fmt.Sprintf("files has no index of %s, and is read whole: name the build, or ask entries by path", words[i])
}

// adviseJoin looks for a.path = b.path.
func adviseJoin(words []string, i int) string {
	if i < 3 || i+3 >= len(words) || !isEqual(words[i]) || words[i-2] != "." || words[i+2] != "." {
		return ""
	}
	column := words[i-1]
	key := keyColumns[column]
	if key == "" || words[i+3] != column {
		return ""
	}
	return fmt.Sprintf("compares %s, a text that is computed for each row: compare %s", column, key)
}

// adviseFunction looks for lower(path) = '...' and path = '...' COLLATE NOCASE.
func adviseFunction(words []string, i int) string {
	const why = "%s of %s is computed for each row: %[2]s = or GLOB finds texts as they are"
	if words[i] == "collate" && i+1 < len(words) && words[i+1] == "nocase" {
		for _, w := range words[max(i-3, 0):i] { // the column, a sign and a text
			if keyColumns[w] != "" {
				return fmt.Sprintf(why, "the collation", w)
			}
		}
		return ""
	}
	if !slices.Contains([]string{"lower", "upper", "substr", "instr", "replace"}, words[i]) || i+3 >= len(words) || words[i+1] != "(" {
		return ""
	}
	column, end := words[i+2], i+3
	if words[end] == "." && end+2 < len(words) {
		column, end = words[end+1], end+2
	}
	if keyColumns[column] == "" || words[end] != ")" && words[end] != "," {
		return ""
	}
	for end < len(words) && words[end] != ")" {
		end++
	}
	if end+1 >= len(words) || !isEqual(words[end+1]) && words[end+1] != "in" && words[end+1] != "like" {
		return ""
	}
	return fmt.Sprintf(why, words[i], column)
}

// advisePattern looks for path LIKE and for patterns that begin with any text.
func advisePattern(words []string, i int) string {
	if i == 0 || i+1 >= len(words) || keyColumns[words[i-1]] == "" && words[i-1] != "name" {
		return ""
	}
	switch pattern := words[i+1]; {
	case words[i] == "like" && strings.HasPrefix(pattern, "'") && !strings.HasPrefix(pattern, "'%"):
		return fmt.Sprintf("LIKE looks at every %s, whatever its case: GLOB 'Folder/*' looks into one folder", words[i-1])
	case words[i] == "like" || words[i] == "regexp" || words[i] == "glob" && strings.HasPrefix(pattern, "'*"):
		text := strings.ToUpper(words[i]) + " looks at every " + words[i-1]
		if !slices.Contains(words, "build") {
			return text + " of all builds: say which with build = '...'"
		}
		return text + " of the build: GLOB 'Folder/*' looks into one folder"
	}
	return ""
}

func isEqual(word string) bool { return word == "=" || word == "==" || word == "is" }
