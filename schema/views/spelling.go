package views

import (
	"context"
	"database/sql/driver"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/prune"
)

// Spelling is a way to write the views. All yield the same rows; what a statement
// costs differs by orders of magnitude. SQLite cannot choose between them, because a
// text that is made of two tables has no index, and because it never leaves a LEFT
// JOIN out of an aggregate. The zero value is how the catalog stores the views, but for
// those that have offsets of entries: they call a function.
type Spelling struct {
	// By is by which texts rows are found.
	By Texts
	// Used are the words of a statement, as [UsedWords] lists them. Columns of views
	// that are not among them are NULL, and tables that were joined for them alone are
	// left out. "" keeps all.
	Used string
	// Views are the words of a statement, as [UsedWords] lists them. Views that are not
	// among them, and that those among them do not read, stay as they are stored: to make
	// all takes 9 ms. "" is for any statement.
	Views string
}

// Texts are kinds of texts that rows are found by. Each costs a look-up a row, whether
// or not it is used.
type Texts uint8

const (
	// KeyedPath finds rows by the text of a path or a folder.
	KeyedPath Texts = 1 << iota
	// KeyedContent finds rows by the hash of a content.
	KeyedContent
	// KeyedAsset finds rows by an asset's id.
	KeyedAsset
	// KeyedHex finds rows by GUIDs and other ids in hexadecimal digits.
	KeyedHex
	// KeyedName finds rows by the name of a property.
	KeyedName
	// KeyedLike finds rows by patterns that paths are LIKE, with KeyedPath: by the search
	// index, which the catalog has to have. It is good for patterns that few paths match.
	KeyedLike
	// Keyed is all of them that any catalog has.
	Keyed = KeyedPath | KeyedContent | KeyedAsset | KeyedHex | KeyedName
)

var keyedLookup = regexp.MustCompile(`(?m)\bby_(\w+) VIRTUAL TABLE INDEX 1:(\w*)`)

// KeyedBy returns by which texts a statement finds rows, given its plan in a keyed
// spelling, as EXPLAIN QUERY PLAN shows it; 0 for by none, and for a plan that would read
// all rows of a table of texts, which fails.
func KeyedBy(plan string) Texts {
	by := Texts(0)
	if strings.Contains(plan, "VIRTUAL TABLE INDEX 0:"+textsByNothing) {
		return by
	}
	for _, x := range keyedLookup.FindAllStringSubmatch(plan, -1) {
		switch x[1] {
		case "path":
			by |= KeyedPath
			if x[2] == textsByLike {
				by |= KeyedLike
			}
		case "content":
			by |= KeyedContent
		case "asset":
			by |= KeyedAsset
		case "name":
			by |= KeyedName
		default:
			by |= KeyedHex
		}
	}
	return by
}

// Make makes temporary views, which stand before those of the catalog, and what
// they need. The connection is not restricted yet.
func (s Spelling) Make(ctx context.Context, c driver.Conn) error { return s.make(ctx, c, "") }

// MakeAgain makes them on a connection where another spelling did before.
func (s Spelling) MakeAgain(ctx context.Context, c driver.Conn) error {
	names, err := eachText(ctx, c, "SELECT name FROM sqlite_temp_schema WHERE type = 'view'")
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "DROP VIEW temp.%s;\n", name)
	}
	return s.make(ctx, c, b.String())
}

func (s Spelling) make(ctx context.Context, c driver.Conn, before string) error {
	script, err := s.script(ctx, c)
	if err != nil {
		return err
	}
	_, err = c.(driver.ExecerContext).ExecContext(ctx, "PRAGMA query_only = 0;\n"+before+script+"\nPRAGMA query_only = 1", nil)
	if err != nil {
		return fmt.Errorf("views: %w", err)
	}
	return nil
}

func (s Spelling) script(ctx context.Context, c driver.Conn) (string, error) {
	query := "SELECT sql FROM sqlite_schema WHERE type = 'view' ORDER BY name"
	if s == (Spelling{}) {
		query = "SELECT sql FROM sqlite_schema WHERE type = 'view' AND name IN ('x_entry', 'entries')"
	}
	views, err := eachText(ctx, c, query)
	if err != nil {
		return "", err
	}
	if s == (Spelling{}) {
		return quick(views), nil
	}
	var b strings.Builder
	for _, t := range textTables {
		if s.By != 0 {
			fmt.Fprintf(&b, "CREATE VIRTUAL TABLE IF NOT EXISTS temp.%s USING %[1]s;\n", t.name)
		}
	}
	for _, view := range s.wanted(views) {
		text, keyed := s.By.keyedView(view)
		pruned := false
		if name := prune.Name(view); strings.Contains(s.Used, " "+name+" ") && !prune.InOthers(views, name) {
			text, pruned = prune.View(text, s.Used)
		}
		if keyed || pruned {
			b.WriteString(strings.Replace(text, "CREATE VIEW", "CREATE TEMP VIEW", 1) + ";\n")
		}
	}
	return b.String() + quick(views), nil
}

// wanted returns the views that a statement reads.
func (s Spelling) wanted(views []string) []string {
	if s.Views == "" {
		return views
	}
	byName := make(map[string]string, len(views))
	read := map[string]bool{}
	var add func(name string)
	add = func(name string) {
		view, ok := byName[name]
		if !ok || read[name] {
			return
		}
		read[name] = true
		for _, x := range readsFrom.FindAllStringSubmatch(view, -1) {
			add(x[1])
		}
	}
	for _, view := range views {
		byName[prune.Name(view)] = view
	}
	for word := range strings.FieldsSeq(s.Views) {
		add(word)
	}
	return slices.DeleteFunc(slices.Clone(views), func(view string) bool { return !read[prune.Name(view)] })
}

var readsFrom = regexp.MustCompile(`(?:FROM|JOIN) (\w+)`)

// eachText returns the first column of a query.
func eachText(ctx context.Context, c driver.Conn, query string) (texts []string, err error) {
	rows, err := c.(driver.QueryerContext).QueryContext(ctx, query, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	return texts, conn.Drain(ctx, rows, func(v []driver.Value) {
		if text, ok := v[0].(string); ok {
			texts = append(texts, text)
		}
	})
}

// The columns of views that [Keyed] finds rows by. Each is replaced by one of a table
// of texts, which knows the id for a text and the text for an id. Where ids may be
// NULL, that table has a row for NULL, so that an inner join keeps all rows:
// SQLite puts no other join before the table that is searched.
var (
	pathColumn    = regexp.MustCompile(`d\.prefix \|\| p\.name AS path\b`)
	pathJoin      = regexp.MustCompile(`LEFT JOIN x_path p ON p\.path_id = (\w+\.path_id)\n`)
	dirColumn     = regexp.MustCompile(`\bd\.dir,`)
	contentColumn = regexp.MustCompile(`(?:CASE WHEN c\.content_id IS NOT NULL THEN lower\(hex\(c\.hash\)\) END|lower\(hex\(c\.hash\)\)) AS content\b`)
	contentFrom   = regexp.MustCompile(`(?:JOIN x_content c ON c\.content_id = (e\.content_id)|FROM (x_content) c)\n`)
	hexColumn     = regexp.MustCompile(`printf\('%016x', (\w+\.\w+)\) AS (\w+)`)
	nameColumn    = regexp.MustCompile(`\bn\.name COLLATE NOCASE AS name\b`)
	nameJoin      = regexp.MustCompile(`LEFT JOIN x_name n ON n\.name_id = (v\.name_id)\n`)
	assetIDColumn = regexp.MustCompile(`CASE e\.id_bits(?s:.*?)END AS asset_id\b`)
)

// keyedView rewrites a view; changed is false for one that has no such columns.
func (s Texts) keyedView(view string) (text string, changed bool) {
	at := strings.LastIndex(view, "\nWHERE ")
	if at < 0 || strings.Contains(view, "UNION ALL") || strings.Contains(view, "GROUP BY") {
		return view, false
	}
	head, tail := view[:at+1], view[at+1:]
	joins := ""
	if x := pathJoin.FindStringSubmatch(head); s&KeyedPath != 0 && x != nil && pathColumn.MatchString(head) {
		head = pathColumn.ReplaceAllLiteralString(head, "by_path.path AS path")
		head = dirColumn.ReplaceAllLiteralString(head, "by_path.dir AS dir,")
		// Before what a CROSS JOIN puts after the path.
		head = strings.Replace(head, x[0], "JOIN pakdb_by_path by_path ON by_path.path_id IS "+x[1]+"\n"+x[0], 1)
	}
	if x := contentFrom.FindStringSubmatch(head); s&KeyedContent != 0 && x != nil && contentColumn.MatchString(head) {
		id := "e.content_id"
		if x[2] != "" {
			id = "c.content_id"
		}
		head = contentColumn.ReplaceAllLiteralString(head, "by_content.content AS content")
		joins += "JOIN pakdb_by_content by_content ON by_content.content_id IS " + id + "\n"
	}
	if x := nameJoin.FindStringSubmatch(head); s&KeyedName != 0 && x != nil && nameColumn.MatchString(head) {
		head = nameColumn.ReplaceAllLiteralString(head, "by_name.name COLLATE NOCASE AS name")
		joins += "JOIN pakdb_by_name by_name ON by_name.name_id IS " + x[1] + "\n"
	}
	if s&KeyedAsset != 0 && assetIDColumn.MatchString(head) {
		head = assetIDColumn.ReplaceAllLiteralString(head, "by_asset.asset_id AS asset_id")
		joins += "JOIN pakdb_by_asset by_asset ON by_asset.archive_id = e.archive_id AND by_asset.row = e.row\n"
	}
	if s&KeyedHex != 0 {
		head = hexColumn.ReplaceAllStringFunc(head, func(column string) string {
			x := hexColumn.FindStringSubmatch(column)
			joins += fmt.Sprintf("JOIN pakdb_by_hex by_%s ON by_%[1]s.n = %s\n", x[2], x[1])
			return fmt.Sprintf("by_%s.hex AS %[1]s", x[2])
		})
	}
	if head+joins == view[:at+1] {
		return view, false
	}
	return head + joins + tail, true
}

// UsedWords makes [Spelling].Used of the names and texts in a statement, in any case and
// order. A statement whose columns they do not tell, as of SELECT *, must not use it.
func UsedWords(words []string) string {
	all := make([]string, 0, len(words))
	for _, w := range words {
		if !strings.ContainsAny(w, " \t\n") { // no column is called so
			all = append(all, strings.ToLower(w))
		}
	}
	slices.Sort(all)
	return " " + strings.Join(slices.Compact(all), " ") + " "
}
