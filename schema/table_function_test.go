package schema_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"
	"testing"

	"pakdb/schema"
)

// counting counts from one number to another.
func counting() schema.TableFunction {
	return schema.TableFunction{Name: "counting", Columns: []string{"n"}, Params: []string{"first", "last"},
		Rows: func(_ context.Context, args []driver.Value, add func([]driver.Value) error) error {
			first, _ := args[0].(int64)
			last, _ := args[1].(int64)
			for n := first; n <= last; n++ {
				if n == 13 {
					return errors.New("unlucky")
				}
				if err := add([]driver.Value{n}); err != nil {
					return err
				}
			}
			return nil
		}}
}

func TestTableFunction(t *testing.T) {
	c, path := newCatalog(t)
	writeBuild(t, c, "one", []*schema.Entry{entry(1), entry(2)})
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := schema.OpenReadOnlyWith(context.Background(), path, nil, []schema.TableFunction{counting()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for query, want := range map[string]int{
		"SELECT sum(n) FROM counting(1, 4)":                                                          10,
		"SELECT count(*) FROM counting(5, 4)":                                                        0,
		"SELECT n FROM counting(1, 1000000) LIMIT 1":                                                 1, // ends early
		"SELECT sum(c.n) FROM counting(1, 3) a, counting(a.n, 3) c":                                  14,
		"SELECT count(*) FROM entries e JOIN counting(1, e.ordinal) WHERE e.build = 'one'":           3,
		"SELECT sum(n) FROM counting WHERE last = 3 AND first = 2":                                   5,
		"SELECT first * 100 + last FROM counting(2, 7) LIMIT 1":                                      207,
		"SELECT sum(n) FROM counting(10, 20) WHERE n < 12 AND n IN (SELECT n FROM counting(11, 11))": 0,
	} {
		var got sql.NullInt64
		err := db.QueryRow(query).Scan(&got)
		if strings.Contains(query, "(10, 20)") {
			if err == nil { // the driver passes on that there is one, not its text
				t.Errorf("%s: no error, want the function's", query)
			}
			continue
		}
		if err != nil || int(got.Int64) != want {
			t.Errorf("%s: %d, %v, want %d", query, got.Int64, err, want)
		}
	}
	for _, bad := range []string{"SELECT * FROM counting", "SELECT * FROM counting(1)", "INSERT INTO counting (n) VALUES (1)",
		"DROP TABLE counting", "CREATE VIRTUAL TABLE temp.more USING pakdb_counting", "CREATE TEMP TABLE x (a)", "PRAGMA query_only = 0"} {
		if _, err := db.Exec(bad); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
	var on int
	if err := db.QueryRow("SELECT count(*) FROM pragma_query_only WHERE query_only = 1").Scan(&on); err == nil && on != 1 {
		t.Errorf("query_only is off")
	}
}

func TestCopy(t *testing.T) {
	c, path := newCatalog(t)
	writeBuild(t, c, "one", []*schema.Entry{entry(1)})
	to := path + ".copy"
	if err := schema.Copy(context.Background(), path, to); err != nil { // while it is open
		t.Fatal(err)
	}
	writeBuild(t, c, "two", []*schema.Entry{entry(2)})
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if n := scan[int](t, readDB(t, to), "SELECT count(*) FROM builds"); n != 1 {
		t.Errorf("%d builds in the copy, want 1", n)
	}
}
