package rewrite

import (
	"slices"
	"strings"
)

// besideField are the columns of calligraphy_fields that conditions may have beside one
// on the field. Others find prototypes faster than the field does.
var besideField = []string{"build", "field", "value", "type", "position", "ordinal", "owner", "copy"}

// Fields returns a statement about calligraphy_fields that looks for the values of a
// field among those with its id, where a condition says what the field is called:
//
//	SELECT ... FROM calligraphy_fields WHERE build = '1' AND field = 'Health'
//
// The view looks the name of each value up. All that the statement says stays, so that
// the ids need not tell whether the blueprint is in the build. Other statements stay as
// they are.
func Fields(sql string, all []Token) string {
	const view = "calligraphy_fields"
	found := -1
	for i := range all {
		switch {
		case all[i].Text == "with", all[i].Text == view && found >= 0:
			return sql
		case all[i].Text == view && i > 0 && all[i-1].Text == "from":
			found = i
		}
	}
	if found < 0 {
		return sql
	}
	c := comparison{sql: sql, tokens: all}
	name, at, _ := c.view(view, found)
	if c.text(at) != "where" {
		return sql
	}
	terms, _ := c.terms(at + 1)
	implied := ""
	for _, t := range terms {
		column, from := t[0], t[0]
		if c.text(from) == name && c.text(from+1) == "." {
			column += 2
		}
		if !slices.Contains(besideField, c.text(column)) {
			return sql
		}
		if says := c.literals(column+1, t[1]); c.text(column) == "field" && says != "" {
			implied += " AND " + name + ".content_id IN (SELECT pakdb_v.content_id FROM x_calligraphy_value pakdb_v WHERE pakdb_v.field IN" +
				" (SELECT pakdb_m.field FROM x_calligraphy_member pakdb_m WHERE pakdb_m.name" + says + "))" +
				" AND +" + name + ".field_id IN (SELECT printf('%016x', pakdb_m.field) FROM x_calligraphy_member pakdb_m WHERE pakdb_m.name" + says + ")"
		}
	}
	if implied == "" {
		return sql
	}
	end := all[terms[len(terms)-1][1]-1].End
	return written(sql, []edit{{end, end, implied}})
}

// literals returns what the rest of a term says, if it compares what stands before it
// with texts alone, in a way that holds for no NULL; "" if not.
func (c *comparison) literals(from, to int) string {
	isText := func(i int) bool { return c.text(i) != "" && strings.Contains("':@$", c.text(i)[:1]) }
	at := from + 1
	switch c.text(from) {
	case "=", "like", "glob":
		if c.text(from) == "=" && c.text(at) == "=" {
			at++
		}
		if at != to-1 || !isText(at) {
			return ""
		}
	case "in":
		if c.text(at) != "(" || c.skip(at) != to {
			return ""
		}
		for i := at + 1; i < to-1; i++ {
			if isText(i) == (c.text(i) == ",") {
				return ""
			}
		}
	default:
		return ""
	}
	return " " + c.sql[c.tokens[from].Start:c.tokens[to-1].End]
}
