package rewrite

import (
	"slices"
	"strings"
)

// Totals returns a statement in which each SELECT that only counts and sums up entries
// by columns of the view totals reads that view. Others stay as they are.
func Totals(sql string, all []Token) string {
	if !slices.ContainsFunc(all, func(t Token) bool { return t.Text == "entries" }) {
		return sql
	}
	if redefined(all) {
		return sql
	}
	var edits []edit
	for i := range all {
		if all[i].Text == "select" {
			b := block{sql: sql, tokens: all[i:]}
			if b.read() {
				edits = append(edits, b.edits...)
			}
		}
	}
	return written(sql, edits)
}

// redefined reports whether a statement calls something else entries: WITH entries AS (...).
func redefined(all []Token) bool { return redefines(all, "entries") }

// redefines reports whether a statement calls something else as a view.
func redefines(all []Token, view string) bool {
	for i := range all {
		if all[i].Text == view && i+1 < len(all) && (all[i+1].Text == "as" || all[i+1].Text == "(") &&
			(i == 0 || all[i-1].Text == "with" || all[i-1].Text == "," || all[i-1].Text == "recursive") {
			if i+2 < len(all) && (all[i+1].Text == "(" || slices.Contains([]string{"(", "not", "materialized"}, all[i+2].Text)) {
				return true
			}
		}
	}
	return false
}

// columns are those that the view totals shares with entries, but for those summed up.
var columns = []string{"build", "archive", "ext", "type", "method", "encrypted", "deleted", "nested", "archive_id", "build_id"}

// others are the columns of entries that totals lacks, or has with another meaning.
var others = strings.Fields(`ordinal path dir name asset_id path_hash offset stored size mtime content kind asset_key
	path_hash_key path_id content_id padded_content row_id entries`)

// allowed are keywords and functions of one row that may stand in such a SELECT.
var allowed = strings.Fields(`where group by having order limit offset as and or not in is null between like glob
	asc desc nulls first last case when then else end collate nocase coalesce ifnull nullif round abs lower upper length human_size`)

// block is a SELECT, from its first token on.
type block struct {
	sql     string
	tokens  []Token
	alias   string   // of entries
	aliases []string // of columns
	ordered bool     // within ORDER BY, where aliases stand before columns
	grouped bool
	summed  bool
	edits   []edit
}

func (b *block) text(i int) string {
	if i < 0 || i >= len(b.tokens) {
		return ""
	}
	return b.tokens[i].Text
}

// read reports whether the block can read totals, and collects how.
func (b *block) read() bool {
	from := b.clause(0, "from")
	if from < 0 || b.text(from+1) != "entries" || b.text(1) == "distinct" || b.text(from+2) == "." {
		return false
	}
	next := from + 2
	if b.text(next) == "as" {
		next++
	}
	if next < len(b.tokens) && b.tokens[next].Name && !slices.Contains(allowed, b.text(next)) && !ends(b.text(next)) {
		b.alias = b.text(next)
		next++
	}
	if t := b.text(next); t != "" && !slices.Contains([]string{"where", "group", "order", "limit"}, t) && !ends(t) {
		return false
	}
	if !b.items(1, from) {
		return false
	}
	b.edits = append(b.edits, edit{b.tokens[from+1].Start, b.tokens[from+1].End, "totals" + map[bool]string{true: " AS entries"}[b.alias == ""]})
	depth := 0
	for i := next; i < len(b.tokens) && (depth > 0 || !ends(b.text(i))); {
		switch b.text(i) {
		case "(":
			depth++
		case ")":
			depth--
		case "group":
			b.grouped = true
		case "order":
			b.ordered = true
		}
		n := b.term(i)
		if n == 0 {
			return false
		}
		i += n
	}
	return b.summed && (b.grouped || !b.bare(1, from))
}

// ends reports whether a token is behind a block.
func ends(text string) bool {
	return slices.Contains([]string{")", ";", "union", "except", "intersect"}, text)
}

// clause returns where a keyword stands in the block itself, -1 for nowhere.
func (b *block) clause(i int, keyword string) int {
	depth := 0
	for ; i < len(b.tokens); i++ {
		switch t := b.text(i); {
		case t == "(":
			depth++
		case t == ")":
			depth--
		case depth == 0 && t == keyword:
			return i
		}
		if depth < 0 {
			break
		}
	}
	return -1
}

// items reads the columns that the block yields, and their names.
func (b *block) items(from, to int) bool {
	for i := from; i < to; {
		end, depth, as := i, 0, -1
		for ; end < to && (depth > 0 || b.text(end) != ","); end++ {
			switch b.text(end) {
			case "(":
				depth++
			case ")":
				depth--
			case "as":
				as = end
			}
		}
		last := end
		switch {
		case as >= 0 && as == end-2:
			b.aliases, last = append(b.aliases, b.text(end-1)), as
		case as >= 0:
			return false // CAST
		case end-i > 1 && b.tokens[end-1].Name && b.text(end-2) != ".":
			b.aliases, last = append(b.aliases, b.text(end-1)), end-1
		}
		counts := len(b.edits)
		for j := i; j < last; {
			n := b.term(j)
			if n == 0 {
				return false
			}
			j += n
		}
		if last == end && len(b.edits) > counts { // it is called what it is written as
			e := &b.edits[len(b.edits)-1]
			name := b.sql[b.tokens[i].Start:b.tokens[end-1].End]
			if len(b.edits) > counts+1 || e.end != b.tokens[end-1].End || e.start != b.tokens[i].Start || strings.Contains(name, `"`) {
				return false
			}
			e.text += ` AS "` + name + `"`
		}
		i = end + 1
	}
	return true
}

// bare reports whether columns are yielded that are not summed up.
func (b *block) bare(from, to int) bool {
	for i := from; i < to; i++ {
		if slices.Contains(columns, b.text(i)) && b.text(i-1) != "as" && b.text(i-1) != ")" {
			return true
		}
	}
	return false
}

// term returns how many tokens the term at i has, 0 if totals do not have it.
func (b *block) term(i int) int {
	t := b.text(i)
	switch {
	case t == "count" && b.text(i+1) == "(" && b.text(i+2) == "*" && b.text(i+3) == ")":
		if x := b.text(i + 4); x == "filter" || x == "over" {
			return 0
		}
		b.summed = true
		b.edits = append(b.edits, edit{b.tokens[i].Start, b.tokens[i+3].End, "coalesce(sum(" + b.name() + ".entries), 0)"})
		return 4
	case t == "sum" && b.text(i+1) == "(":
		n := 2
		if b.isEntries(b.text(i+n)) && b.text(i+n+1) == "." {
			n += 2
		}
		if x := b.text(i + n); x != "size" && x != "stored" || b.text(i+n+1) != ")" {
			return 0
		}
		if x := b.text(i + n + 2); x == "filter" || x == "over" {
			return 0
		}
		b.summed = true
		return n + 2
	case b.isEntries(t) && b.text(i+1) == "." && slices.Contains(columns, b.text(i+2)):
		return 3
	case !b.tokens[i].Name, slices.Contains(columns, t) && !b.ordered:
		return 1
	case b.ordered && slices.Contains(columns, t), slices.Contains(allowed, t):
		return 1
	case slices.Contains(b.aliases, t) && (b.ordered || b.grouped) && (b.isWhole(i) || !slices.Contains(others, t)):
		return 1
	}
	return 0
}

// isWhole reports whether a name is all that the result is ordered by, which SQLite then
// takes for that of a column of the result.
func (b *block) isWhole(i int) bool {
	next := b.text(i + 1)
	return b.ordered && (b.text(i-1) == "by" || b.text(i-1) == ",") &&
		(next == "" || ends(next) || slices.Contains([]string{",", "asc", "desc", "limit"}, next))
}

func (b *block) isEntries(name string) bool { return name == b.name() }

// name is what the block calls the entries.
func (b *block) name() string {
	if b.alias == "" {
		return "entries"
	}
	return b.alias
}
