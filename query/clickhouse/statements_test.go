package clickhouse_test

import (
	"slices"
	"strings"
	"testing"

	"pakdb/query/clickhouse"
)

// TestStatements: texts are cut, and parameters found, where ClickHouse would.
func TestStatements(t *testing.T) {
	for text, want := range map[string]struct{ statements, params []string }{
		"":                             {},
		" ; -- nothing ;\n;":           {},
		"SELECT 1;\nSELECT :a;":        {[]string{"SELECT 1", "SELECT :a"}, []string{"a"}},
		`SELECT 'it\'s; :x', ';;' ; 2`: {[]string{`SELECT 'it\'s; :x', ';;'`, "2"}, nil},
		`SELECT 'a''b;' || ':c'`:       {[]string{`SELECT 'a''b;' || ':c'`}, nil},
		"SELECT \"a;b\", `c;\\`d;`":    {[]string{"SELECT \"a;b\", `c;\\`d;`"}, nil},
		"SELECT $$a;:b$$, $t$;$$;$t$":  {[]string{"SELECT $$a;:b$$, $t$;$$;$t$"}, nil},
		"SELECT /* ; :x */ 1 # ; :y\n": {[]string{"SELECT /* ; :x */ 1"}, nil},
		"SELECT x::Int64, @b, $c, :b":  {[]string{"SELECT x::Int64, @b, $c, :b"}, []string{"b", "c"}},
		"SELECT 'never ends; :x":       {[]string{"SELECT 'never ends; :x"}, nil},
		"SELECT é:ü; $":                {[]string{"SELECT é:ü", "$"}, []string{"ü"}},
		"SELECT a1:b2":                 {[]string{"SELECT a1:b2"}, []string{"b2"}},
	} {
		if got := clickhouse.Statements(text); !slices.Equal(got, want.statements) {
			t.Errorf("%q: %q", text, got)
		}
		if got := clickhouse.Parameters(text); !slices.Equal(got, want.params) {
			t.Errorf("%q: parameters %q", text, got)
		}
	}
}

// FuzzStatements: any text is cut into parts of itself, in order.
func FuzzStatements(f *testing.F) {
	for _, text := range []string{"a;b", `'\`, "$$", "$a", "/*", "::", "--", "`;"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rest := text
		for _, s := range clickhouse.Statements(text) {
			_, after, ok := strings.Cut(rest, s)
			if s == "" || !ok {
				t.Fatalf("%q is no part of %q", s, rest)
			}
			rest = after
		}
		for _, name := range clickhouse.Parameters(text) {
			if name == "" || !strings.Contains(text, name) {
				t.Fatalf("parameter %q", name)
			}
		}
	})
}
