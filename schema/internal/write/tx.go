package write

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
)

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
	rows, err := t.sql.QueryContext(t, query)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var row int
		var id int64
		if err := rows.Scan(&row, &id); err != nil {
			return err
		}
		found(row, id)
	}
	return rows.Err()
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
