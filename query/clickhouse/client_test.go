package clickhouse_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"pakdb/query"
	"pakdb/query/clickhouse"
)

func TestAddress(t *testing.T) {
	for text, want := range map[string]string{
		"clickhouse://localhost":                        "clickhouse://default@localhost:8123/default",
		"clickhouse://me@db.example:9000/game?secure=0": "clickhouse://me@db.example:9000/game",
		"clickhouse://db.example/game?secure=1":         "clickhouse://default@db.example:8443/game",
		"clickhouse://[::1]/x_1":                        "clickhouse://default@[::1]:8123/x_1",
		"clickhouse://me:secret@db.example/game":        "",
		"clickhouse://db.example/game;DROP":             "",
		"clickhouse://db.example/a/b":                   "",
		"clickhouse://db.example/?readonly=0":           "",
		"clickhouse://db.example/?secure=2":             "",
		"clickhouse:///game":                            "",
		"http://db.example/game":                        "",
		"clickhouse://db.example:0/game":                "",
		"clickhouse://db.example:65536/game":            "",
		"clickhouse://db.example/1game":                 "",
	} {
		a, err := clickhouse.ParseAddress(text)
		if want == "" {
			if !errors.Is(err, query.ErrUsage) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		if err != nil || a.String() != want {
			t.Errorf("%s: %v, %v", text, a, err)
		}
	}
}

func TestPassword(t *testing.T) {
	t.Setenv(clickhouse.PasswordVariable, "")
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(clickhouse.PasswordFileVariable, file)
	two := filepath.Join(t.TempDir(), "two")
	if err := os.WriteFile(two, []byte("s3cret\nnote\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(clickhouse.PasswordFileVariable, two)
	if _, err := clickhouse.ParseAddress("clickhouse://db"); !errors.Is(err, query.ErrUsage) || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("two lines: %v", err)
	}
	t.Setenv(clickhouse.PasswordFileVariable, file)
	got := make(chan http.Header, 1)
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got <- r.Header
		if strings.Contains(r.URL.String(), "s3cret") {
			t.Error("the password is in the address")
		}
		answer(w)
	})
	ask(t, c, "SELECT 1", nil)
	if h := <-got; h.Get("X-ClickHouse-User") != "default" || h.Get("X-ClickHouse-Key") != "s3cret" {
		t.Errorf("%v", h)
	}
	for address, want := range map[string]bool{"clickhouse://localhost": false, "clickhouse://127.0.0.1": false, "clickhouse://db": true, "clickhouse://db?secure=1": false} {
		if a, err := clickhouse.ParseAddress(address); err != nil || a.Exposed() != want {
			t.Errorf("%s: %v", address, err)
		}
	}
}

const rows = `["a", "b"]` + "\n" + `["String", "Int64"]` + "\n"

func answer(w io.Writer) { _, _ = io.WriteString(w, rows+`["x", 1]`+"\n") }

func serve(t *testing.T, handle http.HandlerFunc) *clickhouse.Client {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	c := client(t, "clickhouse"+strings.TrimPrefix(server.URL, "http")+"/game")
	clickhouse.Hurry(c)
	return c
}

// TestAsk: each request can only read, is bounded, and has values apart from the text.
func TestAsk(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		v := r.URL.Query()
		for name, want := range map[string]string{"readonly": "2", "join_use_nulls": "1", "database": "game", "param_a": `x\\\'\n` + "'", "param_n": "-5", "param_none": `\N`} {
			want = strings.ReplaceAll(want, `\\\'`, `\\'`)
			if v.Get(name) != want {
				t.Errorf("%s: %q, want %q", name, v.Get(name), want)
			}
		}
		for _, name := range []string{"max_execution_time", "max_result_rows"} {
			if v.Get(name) == "" || v.Get(name) == "0" {
				t.Errorf("%s is %q", name, v.Get(name))
			}
		}
		if want := "SELECT {a:String}, {n:Int64}::Int64, ':a', {none:Nullable(String)}, {b:String}"; string(body) != want || r.Method != http.MethodPost {
			t.Errorf("%s %s", r.Method, body)
		}
		_, _ = io.WriteString(w, rows+`["1", 18446744073709551615]`+"\n"+`[null, [1,2]]`+"\n"+`["é\n", 1.5]`+"\n"+`[true, -3]`+"\n")
	})
	var got [][]driver.Value
	err := c.Ask(t.Context(), "SELECT :a, $n::Int64, ':a', @none, {b:String}", map[string]driver.Value{"a": "x\\'\n'", "n": int64(-5), "none": nil},
		func(names []string) error {
			if !reflect.DeepEqual(names, []string{"a", "b"}) {
				t.Errorf("columns %q", names)
			}
			return nil
		}, func(row []driver.Value) error { got = append(got, row); return nil })
	want := [][]driver.Value{{"1", "18446744073709551615"}, {nil, "[1,2]"}, {"é\n", 1.5}, {int64(1), int64(-3)}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v: %#v", err, got)
	}
	none := func([]string) error { return nil }
	for _, text := range []string{"", "SELECT 1; SELECT 2", ";", "-- SELECT"} {
		if err := c.Ask(t.Context(), text, nil, none, func([]driver.Value) error { return nil }); !errors.Is(err, query.ErrUsage) {
			t.Errorf("%q: %v", text, err)
		}
	}
	each := func([]driver.Value) error { return nil }
	for name, v := range map[string]driver.Value{"a b": "x", "a}": "x", "blob": []byte("x")} {
		if err := c.Ask(t.Context(), "SELECT 1", map[string]driver.Value{name: v}, none, each); !errors.Is(err, query.ErrUsage) {
			t.Errorf("parameter %q: %v", name, err)
		}
	}
}

// TestHostileServer: what is no answer is an error, and takes no more memory than a row may.
func TestHostileServer(t *testing.T) {
	for name, body := range map[string]string{
		"nothing": "", "no JSON": "<html>", "no types": `["a"]` + "\n", "other types": `["a"]` + "\n" + `["a","b"]` + "\n",
		"short row": rows + `["x"]` + "\n", "long row": rows + `["x",1,2]` + "\n", "cut row": rows + `["x", 1`, "object": rows + `{"a": 1}` + "\n",
		"exception": rows + "Code: 241. DB::Exception: Memory limit exceeded\n", "bad text": rows + `["\ud8", 1]` + "\n", "empty cell": rows + `[,1]` + "\n",
		"deep": rows + strings.Repeat("[", 1_000_000) + "\n",
	} {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
		err := c.Ask(t.Context(), "SELECT 1", nil, func([]string) error { return nil }, func([]driver.Value) error { return nil })
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return
			}
		}
	})
	if err := c.Prepare(t.Context()); err == nil {
		t.Error("an endless answer was taken")
	}
	c = serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, rows+`["x", 1]`+"\n")
	})
	if err := c.Ask(t.Context(), "SELECT 1", nil, func([]string) error { return nil }, func([]driver.Value) error { return nil }); err == nil {
		t.Error("an answer that is cut short was taken")
	}
}

// TestErrors: requests are made again where that helps, and nowhere else; nobody is led to
// another server.
func TestErrors(t *testing.T) {
	for _, test := range []struct {
		status, code, want int
		text               string
	}{
		{500, 202, 3, "Too many simultaneous queries"}, {503, 0, 3, ""}, {500, 252, 3, "Too many parts"},
		{500, 60, 1, "Unknown table \x1b[31m"}, {401, 516, 1, "Authentication failed"}, {500, 0, 1, "odd"}, {302, 0, 1, ""},
	} {
		requests := 0
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			if requests++; requests == 3 {
				answer(w)
				return
			}
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.Header().Set("X-ClickHouse-Exception-Code", map[bool]string{true: "x", false: ""}[test.code == 0])
			if test.code > 0 {
				w.Header().Set("X-ClickHouse-Exception-Code", itoa(test.code))
			}
			w.WriteHeader(test.status)
			_, _ = io.WriteString(w, test.text+"\nsecond line")
		})
		err := c.Ask(t.Context(), "SELECT 1", nil, func([]string) error { return nil }, func([]driver.Value) error { return nil })
		if requests != test.want || (err == nil) != (test.want == 3) {
			t.Errorf("%d, %d: %d requests: %v", test.status, test.code, requests, err)
		}
		if err != nil && (strings.Contains(err.Error(), "\x1b") || test.text != "" && strings.Contains(err.Error(), "second line")) {
			t.Errorf("%q", err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	c := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	if err := c.Ask(ctx, "SELECT 1", nil, func([]string) error { return nil }, func([]driver.Value) error { return nil }); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

func itoa(n int) string { return strconv.Itoa(n) }

// TestReach: who answers is ClickHouse, and soon, or it is an error that says what to look at.
func TestReach(t *testing.T) {
	answers := func(status, code int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			if code > 0 {
				w.Header().Set("X-ClickHouse-Exception-Code", itoa(code))
			}
			w.WriteHeader(status)
			_, _ = io.WriteString(w, text)
		}
	}
	for _, test := range []struct {
		name       string
		handle     http.HandlerFunc
		away       bool
		text, hint string
	}{
		{"there", answers(200, 0, "1\n"), false, "", ""},
		{"a web page", answers(200, 0, "<html>"), true, "is not ClickHouse", "8123"},
		{"hangs", func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // or the server would not notice that the client left
			<-r.Context().Done()
		}, true, "no answer in 300ms", "8123"},
		{"not found", answers(404, 0, "<html>\x1b"), false, "/game: HTTP status 404: <html>", "8123"},
		{"elsewhere", answers(302, 0, ""), false, "/game: HTTP status 302", "8123"},
		{"password", answers(403, 516, "Code: 516. Authentication failed"), false, "Code: 516", clickhouse.PasswordVariable},
		{"database", answers(404, 81, "Code: 81. Database game does not exist"), false, "Code: 81", "CREATE DATABASE game"},
		{"rights", answers(403, 497, "Code: 497. Not enough privileges"), false, "Code: 497", "docs/portable.md"},
	} {
		c := serve(t, test.handle)
		err := clickhouse.ReachWithin(t.Context(), c, 300*time.Millisecond)
		if test.text == "" {
			if err != nil {
				t.Errorf("%s: %v", test.name, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), test.text) || strings.Contains(err.Error(), "\x1b") || errors.Is(err, clickhouse.ErrAway) != test.away {
			t.Errorf("%s: %v", test.name, err)
		}
		if got := query.Hint(err); !strings.Contains(got, test.hint) {
			t.Errorf("%s: hint %q", test.name, got)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := serve(t, answers(200, 0, "1")).Reach(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}
