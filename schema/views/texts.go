package views

import (
	"context"
	"database/sql/driver"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"modernc.org/sqlite"

	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/record"
	"pakdb/schema/search"
)

// textTable is a virtual table of texts and the ids that they stand for. Its first
// column is the text, the others up to keys are what a text is found from.
type textTable struct {
	name    string
	columns string
	from    []int // columns that a row is found from, all of them; other than 0
	also    int   // a column that finds rows like the text does, 0 for none
	globs   bool  // the text finds rows by GLOB as well, and with [KeyedLike] by LIKE
	byText  func(c *TextTables, text string, row func(...driver.Value)) error
	byAlso  func(c *TextTables, text string, row func(...driver.Value)) error
	byGlob  func(c *TextTables, pattern string, row func(...driver.Value)) error
	byLike  func(c *TextTables, pattern string, row func(...driver.Value)) error
	byID    func(c *TextTables, ids []driver.Value, row func(...driver.Value)) error
}

var textTables = []textTable{
	{name: "pakdb_by_path", columns: "path, dir TEXT, path_id", from: []int{2}, also: 1, globs: true,
		byText: pathsByText, byAlso: pathsByDir, byGlob: pathsByGlob, byLike: pathsByLike, byID: pathByID},
	{name: "pakdb_by_content", columns: "content, content_id", from: []int{1}, byText: contentsByText, byID: contentByID},
	{name: "pakdb_by_name", columns: "name COLLATE NOCASE, name_id", from: []int{1}, byText: namesByText, byID: nameByID},
	{name: "pakdb_by_asset", columns: "asset_id, archive_id, row", from: []int{1, 2}, byText: assetsByText, byID: assetByID},
	{name: "pakdb_by_hex", columns: "hex, n", from: []int{1}, byText: hexByText, byID: hexByID},
}

// TextTables are the tables of texts on one connection. A statement that runs asks the
// connection for rows, which SQLite allows: they are read to their end at once.
type TextTables struct {
	conn       driver.Conn
	likes      bool // patterns of LIKE find rows
	statements map[string]driver.Stmt
}

// RegisterTexts makes the modules of the tables. They serve one connection, which
// [TextTables.Bind] names.
func RegisterTexts(d *sqlite.Driver) (*TextTables, error) {
	c := &TextTables{statements: map[string]driver.Stmt{}}
	for i := range textTables {
		t := &textTables[i]
		if err := d.RegisterModule(t.name, &textModule{t, c}); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Bind sets the connection, while no statement runs, and by what it finds rows.
func (c *TextTables) Bind(connection driver.Conn, by Texts) {
	c.likes = by&KeyedLike != 0
	if c.conn == connection {
		return
	}
	c.conn, c.statements = connection, map[string]driver.Stmt{}
}

// each runs a query. It is compiled once.
func (c *TextTables) each(query string, row func([]driver.Value), args ...driver.Value) error {
	stmt := c.statements[query]
	if stmt == nil {
		var err error
		if stmt, err = c.conn.Prepare(query); err != nil {
			return err
		}
		c.statements[query] = stmt
	}
	named := make([]driver.NamedValue, len(args))
	for i, v := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	rows, err := stmt.(driver.StmtQueryContext).QueryContext(context.Background(), named)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	return conn.Drain(context.Background(), rows, row)
}

const textOfPath = "SELECT d.prefix || p.name, d.dir, p.path_id FROM "

func pathsByText(c *TextTables, text string, row func(...driver.Value)) error {
	return c.each(textOfPath+`x_path_key k
		CROSS JOIN x_path p ON p.path_id = k.path_id
		CROSS JOIN x_dir d ON d.dir_id = p.dir_id
		WHERE k.key = ?1`, func(v []driver.Value) {
		if v[0] == text { // keys of different texts may agree
			row(v...)
		}
	}, record.PathKey(text))
}

func pathsByDir(c *TextTables, text string, row func(...driver.Value)) error {
	return c.each(textOfPath+`x_dir d
		CROSS JOIN x_path p ON p.dir_id = d.dir_id
		WHERE d.prefix IN (?1, ?1 || '/') AND d.dir = ?1`, func(v []driver.Value) { row(v...) }, text)
}

// pathsByGlob goes by the folders that the pattern begins with.
func pathsByGlob(c *TextTables, pattern string, row func(...driver.Value)) error {
	all := func(v []driver.Value) { row(v...) }
	fixed := pattern
	if i := strings.IndexAny(pattern, "*?["); i >= 0 {
		fixed = pattern[:i]
	}
	folder := fixed[:strings.LastIndexByte(fixed, '/')+1]
	if folder == "" {
		return c.each(textOfPath+"x_path p CROSS JOIN x_dir d ON d.dir_id = p.dir_id WHERE d.prefix || p.name GLOB ?1", all, pattern)
	}
	return c.each(textOfPath+`x_dir d
		CROSS JOIN x_path p ON p.dir_id = d.dir_id
		WHERE d.prefix >= ?2 AND d.prefix < ?3 AND d.prefix || p.name GLOB ?1`, all,
		pattern, folder, folder[:len(folder)-1]+"0") // what follows the slash
}

// pathsByLike goes by the search index, as a pattern with a part of three characters can.
func pathsByLike(c *TextTables, pattern string, row func(...driver.Value)) error {
	part := search.PartOf(pattern)
	if part == "" {
		return c.each(textOfPath+"x_path p CROSS JOIN x_dir d ON d.dir_id = p.dir_id WHERE d.prefix || p.name LIKE ?1",
			func(v []driver.Value) { row(v...) }, pattern)
	}
	seen := map[driver.Value]bool{}
	return c.each(search.PathsSQL, func(v []driver.Value) {
		if !seen[v[2]] {
			seen[v[2]] = true
			row(v...)
		}
	}, search.Trigrams(part), search.Contains(part), pattern)
}

func pathByID(c *TextTables, ids []driver.Value, row func(...driver.Value)) error {
	if ids[0] == nil {
		row(nil, nil, nil)
		return nil
	}
	return c.each(textOfPath+"x_path p CROSS JOIN x_dir d ON d.dir_id = p.dir_id WHERE p.path_id = ?1",
		func(v []driver.Value) { row(v...) }, ids[0])
}

func contentsByText(c *TextTables, text string, row func(...driver.Value)) error {
	hash, err := hex.DecodeString(text)
	if err != nil || len(hash) < 8 {
		return nil // no content has such a text
	}
	return c.each(`SELECT lower(hex(c.hash)), c.content_id
		FROM x_content_key k
		CROSS JOIN x_content c ON c.content_id = k.content_id
		WHERE k.key = ?1`, func(v []driver.Value) {
		if v[0] == text {
			row(v...)
		}
	}, record.ContentKey(hash))
}

func contentByID(c *TextTables, ids []driver.Value, row func(...driver.Value)) error {
	if ids[0] == nil {
		row(nil, nil)
		return nil
	}
	return c.each("SELECT lower(hex(hash)), content_id FROM x_content WHERE content_id = ?1",
		func(v []driver.Value) { row(v...) }, ids[0])
}

func namesByText(c *TextTables, text string, row func(...driver.Value)) error {
	return c.each("SELECT n.name, n.name_id FROM x_name_key k CROSS JOIN x_name n ON n.name_id = k.name_id WHERE k.key = ?1", func(v []driver.Value) {
		if name, _ := v[0].(string); strings.EqualFold(name, text) { // keys of different names may agree
			row(v...)
		}
	}, record.NameKey(text))
}

func nameByID(c *TextTables, ids []driver.Value, row func(...driver.Value)) error {
	if ids[0] == nil {
		row(nil, nil)
		return nil
	}
	return c.each("SELECT name, name_id FROM x_name WHERE name_id = ?1", func(v []driver.Value) { row(v...) }, ids[0])
}

const assetRow = "SELECT archive_id, row, id_hi, id_lo, id_bits FROM x_entry WHERE "

func assetsByText(c *TextTables, text string, row func(...driver.Value)) error {
	if len(text) < 8 || len(text) > 32 || len(text)%8 != 0 {
		return nil
	}
	lo, err := strconv.ParseUint(text[max(len(text)-16, 0):], 16, 64)
	if err != nil {
		return nil
	}
	return c.each(assetRow+"id_lo = ?1", func(v []driver.Value) {
		if assetText(v[2:]) == text {
			row(text, v[0], v[1])
		}
	}, int64(lo))
}

func assetByID(c *TextTables, ids []driver.Value, row func(...driver.Value)) error {
	return c.each(assetRow+"archive_id = ?1 AND row = ?2", func(v []driver.Value) {
		row(assetText(v[2:]), v[0], v[1])
	}, ids...)
}

// assetText is the column asset_id of the view entries, from id_hi, id_lo and id_bits.
func assetText(v []driver.Value) driver.Value {
	hi, _ := v[0].(int64)
	lo, _ := v[1].(int64)
	switch bits, _ := v[2].(int64); bits {
	case 32:
		return fmt.Sprintf("%08x", uint64(lo))
	case 64:
		return fmt.Sprintf("%016x", uint64(lo))
	case 96:
		return fmt.Sprintf("%08x%016x", uint64(hi), uint64(lo))
	case 128:
		return fmt.Sprintf("%016x%016x", uint64(hi), uint64(lo))
	}
	return nil
}

func hexByText(_ *TextTables, text string, row func(...driver.Value)) error {
	n, err := strconv.ParseUint(text, 16, 64)
	if err == nil && fmt.Sprintf("%016x", n) == text {
		row(text, int64(n))
	}
	return nil
}

func hexByID(_ *TextTables, ids []driver.Value, row func(...driver.Value)) error {
	if n, ok := ids[0].(int64); ok {
		row(fmt.Sprintf("%016x", uint64(n)), n)
	}
	return nil
}
