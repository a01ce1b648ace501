package shell_test

import (
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"pakdb/cmd/pakdb/internal/shell"
	"pakdb/query"
)

func TestCompleteWithinALine(t *testing.T) {
	all, err := query.Load("")
	if err != nil {
		t.Fatal(err)
	}
	head, words, tail := shell.CompleteAt(shell.Config{DB: newDB(t), Library: all}, "SELECT 'é', 1 FROM entrie WHERE 1;", 25)
	if head != "SELECT 'é', 1 FROM " || !slices.Equal(words, []string{"entries"}) || tail != " WHERE 1;" {
		t.Errorf("%q %q %q", head, words, tail)
	}
}

func TestHistory(t *testing.T) {
	c := shell.Config{History: filepath.Join(t.TempDir(), "new", "history")}
	if got := shell.PastInput(c); len(got) != 0 {
		t.Errorf("of no file: %q", got)
	}
	for _, lines := range [][]string{{"SELECT 1;"}, {"SELECT 'a", "b';"}} {
		if err := shell.KeepHistory(c, lines); err != nil {
			t.Fatal(err)
		}
	}
	if got := shell.PastInput(c); !slices.Equal(got, []string{"SELECT 1;", "SELECT 'a", "b';"}) {
		t.Errorf("%q", got)
	}
	var many []string
	for i := range 2500 {
		many = append(many, strconv.Itoa(i))
	}
	if err := shell.KeepHistory(c, many); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the file has become shorter too
		if got := shell.PastInput(c); len(got) != 1000 || got[0] != "1500" || got[999] != "2499" {
			t.Errorf("%d lines, from %q", len(got), got[:1])
		}
	}
	if err := shell.KeepHistory(shell.Config{}, many); err != nil {
		t.Errorf("without a file: %v", err)
	}
}
