package query

import (
	"fmt"
	"slices"
	"strings"
)

// computed are columns of views that are computed for each row.
var computed = []string{"path", "target_path", "import_path", "content", "guid", "asset_id", "path_hash", "package", "package_id", "import_id",
	"target", "name", "dir"}

// Advice returns why a statement may be slow and what to write in its place, in one
// line; "" if its text shows no reason. It reads the text alone, so a statement that
// it warns of may still be fast on a small catalog: show it when one takes long.
func Advice(sql string) string {
	_, words := split(sql)
	for i := range words {
		for _, advise := range []func([]string, int) string{adviseFunction, advisePattern} {
			if text := advise(words, i); text != "" {
				return text
			}
		}
	}
	return ""
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

// adviseFunction looks for lower(path) = '...': rows are found by columns, not by what a
// function makes of them.
func adviseFunction(words []string, i int) string {
	if !slices.Contains([]string{"lower", "upper", "substr", "instr", "replace"}, words[i]) || i+3 >= len(words) || words[i+1] != "(" {
		return ""
	}
	column, end := words[i+2], i+3
	if words[end] == "." && end+2 < len(words) {
		column, end = words[end+1], end+2
	}
	if !slices.Contains(computed, column) || words[end] != ")" && words[end] != "," {
		return ""
	}
	for end < len(words) && words[end] != ")" {
		end++
	}
	if end+1 >= len(words) || !isEqual(words[end+1]) && words[end+1] != "in" && words[end+1] != "like" {
		return ""
	}
	if words[i] == "lower" || words[i] == "upper" {
		return fmt.Sprintf("%s(%s) finds no rows by an index: %[2]s = '...' COLLATE NOCASE does", words[i], column)
	}
	return fmt.Sprintf("%s(%s) finds no rows by an index: %[2]s = and GLOB 'Folder/*' do", words[i], column)
}

// advisePattern looks for patterns of paths of all builds.
func advisePattern(words []string, i int) string {
	if i == 0 || i+1 >= len(words) || !slices.Contains(computed, words[i-1]) || slices.Contains(words, "build") {
		return ""
	}
	if words[i] == "like" || words[i] == "regexp" || words[i] == "glob" && strings.HasPrefix(words[i+1], "'*") {
		return fmt.Sprintf("%s looks at every %s of all builds: say which with build = '...'", strings.ToUpper(words[i]), words[i-1])
	}
	return ""
}

func isEqual(word string) bool { return word == "=" || word == "==" || word == "is" }
