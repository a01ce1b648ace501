package query

import (
	"context"
	"database/sql/driver"
	"regexp"
	"strings"

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
	return p.ofViews(ctx, text, collates, values), sql
}

// ofViews returns the way to write the views for a selection.
func (p *sessions) ofViews(ctx context.Context, sql string, collates bool, values []driver.NamedValue) views.Spelling {
	stored := views.Spelling{}
	joined := p.plan(ctx, stored, sql, values)
	if !viewLoop.MatchString(joined) {
		return stored
	}
	used := usedWords(sql)
	if !collates {
		by := views.KeyedBy(p.plan(ctx, views.Spelling{By: views.Keyed}, sql, values))
		pruned := views.Spelling{By: by, Used: used}
		switch {
		case by == 0:
		case used != "" && views.KeyedBy(p.plan(ctx, pruned, sql, values)) == by:
			return pruned
		default:
			return views.Spelling{By: by}
		}
	}
	pruned := views.Spelling{Used: used}
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
