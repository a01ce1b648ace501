package write

import (
	"database/sql/driver"
	"strconv"
	"strings"
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
func (tb *table[R]) insert(t *tx, rows []R) error {
	if len(rows) == 0 {
		return nil
	}
	if err := tb.addWords(t, rows); err != nil {
		return err
	}
	query, value := tb.statement(t.words, rows)
	return t.exec(query, len(rows), value)
}

// insertNumbered adds rows whose ids are first and those that follow.
func (tb *table[R]) insertNumbered(t *tx, first int64, rows []R) error {
	if len(rows) == 0 {
		return nil
	}
	if err := tb.addWords(t, rows); err != nil {
		return err
	}
	query, value := tb.statement(t.words, rows)
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
