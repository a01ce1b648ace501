package schema

import (
	"context"
	"database/sql/driver"
	_ "embed"
	"fmt"
	"regexp"
	"strings"
)

// Spelling is a way to write the views. All yield the same rows; what a statement
// costs differs by orders of magnitude. SQLite cannot choose between them, because a
// text that is made of two tables has no index, and because it never leaves a LEFT
// JOIN out of an aggregate.
type Spelling uint8

const (
	// Joined is how the catalog stores the views: by LEFT JOIN. It reads many
	// columns of many rows fastest.
	Joined Spelling = 0
	// Scalar has a subquery for each column that another table holds, so that
	// columns that nobody asks for cost nothing. It goes with no other.
	Scalar Spelling = 1

	// KeyedPath finds rows by the text of a path or a folder. What follows does so
	// by other texts, and all of them together by any. Each costs a look-up a row,
	// whether or not it is used.
	KeyedPath Spelling = 2
	// KeyedContent finds rows by the hash of a content.
	KeyedContent Spelling = 4
	// KeyedAsset finds rows by an asset's id.
	KeyedAsset Spelling = 8
	// KeyedHex finds rows by GUIDs and other ids in hexadecimal digits.
	KeyedHex Spelling = 16
	// Keyed is all of them.
	Keyed = KeyedPath | KeyedContent | KeyedAsset | KeyedHex
)

//go:embed scalar.sql
var scalarViews string

var keyedLookup = regexp.MustCompile(`(?m)\bby_(\w+) VIRTUAL TABLE INDEX 1:`)

// KeyedBy returns by which texts a statement finds rows, given its plan in a keyed
// spelling, as EXPLAIN QUERY PLAN shows it; Joined for by none.
func KeyedBy(plan string) Spelling {
	by := Joined
	for _, x := range keyedLookup.FindAllStringSubmatch(plan, -1) {
		switch x[1] {
		case "path":
			by |= KeyedPath
		case "content":
			by |= KeyedContent
		case "asset":
			by |= KeyedAsset
		default:
			by |= KeyedHex
		}
	}
	return by
}

// spell makes temporary views, which stand before those of the catalog, and what
// they need. The connection is not restricted yet.
func (s Spelling) spell(ctx context.Context, c driver.Conn) error {
	if s == Joined {
		return nil
	}
	script, err := s.script(ctx, c)
	if err != nil {
		return err
	}
	_, err = c.(driver.ExecerContext).ExecContext(ctx, "PRAGMA query_only = 0;\n"+script+"\nPRAGMA query_only = 1", nil)
	if err != nil {
		return fmt.Errorf("views: %w", err)
	}
	return nil
}

func (s Spelling) script(ctx context.Context, c driver.Conn) (string, error) {
	if s == Scalar {
		return scalarViews, nil
	}
	views, err := eachText(ctx, c, "SELECT sql FROM sqlite_schema WHERE type = 'view' ORDER BY name")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, t := range textTables {
		fmt.Fprintf(&b, "CREATE VIRTUAL TABLE temp.%s USING %[1]s;\n", t.name)
	}
	for _, view := range views {
		if keyed, changed := s.keyedView(view); changed {
			b.WriteString(keyed + ";\n")
		}
	}
	return b.String(), nil
}

// eachText returns the first column of a query.
func eachText(ctx context.Context, c driver.Conn, query string) (texts []string, err error) {
	rows, err := c.(driver.QueryerContext).QueryContext(ctx, query, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	return texts, drain(ctx, rows, func(v []driver.Value) {
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
	pathJoin      = regexp.MustCompile(`LEFT JOIN path p ON p\.path_id = (\w+\.path_id)\n`)
	dirColumn     = regexp.MustCompile(`\bd\.dir,`)
	contentColumn = regexp.MustCompile(`(?:CASE WHEN c\.content_id IS NOT NULL THEN lower\(hex\(c\.hash\)\) END|lower\(hex\(c\.hash\)\)) AS content\b`)
	contentFrom   = regexp.MustCompile(`(?:JOIN content c ON c\.content_id = (e\.content_id)|FROM (content) c)\n`)
	hexColumn     = regexp.MustCompile(`printf\('%016x', (\w+\.\w+)\) AS (\w+)`)
	assetIDColumn = regexp.MustCompile(`CASE e\.id_bits(?s:.*?)END AS asset_id\b`)
)

// keyedView rewrites a view; changed is false for one that has no such columns.
func (s Spelling) keyedView(view string) (text string, changed bool) {
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
	return strings.Replace(head, "CREATE VIEW", "CREATE TEMP VIEW", 1) + joins + tail, true
}
