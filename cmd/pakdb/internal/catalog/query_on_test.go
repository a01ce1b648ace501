package catalog

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"pakdb/query"
)

// copiesServer answers as ClickHouse with the builds 1.0 and 1.1 and what answer says of other
// statements, and returns its address.
func copiesServer(t *testing.T, answer func(sql string, r *http.Request) (code int, text string)) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		text := "1\n"
		switch sql := string(body); {
		case sql == "SELECT build FROM builds ORDER BY created_at, build":
			text = rowsOf("build", `"1.0"`, `"1.1"`)
		case sql != "SELECT 1 FORMAT TabSeparated":
			var code int
			if code, text = answer(sql, r); code > 0 {
				w.Header().Set("X-ClickHouse-Exception-Code", strconv.Itoa(code))
				w.WriteHeader(http.StatusInternalServerError)
			}
		}
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(server.Close)
	return "clickhouse" + strings.TrimPrefix(server.URL, "http") + "/game"
}

func rowsOf(column string, values ...string) string {
	text := `["` + column + `"]` + "\n" + `["String"]` + "\n"
	for _, v := range values {
		text += "[" + v + "]\n"
	}
	return text
}

// TestQueryOn: what is asked of copies has the output of what is asked of a catalog.
func TestQueryOn(t *testing.T) {
	address := copiesServer(t, func(sql string, r *http.Request) (int, string) {
		if want := map[bool]string{true: "1000000", false: ""}[strings.Contains(sql, "memory")]; r.URL.Query().Get("max_memory_usage") != want {
			t.Errorf("%s: memory %q", sql, r.URL.Query().Get("max_memory_usage"))
		}
		return 0, rowsOf("sql", strconv.Quote(sql+r.URL.Query().Get("param_build")+r.URL.Query().Get("param_u")))
	})
	t.Setenv("PAKDB_QUERIES", t.TempDir())
	for _, c := range []struct {
		args        []string
		want, notes string
	}{
		{[]string{"SELECT 1; -- ;\nSELECT ';' ;"}, "sql\nSELECT 1\n\nsql\nSELECT ';'\n", ""},
		{[]string{"SELECT 1; SELECT 2", "--format", "json"}, "[\n{\"sql\":\"SELECT 1\"}\n]\n[\n{\"sql\":\"SELECT 2\"}\n]\n", ""},
		{[]string{" -- nothing"}, "", ""},
		{[]string{"memory", "--max-memory", "1MB"}, "sql\nmemory\n", ""},
		{[]string{":build"}, "sql\n{build:String}1.1\n", ""},
		{[]string{":build", "--build", "1.0"}, "sql\n{build:String}1.0\n", ""},
		{[]string{"{u:String}", "-p", "u=x"}, "sql\n{u:String}x\n", ""},
		{[]string{"2", "--build", "1.0"}, "sql\n2\n", "pakdb: warning: --build 1.0 has no effect: nothing here says :build\n"},
	} {
		args := append([]string{"--on", address, "--format", "csv"}, c.args...)
		if got, notes, err := runQuery("absent.db", "", args...); got != c.want || notes != c.notes || err != nil {
			t.Errorf("%q: %q %q %v", c.args, got, notes, err)
		}
	}
	for args, want := range map[string]string{"--list": "@churn ", "--show @churn": "row_number()", "@churn --help": "--on clickhouse://", "@callers --help": ""} {
		got, _, err := runQuery("absent.db", "", append([]string{"--on", address}, strings.Fields(args)...)...)
		if !strings.Contains(got, want) || strings.Contains(got, "callers") || err != nil {
			t.Errorf("%s: %q %v", args, got, err)
		}
	}
}

// TestQueryOnErrors: mistakes have the class that they have with a catalog, and never lead
// to it.
func TestQueryOnErrors(t *testing.T) {
	refuse := func(code int, text string) string {
		return copiesServer(t, func(string, *http.Request) (int, string) { return code, text })
	}
	t.Setenv("PAKDB_QUERIES", t.TempDir())
	fine := refuse(0, rowsOf("a", "1"))
	for _, c := range []struct {
		name  string
		args  []string
		usage bool
		hint  string
	}{
		{"no address", []string{"--on", "", "SELECT 1"}, true, "clickhouse://user@host"},
		{"bad SQL", []string{"--on", refuse(62, "Code: 62. Syntax error"), "SELEC"}, true, ""},
		{"parameter", []string{"--on", refuse(62, "Code: 62. Syntax error"), "SELECT :x"}, true, "-p x=value"},
		{"no table", []string{"--on", refuse(60, "Code: 60. Unknown table"), "SELECT 1 FROM entries"}, true, "pakdb push"},
		{"memory", []string{"--on", refuse(241, "Code: 241. Memory limit"), "SELECT 1"}, false, ""},
		{"no rows", []string{"--on", refuse(0, "PAR1"), "SELECT 1 FORMAT Parquet"}, false, "FORMAT"},
		{"unused", []string{"--on", fine, "SELECT ':x'", "-p", "x=1"}, true, ""},
		{"argument", []string{"--on", fine, "SELECT ?", "1"}, true, "-p name=value"},
		{"build", []string{"--on", fine, "SELECT 1", "--build", "9"}, true, " @builds lists them"},
		{"not portable", []string{"--on", fine, "--show", "@callers"}, true, "@churn"},
	} {
		out, _, err := runQuery("absent.db", "", c.args...)
		var hint interface{ Hint() string }
		if !errors.As(err, &hint) && c.hint != "" || c.hint != "" && !strings.Contains(hint.Hint(), c.hint) || errors.Is(err, query.ErrUsage) != c.usage || err == nil || out != "" {
			t.Errorf("%s: %q %v", c.name, out, err)
		}
	}
	slow := copiesServer(t, func(_ string, r *http.Request) (int, string) {
		<-r.Context().Done()
		return 0, ""
	})
	_, _, err := runQuery("absent.db", "", "--on", slow, "SELECT 1", "--timeout", "300ms")
	if !errors.Is(err, context.DeadlineExceeded) || !strings.HasPrefix(err.Error(), "the time is up") {
		t.Errorf("--timeout: %v", err)
	}
}
