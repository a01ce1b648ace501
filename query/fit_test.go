package query_test

import (
	"database/sql/driver"
	"fmt"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"pgregory.net/rapid"

	"pakdb/query"
)

// wide has what does not fit: long paths and texts, wide and combining characters,
// and one column more than 40 cells have room for.
const wide = `SELECT 1234567 AS size_in_bytes, 'Calligraphy/Powers/Player/SpiderMan/Passive/WebSwingMovement.prototype' AS path,
	'a text without any folder that goes on for a while' AS remark, 'abcdef' AS short
UNION ALL SELECT 9007199254740993, 'Game/日本語/ファイル/とても長い名前のファイル.uasset', 'e' || char(0x301) || ' ' || char(27) || '[31mred', NULL;
SELECT 1 AS a, 22 AS b, 'x' AS c;
SELECT path AS one, path AS two, path AS three, path AS four, path AS five, size, size * 1000000007 AS large FROM entries ORDER BY path LIMIT 2`

func TestTableFitsItsTerminal(t *testing.T) {
	db := openSmall(t)
	for _, cells := range []int{40, 80, 120} {
		got, err := run(t, db, wide, query.Args{}, query.Output{Width: cells, Null: "NULL"})
		if err != nil {
			t.Fatal(err)
		}
		golden(t, fmt.Sprintf("fit-%d.table", cells), got)
		for line := range strings.Lines(got) {
			if n := displaywidth.String(strings.TrimSuffix(line, "\n")); n > cells && strings.Contains("┌│├└", line[:len("│")]) {
				t.Errorf("%d cells, want %d: %s", n, cells, line)
			}
		}
	}
}

// A cell that comes after the widths were decided is shortened too.
func TestLongTableFitsItsTerminal(t *testing.T) {
	db := openSmall(t)
	const text = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
		SELECT i, CASE WHEN i > 1000 THEN 'Game/' || hex(zeroblob(100)) ELSE 'Game/A' END AS path FROM n`
	got, err := run(t, db, text, query.Args{}, query.Output{Width: 30})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(got, "\n")
	for _, line := range lines[:len(lines)-1] {
		if n, first := displaywidth.String(line), displaywidth.String(lines[0]); n != first || n > 30 {
			t.Fatalf("%d cells, of the first line %d: %s", n, first, line)
		}
	}
}

func TestFittedTableProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.IntRange(1, 120).Draw(t, "width")
		columns := rapid.IntRange(1, 6).Draw(t, "columns")
		var b strings.Builder
		rows, err := query.Output{W: &b, Width: cells}.Rows(strings.Split(strings.Repeat(",name_of_it", columns)[1:], ",")...)
		if err != nil {
			t.Fatal(err)
		}
		number := rapid.Int64Range(1e15, 9e15).Draw(t, "number") // no other text has it
		for range 3 {
			values := []driver.Value{number}
			for range columns - 1 {
				values = append(values, rapid.String().Draw(t, "text"))
			}
			if err := rows.Write(values...); err != nil {
				t.Fatal(err)
			}
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
		got := b.String()
		if n := strings.Count(got, fmt.Sprint(number)); n != 3 {
			t.Fatalf("the number is there %d times:\n%s", n, got)
		}
		for line := range strings.Lines(got) {
			line = strings.TrimSuffix(line, "\n")
			if strings.HasPrefix(got, "┌") && displaywidth.String(line) > cells {
				t.Fatalf("more than %d cells:\n%s", cells, got)
			}
		}
	})
}

// Nothing that a catalog holds commands a terminal, whatever the format.
func TestNothingCommandsATerminal(t *testing.T) {
	db := openSmall(t)
	const text = `SELECT 'a' || char(27) || ']0;title' || char(7) || char(0x9b) || '31m' || char(0x202e) || char(13) || '\' AS "v` + "\x1b[2J" + `"`
	for _, format := range query.Formats() {
		got, err := run(t, db, text, query.Args{}, query.Output{Format: format, Escape: true})
		if err != nil {
			t.Fatal(err)
		}
		if i := strings.IndexAny(got, "\x1b\x07\u009b\r"); i >= 0 {
			t.Errorf("%s: %q", format, got)
		}
	}
	raw, err := run(t, db, text, query.Args{}, query.Output{Format: "csv"})
	if err != nil || !strings.Contains(raw, "\x1b]0;title\a\u009b31m") {
		t.Errorf("csv for a program: %q, %v", raw, err)
	}
}
