package web_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pakdb/query/clickhouse"
	"pakdb/web"
)

// fakeEngine answers as ClickHouse does, what a test says.
type fakeEngine struct {
	mu       sync.Mutex
	requests []url.Values
	keys     []string // passwords
	answer   func(sql string, r *http.Request) (status int, code, body string)
}

func (f *fakeEngine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sql, _ := io.ReadAll(r.Body)
	f.mu.Lock()
	f.requests = append(f.requests, r.URL.Query())
	f.keys = append(f.keys, r.Header.Get("X-ClickHouse-Key"))
	answer := f.answer
	f.mu.Unlock()
	status, code, body := answer(string(sql), r)
	if code != "" {
		w.Header().Set("X-ClickHouse-Exception-Code", code)
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func (f *fakeEngine) set(answer func(sql string, r *http.Request) (int, string, string)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answer = answer
}

const (
	buildsRows = `["push","build","created_at","archive_count","entry_count","size","stored","problem_count"]
["String","String","String","Int64","Int64","Int64","Int64","Int64"]
["p1","1.0","2026-01-01T00:00:00Z",1,2,30,20,0]
`
	password = "s3cret-of-the-engine"
)

func fine(sql string, _ *http.Request) (int, string, string) {
	if strings.Contains(sql, "FROM pakdb_live") {
		return http.StatusOK, "", buildsRows
	}
	return http.StatusOK, "", "[\"n\"]\n[\"Int64\"]\n[1]\n[2]\n[3]\n"
}

// fakeCopies serves builds of a fake engine.
func fakeCopies(t *testing.T, change func(*web.Config)) (*httptest.Server, *fakeEngine, *httptest.Server) {
	t.Helper()
	t.Setenv(clickhouse.PasswordVariable, password)
	engine := &fakeEngine{answer: fine}
	behind := httptest.NewServer(engine)
	t.Cleanup(behind.Close)
	s, _ := serveCopies(t, "clickhouse://me@"+strings.TrimPrefix(behind.URL, "http://")+"/game", change)
	return s, engine, behind
}

// TestCopiesAreAskedWithinLimits: requests that only read, with limits, and with the password
// in a header alone.
func TestCopiesAreAskedWithinLimits(t *testing.T) {
	s, engine, _ := fakeCopies(t, func(c *web.Config) { c.Limits.Rows = 2; c.Limits.Time = 3 * time.Second })
	var about struct {
		Can    []string
		Engine string
		Builds []map[string]any
	}
	ask(t, s, "/builds.json").json(t, &about)
	if about.Engine != "clickhouse" || about.Can == nil || len(about.Can) != 0 || len(about.Builds) != 1 || about.Builds[0]["build_id"] != nil {
		t.Errorf("%+v", about)
	}
	var rows list
	ask(t, s, "/sql.json?sql="+url.QueryEscape("SELECT n FROM t WHERE build = :build")).json(t, &rows)
	if len(rows.Rows) != 2 || !rows.Truncated {
		t.Errorf("%+v", rows)
	}
	if csv := ask(t, s, "/sql.csv?sql=SELECT+n+FROM+t"); string(csv.body) != "n\n1\n2\n3\n" && string(csv.body) != "n\r\n1\r\n2\r\n3\r\n" {
		t.Errorf("CSV: %q", csv.body)
	}
	engine.mu.Lock()
	defer engine.mu.Unlock()
	for i, r := range engine.requests {
		if r.Get("readonly") != "2" || r.Get("max_execution_time") == "" || r.Get("max_result_rows") == "" || r.Get("cancel_http_readonly_queries_on_client_close") != "1" {
			t.Errorf("request %d without limits: %v", i, r)
		}
		if engine.keys[i] != password || strings.Contains(r.Encode(), password) {
			t.Errorf("request %d: password %q, %v", i, engine.keys[i], r)
		}
	}
	var statement url.Values
	for _, r := range engine.requests {
		if r.Get("param_build") == "1.0" || r.Get("result_overflow_mode") == "break" {
			statement = r
		}
	}
	if statement.Get("max_result_rows") != "3" || statement.Get("max_execution_time") != "3" {
		t.Errorf("the statement was asked with %v", statement)
	}
}

// TestEngineTrouble: each failure of the engine has an answer that says so, and the server
// goes on.
func TestEngineTrouble(t *testing.T) {
	s, engine, _ := fakeCopies(t, func(c *web.Config) { c.Limits.Time = 300 * time.Millisecond; c.Limits.Queries = 1 })
	failing := func(status int, code, text string) func(string, *http.Request) (int, string, string) {
		return func(string, *http.Request) (int, string, string) {
			return status, code, "Code: " + code + ". DB::Exception: " + text
		}
	}
	for _, c := range []struct {
		name, address string
		answer        func(string, *http.Request) (int, string, string)
		status        int
		says          string
	}{
		{"syntax", "/sql.json?sql=SELEC", failing(400, "62", "Syntax error: failed at position 1"), 400, "Syntax error"},
		{"write", "/sql.json?sql=INSERT+INTO+t+VALUES+(1)", failing(500, "164", "Cannot execute query in readonly mode"), 400, "readonly"},
		{"no such view", "/sql.json?sql=SELECT+1+FROM+x", failing(404, "60", "Unknown table x"), 400, "docs/portable.md"},
		{"time of the engine", "/sql.json?sql=SELECT+1", failing(500, "159", "Timeout exceeded"), 503, "may take 300ms"},
		{"time of this server", "/sql.json?sql=SELECT+1", func(_ string, r *http.Request) (int, string, string) {
			<-r.Context().Done()
			return 200, "", ""
		}, 503, "may take 300ms"},
		{"login", "/builds.json", failing(403, "516", "me: Authentication failed"), 502, clickhouse.PasswordVariable},
		{"login of a statement", "/sql.json?sql=SELECT+1", failing(403, "516", "me: Authentication failed"), 502, clickhouse.PasswordVariable},
		{"never pushed", "/builds.json", failing(404, "60", "Unknown table pakdb_live"), 502, "pakdb push"},
		{"memory", "/b/1.0/tree.json", failing(500, "241", "Memory limit exceeded"), 502, "Memory limit"},
		{"another program", "/builds.json", func(string, *http.Request) (int, string, string) { return 200, "", "<html>" }, 500, "no answer to a query"},
		{"no such query", "/q/callers.json", fine, 400, "callers"},
		{"no such build", "/b/2.0/tree.json", func(sql string, _ *http.Request) (int, string, string) {
			return 200, "", strings.Join(strings.SplitAfter(buildsRows, "\n")[:2], "")
		}, 404, "2.0"},
		{"no comparison", "/compare/1.0...1.1/changes.json", fine, 404, "copies of builds have no page"},
		{"no graph", "/b/1.0/graph.json?path=x", fine, 404, "copies of builds have no page"},
		{"no plan", "/explain.json?sql=SELECT+1", fine, 404, "copies of builds have no page"},
		{"no patch", "/patch/1.0...1.1.json", fine, 404, "copies of builds have no page"},
	} {
		engine.set(c.answer)
		got := ask(t, s, c.address)
		if got.StatusCode != c.status || !strings.Contains(string(got.body), c.says) || strings.Contains(string(got.body), password) {
			t.Errorf("%s: %s: %s", c.name, got.Status, got.body)
		}
		engine.set(fine)
		if got := ask(t, s, "/builds.json"); got.StatusCode != http.StatusOK {
			t.Errorf("after %s: %s: %s", c.name, got.Status, got.body)
		}
	}
}

// TestEngineAway: an engine that is not there is 502, also for the page of a build, and is
// asked again by the next request.
func TestEngineAway(t *testing.T) {
	s, _, behind := fakeCopies(t, nil)
	if got := ask(t, s, "/builds.json"); got.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", got.Status, got.body)
	}
	behind.Close()
	for _, address := range []string{"/builds.json", "/b/1.0/tree.json", "/b/1.0/search.json?q=x", "/sql.json?sql=SELECT+1", "/sql.csv?sql=SELECT+1"} {
		got := ask(t, s, address)
		if got.StatusCode != http.StatusBadGateway || !strings.Contains(string(got.body), "ClickHouse gives no answer") || strings.Contains(string(got.body), password) {
			t.Errorf("%s: %s: %s", address, got.Status, got.body)
		}
	}
	if got := ask(t, s, "/b/1.0/tree"); got.StatusCode != http.StatusOK || !strings.Contains(string(got.body), "<html") {
		t.Errorf("the page: %s", got.Status)
	}
}

// TestCopiesAreGuarded: names, other sites and tokens count as for a catalog, and a statement
// ends when the browser leaves.
func TestCopiesAreGuarded(t *testing.T) {
	s, engine, _ := fakeCopies(t, func(c *web.Config) { withToken(c); c.Limits.Queries = 1 })
	bearer := []string{"Authorization", "Bearer 0123456789abcdef"}
	for address, headers := range map[string][]string{
		"421": append([]string{"Host", "evil.example"}, bearer...), "403": append([]string{"Sec-Fetch-Site", "cross-site"}, bearer...), "401": {},
	} {
		if got := ask(t, s, "/builds.json", headers...); !strings.HasPrefix(got.Status, address) {
			t.Errorf("%v: %s", headers, got.Status)
		}
	}
	if n := len(engine.requests); n != 0 {
		t.Errorf("%d requests of strangers reached the engine", n)
	}
	var running, left atomic.Bool
	engine.set(func(sql string, r *http.Request) (int, string, string) {
		running.Store(true)
		<-r.Context().Done()
		left.Store(true)
		return 200, "", ""
	})
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/sql.json?sql=SELECT+1", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set(bearer[0], bearer[1])
	go func() {
		if got, err := http.DefaultClient.Do(r); err == nil {
			_ = got.Body.Close()
		}
	}()
	waitFor(t, "the statement to run", running.Load)
	if got := ask(t, s, "/sql.json?sql=SELECT+2", bearer...); got.StatusCode != http.StatusTooManyRequests {
		t.Errorf("a second statement: %s", got.Status)
	}
	leave()
	waitFor(t, "the statement to end", left.Load)
}
