package shell

import (
	"context"
	"maps"
	"slices"
	"strings"

	"pakdb/query"
	"pakdb/schema"
)

// completer proposes what may follow. It asks the catalog when first used.
type completer struct {
	shell  *shell
	ctx    context.Context
	loaded bool

	views, tableFunctions, columns, functions, builds []string
}

// complete implements liner.WordCompleter: it returns the text before the word that ends
// at pos, the words that it may become, and the text after it. The letters typed keep
// their case.
func (c *completer) complete(line string, pos int) (head string, words []string, tail string) {
	text := string([]rune(line)[:pos])
	start, known := c.candidates(c.shell.text.String(), text)
	typed := text[start:]
	for _, k := range known {
		if len(k) > len(typed) && strings.EqualFold(k[:len(typed)], typed) {
			words = append(words, typed+k[len(typed):])
		}
	}
	return text[:start], words, line[len(text):]
}

// candidates returns where the word before the cursor starts, and the words that it may
// become. before is the SQL of earlier lines.
func (c *completer) candidates(before, line string) (start int, known []string) {
	c.load()
	trimmed := strings.TrimLeft(line, " ")
	indent := len(line) - len(trimmed)
	switch {
	case before == "" && strings.HasPrefix(trimmed, "."):
		return c.dotted(trimmed, indent)
	case before == "" && strings.HasPrefix(trimmed, "@") && !strings.Contains(trimmed, " "):
		return indent, prefixed("@", c.shell.Library.Names())
	case before == "" && strings.HasPrefix(trimmed, "@"):
		return 1 + strings.LastIndexByte(line, ' '), append([]string{"--help", "--build"}, c.builds...)
	case strings.Count(before+line, "'")%2 == 1:
		return 1 + strings.LastIndexByte(line, '\''), c.builds
	}
	start = 1 + strings.LastIndexFunc(line, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
	words := strings.Fields(before + line[:start])
	switch {
	case start > 0 && line[start-1] == '.':
		return start, c.columns
	case len(words) > 0 && slices.Contains([]string{"FROM", "JOIN"}, strings.ToUpper(words[len(words)-1])):
		return start, slices.Concat(c.views, c.tableFunctions)
	}
	return start, slices.Concat(c.columns, c.views, c.functions, like(line[start:], keywords()))
}

// dotted completes commands and their arguments.
func (c *completer) dotted(line string, indent int) (int, []string) {
	name, arg, hasArg := strings.Cut(line, " ")
	start := indent + len(line) - len(strings.TrimLeft(arg, " "))
	switch {
	case !hasArg:
		var names []string
		for _, command := range commands() {
			word, _, _ := strings.Cut(command.usage, " ")
			names = append(names, word)
		}
		return indent, names
	case name == ".mode":
		return start, query.Formats()
	case name == ".schema", name == ".views":
		return start, c.views
	case name == ".param":
		return start, append(slices.Sorted(maps.Keys(c.shell.params)), "clear")
	case name == ".timer":
		return start, []string{"on", "off"}
	}
	return start, nil
}

func (c *completer) load() {
	if c.loaded {
		return
	}
	c.loaded = true
	c.builds, _ = c.shell.DB.Builds(c.ctx) // on an error none is proposed
	functions, _ := c.shell.DB.SQLFunctions(c.ctx)
	for _, f := range functions {
		c.functions = append(c.functions, f+"(")
	}
	for _, f := range c.shell.DB.TableFunctions {
		c.tableFunctions = append(c.tableFunctions, f.Name+"(")
		c.columns = append(c.columns, f.Columns...)
	}
	for _, v := range schema.Views() {
		c.views = append(c.views, v.Name)
		for _, column := range v.Columns {
			c.columns = append(c.columns, column.Name)
		}
	}
	slices.Sort(c.columns)
	c.columns = slices.Compact(c.columns)
}

func prefixed(prefix string, names []string) []string {
	all := make([]string, len(names))
	for i, n := range names {
		all[i] = prefix + n
	}
	return all
}

// like writes keywords in the case in which they are begun.
func like(typed string, words []string) []string {
	if typed == "" || typed != strings.ToLower(typed) {
		return words
	}
	lower := make([]string, len(words))
	for i, w := range words {
		lower[i] = strings.ToLower(w)
	}
	return lower
}

func keywords() []string {
	return strings.Fields("AND AS ASC BETWEEN BY CASE COLLATE COUNT CROSS DESC DISTINCT ELSE END EXCEPT EXISTS EXPLAIN " +
		"FILTER FROM GLOB GROUP HAVING IN INNER INTERSECT IS JOIN LEFT LIKE LIMIT MATERIALIZED NOT NULL OFFSET ON OR " +
		"ORDER OVER PARTITION PRAGMA RECURSIVE REGEXP SELECT THEN UNION USING VALUES WHEN WHERE WINDOW WITH")
}
