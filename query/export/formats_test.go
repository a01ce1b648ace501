package export

import (
	"bytes"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"pakdb/schema"
)

// TestTexts: NULL, empty texts, quotes, line breaks and numbers in CSV and JSON.
func TestTexts(t *testing.T) {
	columns := []schema.ViewColumn{{Name: "a", Type: "text"}, {Name: "b", Type: "integer"}, {Name: "c", Type: "real"}}
	for format, want := range map[string]string{
		"csv":   "a,b,c\n,1,0.5\n\"\",-2,\n\"x\"\"y,\nz\",3,1e+100\n",
		"jsonl": `{"a":null,"b":1,"c":0.5}` + "\n" + `{"a":"","b":-2,"c":null}` + "\n" + `{"a":"x\"y,\nz","b":3,"c":1e+100}` + "\n",
	} {
		var out bytes.Buffer
		e := newEncoder(format, &out, columns)
		for _, row := range [][]any{{nil, int64(1), 0.5}, {"", int64(-2), nil}, {"x\"y,\nz", int64(3), 1e100}} {
			if err := e.write(row); err != nil {
				t.Fatal(err)
			}
		}
		if err := e.close(); err != nil || out.String() != want {
			t.Errorf("%s: %v\n%s", format, err, out.String())
		}
	}
}

// TestTimes: times of all years that SQLite writes are instants; what is no time is an error
// that names the column.
func TestTimes(t *testing.T) {
	columns := []schema.ViewColumn{{Name: "at", Type: "time"}}
	for text, want := range map[string]int64{
		"1970-01-01 00:00:00": 0, "2014-12-31T04:26:56Z": 1420000016000, "1601-01-01 00:00:00": -11644473600000, "-0001-01-01 00:00:00": -62198755200000, "noon": 1,
	} {
		var out bytes.Buffer
		e := newEncoder("parquet", &out, columns)
		err := e.write([]any{text})
		if text == "noon" {
			if err == nil || !strings.Contains(err.Error(), "column at") {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		if err != nil || e.close() != nil {
			t.Fatalf("%s: %v", text, err)
		}
		f, err := parquet.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len()))
		if err != nil {
			t.Fatal(err)
		}
		rows := make([]parquet.Row, 1)
		if n, _ := f.RowGroups()[0].Rows().ReadRows(rows); n != 1 || rows[0][0].Int64() != want {
			t.Errorf("%s: %v, want %d", text, rows, want)
		}
	}
}
