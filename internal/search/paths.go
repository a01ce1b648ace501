package search

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// spanOf returns SQL that leads from a block, w.rowid, to its texts: rows of a table, as
// "name n", whose ids follow each other.
func spanOf(subject int, table, id string, size int) string {
	return fmt.Sprintf(` CROSS JOIN x_search_span s ON s.first_block = (SELECT max(first_block) FROM x_search_span WHERE first_block <= w.rowid) AND s.subject = %d
	CROSS JOIN %s ON %s BETWEEN s.first + (w.rowid - s.first_block) * %d AND min(s.last, s.first + (w.rowid - s.first_block) * %[4]d + %[5]d)`,
		subject, table, id, size, size-1)
}

// Path is SQL for the text of a path.
const Path = "d.prefix || p.name"

// NamesSQL yields the id and the text of names that may have words: ?1 in the language of
// FTS5, ?2 a pattern of LIKE that those of ASCII alone match. FilesSQL and FoldersSQL yield
// the id and the text of paths whose file name, and of folders whose path, matches the
// pattern ?2 of LIKE, of which ?1 are [Trigrams].
var (
	NamesSQL = "SELECT n.name_id, n.name FROM x_search_word w" + spanOf(Names, "x_name n", "n.name_id", NamesInBlock) +
		" WHERE x_search_word MATCH ?1 AND (n.name LIKE ?2 OR octet_length(n.name) <> length(n.name))"
	FilesSQL  = "SELECT p.path_id, " + Path + filesFrom + escaped
	filesFrom = " FROM x_search_part w" + spanOf(Files, "x_path p", "p.path_id", PathsInBlock) +
		" CROSS JOIN x_dir d ON d.dir_id = p.dir_id WHERE x_search_part MATCH ?1 AND p.name LIKE ?2"
	FoldersSQL  = "SELECT d.dir_id, d.prefix FROM x_search_part w" + foldersOnly
	foldersOnly = spanOf(Folders, "x_dir d", "d.dir_id", PathsInBlock) + " WHERE x_search_part MATCH ?1 AND d.prefix LIKE ?2" + escaped
)

const escaped = ` ESCAPE '\'`

// Contains returns the pattern of LIKE for texts with a part, for FilesSQL and FoldersSQL.
func Contains(part string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(part) + "%"
}

// maxTrigrams bounds what is asked of the index: more leave out hardly anything more.
const maxTrigrams = 8

// Trigrams returns the trigrams of a part in the language of FTS5, "" if it has none.
func Trigrams(part string) string {
	var all []string
	runes := []rune(part)
	for i := 0; i+3 <= len(runes) && len(all) < maxTrigrams; i++ {
		if runes[i] == 0 || runes[i+1] == 0 || runes[i+2] == 0 {
			continue // ends a query
		}
		all = append(all, `"`+strings.ReplaceAll(string(runes[i:i+3]), `"`, `""`)+`"`)
	}
	return strings.Join(all, " AND ")
}

// PartOf returns the longest part of a pattern of LIKE that a path has in the name of its
// file or in its folder, if it matches; "" for none of three characters.
func PartOf(pattern string) (longest string) {
	for _, part := range strings.FieldsFunc(pattern, func(r rune) bool { return r == '%' || r == '_' || r == '/' || r >= utf8.RuneSelf }) {
		if len(part) >= 3 && len(part) > len(longest) {
			longest = part
		}
	}
	return longest
}

// PathsSQL yields d.prefix || p.name, d.dir and p.path_id of paths that match a pattern of
// LIKE, ?3, some of them twice: ?1 are the trigrams of [PartOf] the pattern, and ?2 what
// [Contains] makes of it.
var PathsSQL = "SELECT " + Path + ", d.dir, p.path_id" + filesFrom + escaped + " AND " + Path + " LIKE ?3 UNION ALL " +
	"SELECT " + Path + ", d.dir, p.path_id FROM x_search_part w" + spanOf(Folders, "x_dir d", "d.dir_id", PathsInBlock) +
	" CROSS JOIN x_path p ON p.dir_id = d.dir_id WHERE x_search_part MATCH ?1 AND d.prefix LIKE ?2" + escaped + " AND " + Path + " LIKE ?3"

// RareSQL is 1 if a sixteenth of all blocks of paths, or fewer, have the trigrams ?1.
var RareSQL = fmt.Sprintf(`WITH few AS (SELECT 8 + sum((last - first) / %d) / 16 AS n FROM x_search_span WHERE subject IN (%d, %d))
	SELECT (SELECT count(*) FROM (SELECT 1 FROM x_search_part WHERE x_search_part MATCH ?1 LIMIT 1 + (SELECT n FROM few))) <= (SELECT n FROM few)`,
	PathsInBlock, Files, Folders)
