package query_test

import (
	"errors"
	"strings"
	"testing"

	"pakdb/query"
)

func TestRows(t *testing.T) {
	for format, want := range map[string]string{
		"json":  "[\n{\"n\":1,\"s\":null},\n{\"n\":2,\"s\":\"x\"}\n]\n",
		"jsonl": "{\"n\":1,\"s\":null}\n{\"n\":2,\"s\":\"x\"}\n",
		"csv":   "n,s\n1,\n2,x\n",
		"tsv":   "n\ts\n1\t\n2\tx\n",
	} {
		var b strings.Builder
		rows, err := query.Output{W: &b, Format: format}.Rows("n", "s")
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(rows.Write(int64(1), nil), rows.Write(int64(2), "x"), rows.Close()); err != nil {
			t.Fatal(err)
		}
		if b.String() != want {
			t.Errorf("%s: %q, want %q", format, b.String(), want)
		}
	}
	if _, err := (query.Output{Format: "xml"}).Rows("n"); !errors.Is(err, query.ErrUsage) {
		t.Errorf("unknown format: %v", err)
	}
}

func TestRowsWithoutRows(t *testing.T) {
	for format, want := range map[string]string{"json": "[]\n", "jsonl": "", "csv": "n\n"} {
		var b strings.Builder
		rows, err := query.Output{W: &b, Format: format}.Rows("n")
		if err != nil {
			t.Fatal(err)
		}
		if err := rows.Close(); err != nil || b.String() != want {
			t.Errorf("%s: %q, %v", format, b.String(), err)
		}
	}
}
