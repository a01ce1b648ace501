package rewrite

import "slices"

// identified are views with a path_id for each path.
var identified = []string{"entries", "files", "chunks", "packages", "exports", "imports", "sums"}

// pathsLike yields the paths that an operator and a pattern behind it choose.
const pathsLike = "path_id IN (SELECT p.path_id FROM path p JOIN dir d ON d.dir_id = p.dir_id WHERE d.prefix || p.name "

// Patterns returns a statement over all builds in which path LIKE ... and path REGEXP ...
// look at each path once, which many builds have. In one build that costs more than it
// saves. Both are NULL where path is.
func Patterns(sql string, all []Token) string {
	from := -1
	for i, t := range all {
		switch t.Text {
		case "from":
			if from >= 0 {
				return sql
			}
			from = i
		case "build", "build_id", "archive", "archive_id", "join", "between", "collate", "with":
			return sql
		}
	}
	if from < 0 || from+2 >= len(all) || !slices.Contains(identified, all[from+1].Text) || all[from+2].Text == "," {
		return sql
	}
	var edits []edit
	for i := from + 2; i+2 < len(all); i++ {
		if all[i].Text != "path" || all[i+1].Text != "like" && all[i+1].Text != "regexp" {
			continue
		}
		start, next := i, ""
		if all[i-1].Text == "." {
			start = i - 2
		}
		if i+3 < len(all) {
			next = all[i+3].Text
		}
		if slices.Contains([]string{"where", "and", "or", "("}, all[start-1].Text) && !all[i+2].Name &&
			(next == "" || ends(next) || slices.Contains([]string{"and", "or", "group", "order", "limit"}, next)) {
			prefix := sql[all[start].Start:all[i].Start]
			edits = append(edits, edit{all[start].Start, all[i].End, prefix + pathsLike}, edit{all[i+2].End, all[i+2].End, ")"})
		}
	}
	return written(sql, edits)
}
