package write

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strconv"
	"strings"

	"pakdb/schema/internal/conn"
)

// table is a table of the catalog, and what rows made from an R have in its columns.
type table[R any] struct {
	name    string
	verb    string // "" is INSERT
	columns []column[R]
	tail    string // of the statement
}

// column is one column of a table. One of its functions is set; ok is false for NULL.
type column[R any] struct {
	name   string
	number func(R) (v int64, ok bool)
	bytes  func(R) []byte // nil is NULL
	text   func(R) (s string, ok bool)
	word   func(R) (s string, ok bool) // stored as an id of table word
}

func number[R any](name string, value func(R) int64) column[R] {
	return column[R]{name: name, number: func(r R) (int64, bool) { return value(r), true }}
}

func maybeNumber[R any](name string, value func(R) (int64, bool)) column[R] {
	return column[R]{name: name, number: value}
}

func bytesOf[R any](name string, value func(R) []byte) column[R] {
	return column[R]{name: name, bytes: value}
}

func text[R any](name string, value func(R) string) column[R] {
	return column[R]{name: name, text: func(r R) (string, bool) { return value(r), true }}
}

func word[R any](name string, value func(R) string) column[R] {
	return column[R]{name: name, word: func(r R) (string, bool) { return value(r), true }}
}

func maybeWord[R any](name string, value func(R) (string, bool)) column[R] {
	return column[R]{name: name, word: value}
}

// literal returns what all rows have in c as SQL has it, if that is one number or NULL.
// Most columns of most archives are like that: what a column costs to pull, a sixteenth
// of a row, is spent on the others only.
func (c *column[R]) literal(words map[string]int64, rows []R) (sql string, ok bool) {
	switch {
	case c.number != nil:
		v, ok := c.number(rows[0])
		for _, r := range rows[1:] {
			if w, set := c.number(r); w != v || set != ok {
				return "", false
			}
		}
		return literal(v, ok), true
	case c.word != nil:
		s, ok := c.word(rows[0])
		for _, r := range rows[1:] {
			if w, set := c.word(r); w != s || set != ok {
				return "", false
			}
		}
		return literal(words[s], ok), true
	case c.bytes != nil:
		for _, r := range rows {
			if c.bytes(r) != nil {
				return "", false
			}
		}
		return "NULL", true
	}
	return "", false
}

func literal(v int64, ok bool) string {
	if !ok {
		return "NULL"
	}
	return strconv.FormatInt(v, 10)
}

// value returns what a row has in c.
func (c *column[R]) value(words map[string]int64, r R) driver.Value {
	switch {
	case c.number != nil:
		return orNull(c.number(r))
	case c.word != nil:
		s, ok := c.word(r)
		return orNull(words[s], ok)
	case c.bytes != nil:
		if b := c.bytes(r); b != nil {
			return b
		}
		return nil
	}
	s, ok := c.text(r)
	if !ok {
		return nil
	}
	return s
}

func orNull(v int64, ok bool) driver.Value {
	if !ok {
		return nil
	}
	return v
}

// addWords adds the words that rows name, row by row.
func (tb *table[R]) addWords(t *tx, rows []R) error {
	for _, r := range rows {
		for i := range tb.columns {
			if tb.columns[i].word == nil {
				continue
			}
			if s, ok := tb.columns[i].word(r); ok {
				if err := t.addWords(s); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// insert adds rows, and the words that they name.
func (tb *table[R]) insert(t *tx, rows []R) error { return tb.insertNumbered(t, 0, rows) }

// insertNumbered adds rows whose ids are first and those that follow; 0: they have others.
func (tb *table[R]) insertNumbered(t *tx, first int64, rows []R) error {
	if len(rows) == 0 {
		return nil
	}
	if err := tb.addWords(t, rows); err != nil {
		return err
	}
	query, value := tb.statement(t.words, rows)
	if first == 0 {
		return t.exec(query, len(rows), value)
	}
	return t.execNumbered(query, first, len(rows), value)
}

// statement returns what inserts rows from temp.src, and the values of that.
func (tb *table[R]) statement(words map[string]int64, rows []R) (query string, value func(row, col int) driver.Value) {
	var names, exprs []string
	var pulled []*column[R]
	for i := range tb.columns {
		c := &tb.columns[i]
		expr, ok := c.literal(words, rows)
		switch {
		case ok && expr == "NULL":
			continue
		case !ok:
			expr = string(rune('a' + len(pulled)))
			pulled = append(pulled, c)
		}
		names, exprs = append(names, c.name), append(exprs, expr)
	}
	verb := tb.verb
	if verb == "" {
		verb = "INSERT"
	}
	query = verb + " INTO " + tb.name + " (" + strings.Join(names, ", ") + ") SELECT " + strings.Join(exprs, ", ") + " FROM src" + tb.tail
	return query, func(row, col int) driver.Value { return pulled[col].value(words, rows[row]) }
}

// pointers returns the addresses of elements.
func pointers[T any](elements []T) []*T {
	all := make([]*T, len(elements))
	for i := range elements {
		all[i] = &elements[i]
	}
	return all
}

// tx is a transaction in which rows in memory go into the catalog.
type tx struct {
	context.Context
	*writer
	sql *sql.Tx
}

// exec runs a statement with temp.src showing n rows; it does nothing for none.
func (t *tx) exec(query string, n int, value func(row, col int) driver.Value) error {
	_, err := t.execCounted(query, n, value)
	return err
}

// execCounted is exec that returns how many rows the statement changed.
func (t *tx) execCounted(query string, n int, value func(row, col int) driver.Value) (changed int64, err error) {
	res, err := t.run(query, n, value)
	if res == nil || err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// execNumbered is exec for rows whose ids the interner has handed out, one
// after the other from first. SQLite hands out the same, and that it does costs
// less than to be reported: a row with its id is looked for before it is added.
func (t *tx) execNumbered(query string, first int64, n int, value func(row, col int) driver.Value) error {
	res, err := t.run(query, n, value)
	if res == nil || err != nil {
		return err
	}
	last, err := res.LastInsertId()
	if want := first + int64(n) - 1; err == nil && last != want {
		err = fmt.Errorf("%s: the last id is %d, not %d", query, last, want)
	}
	return err
}

func (t *tx) run(query string, n int, value func(row, col int) driver.Value) (res sql.Result, err error) {
	if n == 0 {
		return nil, nil
	}
	t.src.Set(n, value)
	if res, err = t.sql.ExecContext(t, query); err != nil {
		err = fmt.Errorf("%s: %w", query, err)
	}
	return res, err
}

// find runs a look-up with temp.src showing n rows; the query yields the row's
// number and the id found.
func (t *tx) find(query string, n int, value func(row, col int) driver.Value, found func(row int, id int64)) error {
	if n == 0 {
		return nil
	}
	t.src.Set(n, value)
	return conn.Each(t, t.sql, func(rows *sql.Rows) error {
		var row int
		var id int64
		err := rows.Scan(&row, &id)
		if err == nil {
			found(row, id)
		}
		return err
	}, query)
}

// word returns the id of a short string in table word, adding it if need be.
func (t *tx) word(s string) (int64, error) {
	if id, ok := t.words[s]; ok {
		return id, nil
	}
	res, err := t.sql.ExecContext(t, "INSERT INTO x_word (word) VALUES (?)", s)
	if err != nil {
		return 0, err
	}
	id, err := res.LastInsertId()
	t.words[s] = id
	return id, err
}

func (t *tx) addWords(words ...string) error {
	for _, s := range words {
		if _, err := t.word(s); err != nil {
			return err
		}
	}
	return nil
}
