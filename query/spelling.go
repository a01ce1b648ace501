package query

import (
	"context"
	"database/sql/driver"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"pakdb/query/rewrite"
	"pakdb/schema/search"
	"pakdb/schema/views"
)

// spelling returns the way to write the views, and the statement, in which it costs
// least, as far as its plans tell. An error of the statement is left to its execution.
func (p *sessions) spelling(ctx context.Context, sql string, values []driver.NamedValue) (views.Spelling, string) {
	text, collates := selection(sql)
	if text == "" {
		return views.Spelling{}, sql
	}
	if compared := byID(text); compared != text && p.plan(ctx, views.Spelling{}, compared, values) != "" {
		sql, text = strings.TrimSuffix(sql, text)+compared, compared
	}
	if ids := rewrite.IDs(text, rewritable(text)); ids != text && p.plan(ctx, views.Spelling{}, text, values) != "" && p.plan(ctx, views.Spelling{}, ids, values) != "" {
		sql, text = strings.TrimSuffix(sql, text)+ids, ids
	}
	rare := p.isRare(ctx, text, values)
	if other := reworded(text); !rare && other != text && p.plan(ctx, views.Spelling{}, other, values) != "" {
		sql, text = strings.TrimSuffix(sql, text)+other, other
	}
	if other, between := rewrite.Differences(text, rewritable(text)); other != text && p.shareRows(ctx, between, values) &&
		p.plan(ctx, views.Spelling{}, other, values) != "" {
		sql, text = strings.TrimSuffix(sql, text)+other, other
	}
	if other := rewrite.Once(text, rewritable(text)); other != text && !p.isKeyed(ctx, text, values) &&
		p.plan(ctx, views.Spelling{}, text, values) != "" && p.plan(ctx, views.Spelling{}, other, values) != "" {
		sql, text = strings.TrimSuffix(sql, text)+other, other
	}
	if other, m := rewrite.Absent(text, rewritable(text)); other != text && p.shareRows(ctx, m.Between, values) && p.allHave(ctx, m, values) &&
		p.plan(ctx, views.Spelling{}, text, values) != "" && p.plan(ctx, views.Spelling{}, other, values) != "" {
		sql, text = strings.TrimSuffix(sql, text)+other, other
	}
	if rare {
		return p.ofViews(ctx, text, collates, rare, values), sql
	}
	if other := rewrite.Contents(text, rewritable(text)); other != text && p.countsAll(ctx, text, values) && countedOnce(p.plan(ctx, views.Spelling{}, other, values)) {
		sql, text = strings.TrimSuffix(sql, text)+other, other
	}
	if other := p.withPaths(ctx, text, values); other != text && p.plan(ctx, views.Spelling{}, other, values) != "" {
		sql, text = strings.TrimSuffix(sql, text)+other, other
	}
	return p.ofViews(ctx, text, collates, rare, values), sql
}

// isKeyed reports whether a statement finds rows by a text.
func (p *sessions) isKeyed(ctx context.Context, sql string, values []driver.NamedValue) bool {
	return views.KeyedBy(p.plan(ctx, views.Spelling{By: views.Keyed, Views: allWords(sql)}, sql, values)) != 0
}

// fewPaths is up to how many paths are looked up one by one.
const fewPaths = 2000

// withPaths returns a statement about one build with the paths in place of a pattern that
// few paths of the catalog have. The paths are read for that, so a catalog must not have
// many others than the build.
func (p *sessions) withPaths(ctx context.Context, sql string, values []driver.NamedValue) string {
	pattern, ok := rewrite.PatternOf(sql, rewritable(sql))
	if !ok {
		return sql
	}
	own, _ := p.column(ctx, `SELECT 1
		WHERE (SELECT max(path_id) FROM x_path) <= 2 * (SELECT sum(a.entry_count)
			FROM x_build b
			CROSS JOIN x_build_archive ba ON ba.build_id = b.build_id
			CROSS JOIN x_archive a ON a.archive_id = ba.archive_id
			WHERE b.complete = 1 AND b.label = `+pattern.Build+")", values)
	if len(own) == 0 {
		return sql
	}
	paths, ok := p.column(ctx, pattern.Paths(fewPaths+1), values)
	if !ok || len(paths) > fewPaths || slices.ContainsFunc(paths, func(path string) bool { return strings.ContainsRune(path, 0) }) {
		return sql
	}
	return pattern.With(paths)
}

// column returns the first column of a query, as text; ok is false for one that fails.
func (p *sessions) column(ctx context.Context, query string, values []driver.NamedValue) (all []string, ok bool) {
	err := p.inside(ctx, views.Spelling{}, func(st *statement) error {
		return st.each(query, values, func([]string) error { return nil }, func(row []driver.Value) error {
			all = append(all, text(row[0], ""))
			return nil
		})
	})
	return all, err == nil
}

// shareRows reports whether two builds have most of their entries in rows of both.
func (p *sessions) shareRows(ctx context.Context, between rewrite.Between, values []driver.NamedValue) bool {
	query := fmt.Sprintf(`WITH edition AS (
			SELECT a.lineage_id, a.edition, a.entry_count, b.label = %[2]s AS new
			FROM x_build b
			CROSS JOIN x_build_archive ba ON ba.build_id = b.build_id
			CROSS JOIN x_archive a ON a.archive_id = ba.archive_id
			WHERE b.complete = 1 AND b.label IN (%[1]s, %[2]s)
		), pair AS (
			SELECT lineage_id, min(edition) AS first, max(edition) AS last, min(entry_count) AS entries
			FROM edition
			GROUP BY lineage_id
			HAVING min(new) < max(new) OR %[1]s = %[2]s
		)
		SELECT 4 * (SELECT sum(entries) FROM pair) >= 3 * (SELECT max(entries) FROM (SELECT sum(entry_count) AS entries FROM edition GROUP BY new))
			AND 8 * (SELECT sum((SELECT count(*) FROM x_entry_row r INDEXED BY entry_since
				WHERE r.lineage_id = pair.lineage_id AND r.since > pair.first AND r.since <= pair.last AND r.since > 0)) FROM pair)
			<= (SELECT sum(entries) FROM pair)`, between.Old, between.New)
	share, _ := p.column(ctx, query, values)
	return slices.Equal(share, []string{"1"})
}

// allHave reports whether no row of the lineages of two builds is without the ids by which
// their entries are compared.
func (p *sessions) allHave(ctx context.Context, m rewrite.Missing, values []driver.NamedValue) bool {
	indexes := map[string]string{"path_id": "entry_path", "content_id": "entry_content"}
	for _, column := range m.Columns {
		without, ok := p.column(ctx, fmt.Sprintf(`SELECT 1
			FROM x_build b
			CROSS JOIN x_build_archive ba ON ba.build_id = b.build_id
			CROSS JOIN x_archive a ON a.archive_id = ba.archive_id
			CROSS JOIN x_entry_row r INDEXED BY %s ON r.%s IS NULL AND r.lineage_id = a.lineage_id
			WHERE b.complete = 1 AND b.label IN (%s, %s)
			LIMIT 1`, indexes[column], column, m.Old, m.New), values)
		if !ok || len(without) > 0 {
			return false
		}
	}
	return true
}

// countsCopies: of the view contents, or duplicates.
var countsCopies = regexp.MustCompile(`(?m)^ *(?:SCAN c|CO-ROUTINE g|MATERIALIZE g)$`)

// countsAll reports whether a statement counts the copies of all contents.
func (p *sessions) countsAll(ctx context.Context, sql string, values []driver.NamedValue) bool {
	return countsCopies.MatchString(p.plan(ctx, views.Spelling{}, sql, values)) &&
		views.KeyedBy(p.plan(ctx, views.Spelling{By: views.KeyedContent, Views: allWords(sql)}, sql, values)) == 0
}

// countedOnce reports whether a plan calls each function that counts copies once, and not
// for each row of something else. It is false for no plan.
func countedOnce(plan string) bool {
	last := map[int]string{} // the step before, by how far it is indented
	for line := range strings.Lines(plan) {
		step := strings.TrimLeft(line, " ")
		indent := len(line) - len(step)
		maps.DeleteFunc(last, func(deeper int, _ string) bool { return deeper > indent })
		if before := last[indent]; strings.HasPrefix(step, "SCAN pakdb_n ") {
			for at, outer := range last {
				if at < indent && strings.HasPrefix(outer, "CORRELATED") {
					return false
				}
			}
			if strings.HasPrefix(before, "SCAN") || strings.HasPrefix(before, "SEARCH") {
				return false
			}
		}
		last[indent] = step
	}
	return plan != ""
}

// like finds patterns of paths that are written in a statement.
var like = regexp.MustCompile(`(?i)\bpath\s+like\s+'((?:[^']|'')*)'`)

// isRare reports whether a statement finds rows by patterns of paths, each of which few
// paths can match, by the search index.
func (p *sessions) isRare(ctx context.Context, sql string, values []driver.NamedValue) bool {
	patterns := like.FindAllStringSubmatch(sql, -1)
	for _, x := range patterns {
		trigrams := search.Trigrams(search.PartOf(strings.ReplaceAll(x[1], "''", "'")))
		if trigrams == "" {
			return false
		}
		rare, err := p.texts(ctx, search.RareSQL, trigrams)
		if err != nil || len(rare) != 1 || rare[0] != "1" { // there is no index, among others
			return false
		}
	}
	return len(patterns) > 0 && views.KeyedBy(p.plan(ctx, views.Spelling{By: views.Keyed | views.KeyedLike, Views: allWords(sql)}, sql, values))&views.KeyedLike != 0
}

// ofViews returns the way to write the views for a selection. rare is as isRare says.
func (p *sessions) ofViews(ctx context.Context, sql string, collates, rare bool, values []driver.NamedValue) views.Spelling {
	stored := views.Spelling{}
	joined := p.plan(ctx, stored, sql, values)
	if !viewLoop.MatchString(joined) {
		return stored
	}
	used, words := usedWords(sql), allWords(sql)
	if !collates {
		keyed := views.Keyed
		if rare {
			keyed |= views.KeyedLike
		}
		by := views.KeyedBy(p.plan(ctx, views.Spelling{By: keyed, Views: words}, sql, values))
		pruned := views.Spelling{By: by, Used: used, Views: words}
		switch {
		case by == 0:
		case used != "" && views.KeyedBy(p.plan(ctx, pruned, sql, values)) == by:
			return pruned
		default:
			return views.Spelling{By: by, Views: words}
		}
	}
	pruned := views.Spelling{Used: used, Views: words}
	if plan := p.plan(ctx, pruned, sql, values); used != "" && plan != "" && cost(plan) < cost(joined) {
		return pruned
	}
	return stored
}

// usedWords returns the words of a statement for [views.Spelling], "" if they do not
// tell which columns it uses.
func usedWords(sql string) string {
	var words []string
	before := ""
	for t := range tokens(sql) {
		text := sql[t.start:t.end]
		switch {
		case text == "*" && before != "(" && !isOperand(before), strings.EqualFold(text, "NATURAL"):
			return ""
		case t.kind == word:
			words = append(words, unquote(text))
		case t.kind == quoted: // may be the name of a column, after a point or in USING
			words = append(words, strings.Trim(text, "'"))
		}
		before = text
	}
	return views.UsedWords(words)
}

// allWords returns the words of a statement for [views.Spelling].
func allWords(sql string) string {
	var words []string
	for t := range tokens(sql) {
		if t.kind == word {
			words = append(words, unquote(sql[t.start:t.end]))
		}
	}
	return views.UsedWords(words)
}

// isOperand reports whether a * after the token multiplies.
func isOperand(token string) bool {
	switch strings.ToUpper(token) {
	case "", ",", ".", "SELECT", "DISTINCT", "ALL":
		return false
	}
	return true
}

// viewLoop: of the views that are spelled in several ways.
var viewLoop = regexp.MustCompile(`(?m)^ *(?:SCAN|SEARCH) (?:r|b|c)\b`)

// selection returns the part of a statement that reads, without an EXPLAIN before it;
// "" for another statement. collates reports whether it compares by a collation: texts
// are found as they are.
func selection(sql string) (text string, collates bool) {
	for t := range tokens(sql) {
		if t.kind != word {
			continue
		}
		switch word := strings.ToUpper(sql[t.start:t.end]); {
		case text != "":
			collates = collates || word == "COLLATE"
		case word == "SELECT" || word == "WITH" || word == "VALUES":
			text = sql[t.start:]
		case word != "EXPLAIN" && word != "QUERY" && word != "PLAN":
			return "", false
		}
	}
	return text, collates
}

// plan returns how SQLite would run a statement, a line for each step and indented
// by what it belongs to; "" where it would not.
func (p *sessions) plan(ctx context.Context, spelling views.Spelling, sql string, values []driver.NamedValue) string {
	var b strings.Builder
	depth := map[int64]int{}
	err := p.inside(ctx, spelling, func(st *statement) error {
		return st.each("EXPLAIN QUERY PLAN "+sql, values, func([]string) error { return nil }, func(row []driver.Value) error {
			id, _ := row[0].(int64)
			parent, _ := row[1].(int64)
			step, _ := row[3].(string)
			depth[id] = depth[parent] + 1
			b.WriteString(strings.Repeat(" ", depth[id]-1) + step + "\n")
			return nil
		})
	})
	if err != nil {
		return ""
	}
	return b.String()
}

// cost estimates what a row costs: how many tables are looked into. One that a
// subquery looks into is opened for each row, which costs three times as much again.
func cost(plan string) float64 {
	total := 0.0
	inside := -1 // how far the subquery is indented
	for line := range strings.Lines(plan) {
		step := strings.TrimLeft(line, " ")
		indent := len(line) - len(step)
		if indent <= inside {
			inside = -1
		}
		switch {
		case strings.HasPrefix(step, "CORRELATED"):
			inside = indent
		case !strings.HasPrefix(step, "SEARCH") && !strings.HasPrefix(step, "SCAN"):
		case inside >= 0:
			total += 4
		default:
			total++
		}
	}
	return total
}

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
