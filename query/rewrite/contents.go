package rewrite

import "slices"

// fromFunctions are the views contents and duplicates by functions that count all contents
// at once. The names of tables are of no view, which tell how a view is read.
var fromFunctions = map[string]string{
	"contents": `(SELECT lower(hex(pakdb_c.hash)) AS content, pakdb_c.size AS size, pakdb_k.word AS kind, pakdb_n.entries AS entry_count,
		pakdb_n.builds AS build_count, pakdb_n.content_id AS content_id
	FROM pakdb_contents pakdb_n
	CROSS JOIN x_content pakdb_c ON pakdb_c.content_id = pakdb_n.content_id
	LEFT JOIN x_word pakdb_k ON pakdb_k.word_id = pakdb_c.kind_id)`,
	"duplicates": `(SELECT pakdb_n.build AS build, lower(hex(pakdb_c.hash)) AS content, pakdb_c.size AS size, pakdb_n.copies AS copies,
		pakdb_n.wasted AS wasted, pakdb_n.content_id AS content_id, pakdb_n.build_id AS build_id
	FROM pakdb_copies pakdb_n
	CROSS JOIN x_content pakdb_c ON pakdb_c.content_id = pakdb_n.content_id)`,
}

// Contents returns a statement that counts the copies of all contents at once, where it
// reads the view contents or duplicates. That pays where it reads all of the view, which
// the caller knows. Statements that need only the first rows stay as they are.
func Contents(sql string, all []Token) string {
	var edits []edit
	limited, sorted := false, false
	for i, t := range all {
		limited = limited || t.Text == "limit"
		sorted = sorted || t.Text == "order" || t.Text == "group"
		view, ok := fromFunctions[t.Text]
		if !ok || !t.Name {
			continue
		}
		before, after := "", ""
		if i > 0 {
			before = all[i-1].Text
		}
		if i+1 < len(all) {
			after = all[i+1].Text
		}
		switch {
		case before == "with" || before == "," && (after == "as" || after == "("): // another one, or a column
			return sql
		case before != "from" && before != "join" || after == ".":
			continue
		case after == "as" || after != "" && all[i+1].Name && !slices.Contains(afterTable, after):
		default:
			view += " AS " + t.Text
		}
		edits = append(edits, edit{t.Start, t.End, view})
	}
	if limited && !sorted {
		return sql
	}
	return written(sql, edits)
}

// afterTable are the words after a table that are not its other name.
var afterTable = append([]string{"on", "using", "indexed", "not", "outer"}, conditionEnds...)
