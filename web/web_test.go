package web_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pakdb/codecs/all"
	"pakdb/indexer"
	"pakdb/internal/testkit"
	"pakdb/internal/testkit/schematest"
	"pakdb/query"
	"pakdb/schema"
	"pakdb/web"
)

// hostile are names that would be markup, end a path, turn text around, or lead elsewhere if
// anyone let them.
func hostile() []string {
	return []string{
		`<img src=x onerror="document.title='pwned'">.uasset`, `</script><script>document.title='pwned'</script>`, "a\u2028b\u2029c\x1b[31m", "\u202egnp.exe",
		"..", ".", "%2e%2e", "a/../b", "a//b", "x.json", "dir.json/x.csv", "q?x=1#y", "line\nbreak", "'; DROP TABLE entry; --", "${x}", strings.Repeat("long", 1000), "ümlaut/日本.txt", `back\slash`,
	}
}

// entryOf is a file with a content of its own.
func entryOf(name string) schema.Entry {
	e := schema.Entry{Name: name, Method: "none", Size: int64(len(name)), Stored: int64(len(name)), ContentSize: int64(len(name)), HasContent: true}
	e.Content = sha256.Sum256([]byte(name))
	return e
}

// evil is a catalog of the hostile names, in two builds with hostile labels.
func evil(t testing.TB) string {
	return schematest.Write(t, func(c *schema.Catalog) {
		for i, label := range labels() {
			schematest.Build(t, c, label, func(b *schema.Build) {
				var entries []schema.Entry
				for _, name := range hostile() {
					entries = append(entries, entryOf(name))
				}
				if i > 0 {
					entries = append(entries, entryOf("new.txt"), entryOf("new/<b>.txt"))
				}
				schematest.Mount(t, b, "Paks/<a>.pak", entries...)
			})
		}
	})
}

func labels() []string { return []string{"1.0...<old>", "1.1/new"} }

// scanned is a catalog of the archives of testdata, which lie in dir.
func scanned(t testing.TB) (catalog, dir string) {
	dir = t.TempDir()
	for _, name := range []string{"Calligraphy.sip", "mu_cdata_1.6.sip", "damaged.sip"} {
		body, err := os.ReadFile("../testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "text.txt"), []byte("hello \xc3\xbc"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "page.html"), []byte("<script>alert(1)</script>"), 0o600); err != nil {
		t.Fatal(err)
	}
	return schematest.Write(t, func(c *schema.Catalog) {
		if _, err := indexer.Run(t.Context(), indexer.Options{Catalog: c, Registry: all.Registry(), Label: "1.1", Paths: []string{dir}}); err != nil {
			t.Fatal(err)
		}
	}), dir
}

// serve serves a catalog until the test ends.
func serve(t testing.TB, catalog string, change func(*web.Config)) *httptest.Server {
	t.Helper()
	db, err := schema.OpenReadOnly(t.Context(), catalog)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxIdleConns(4) // as pakdb serve does
	library, err := query.Load("")
	if err != nil {
		t.Fatal(err)
	}
	contents := query.NewContents(catalog, all.Registry(), nil, nil)
	c := web.Config{DB: db, Contents: contents, Registry: all.Registry(), Library: library, Version: "test",
		Queries: func(ctx context.Context) (*query.DB, func(), error) {
			q, err := query.Open(ctx, catalog, query.Options{})
			if err != nil {
				return nil, nil, err
			}
			return q, func() { _ = q.Close() }, nil
		}}
	if change != nil {
		change(&c)
	}
	s := web.New(c)
	server := httptest.NewServer(s)
	t.Cleanup(func() {
		server.Close()
		s.Close()
		_, _ = contents.Close(), db.Close()
	})
	return server
}

func withToken(c *web.Config) { c.Token = "0123456789abcdef" }

// answer is what a server said.
type answer struct {
	*http.Response
	body []byte
}

func (a *answer) json(t testing.TB, v any) {
	t.Helper()
	if a.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", a.Status, a.body)
	}
	if err := json.Unmarshal(a.body, v); err != nil {
		t.Fatalf("%v: %.300s", err, a.body)
	}
}

func ask(t testing.TB, s *httptest.Server, address string, headers ...string) *answer {
	t.Helper()
	return askAs(t, s, http.MethodGet, address, headers...)
}

func askAs(t testing.TB, s *httptest.Server, method, address string, headers ...string) *answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+address, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	got, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return &answer{got, body}
}

type list struct {
	Columns   []string
	Rows      [][]any
	Next      string
	Truncated bool
	Advice    string
}

// TestPages: every address has the same page, and data as JSON.
func TestPages(t *testing.T) {
	catalog, _ := scanned(t)
	s := serve(t, catalog, nil)
	for address, data := range map[string]string{
		"/": "/builds.json", "/b/1.1": "/b/1.1/tree.json", "/b/1.1/tree/Calligraphy": "/b/1.1/tree/Calligraphy.json", "/b/1.1/tree/Calligraphy/": "/b/1.1/tree/Calligraphy/.json",
		"/b/1.1/file/Calligraphy.sip/0": "/b/1.1/file/Calligraphy.sip/0.json", "/b/1.1/search?q=a": "/b/1.1/search.json?q=curve", "/b/1.1/problems": "/b/1.1/problems.json",
		"/b/1.1/archives": "/b/1.1/archives.json", "/compare/1.1...1.1": "/compare/1.1...1.1.json", "/sql?sql=SELECT+1": "/sql.json?sql=SELECT+1",
		"/q/largest": "/q/largest.json?p.limit=3", "/b/1.1/graph?path=Calligraphy/Curve.directory": "/b/1.1/graph.json?path=Calligraphy/Curve.directory",
		"/b/-/tree?build=1.1&path=Calligraphy": "/b/-/tree.json?build=1.1&path=Calligraphy", "/b/1.1/path/Calligraphy/Curve.directory": "/b/1.1/path/Calligraphy/Curve.directory.json",
		"/patch/1.1...1.1": "/compare/1.1...1.1/choice.json?only=**/Curves/**", "/b/1.1/tree": "/b/1.1/treemap/Calligraphy.json?by=size",
		"/compare/1.1...1.1?q=x": "/compare/1.1...1.1/downloads.json", "/compare/1.1...1.1?under=x": "/compare/1.1...1.1/impact.json?only=**", "/compare/1.1...1.1?kind=added": "/compare/1.1...1.1/changes.json?kind=added",
		"/b/1.1/file/Calligraphy.sip/1": "/b/1.1/file/Calligraphy.sip/1/value.json?name=x", "/b/1.1/file/Calligraphy.sip/2": "/b/1.1/file/Calligraphy.sip/2/curves.json",
		"/b/1.1/file/Calligraphy.sip/3": "/b/1.1/file/Calligraphy.sip/3/tables.json", "/q/archives": "/schema.json", "/compare/1.1...1.1?q=y": "/compare/1.1...1.1/classes.json", "/sql?view=bar": "/explain.json?sql=SELECT+path+FROM+entries",
	} {
		page := ask(t, s, address)
		if page.StatusCode != 200 || !strings.HasPrefix(page.Header.Get("Content-Type"), "text/html") || !bytes.Contains(page.body, []byte("<script type=\"module\"")) {
			t.Errorf("%s: %s %s", address, page.Status, page.Header.Get("Content-Type"))
		}
		policy := page.Header.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'; script-src 'self'; ") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: policy %s", address, policy)
		}
		got := ask(t, s, data)
		if got.StatusCode != 200 || !strings.HasPrefix(got.Header.Get("Content-Type"), "application/json") || !json.Valid(got.body) || got.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %s %s %.200s", data, got.Status, got.Header.Get("Content-Type"), got.body)
		}
	}
	shell := ask(t, s, "/").body
	for _, m := range regexp.MustCompile(`(?:src|href)="(/[^"]+)"`).FindAllSubmatch(shell, -1) {
		file := ask(t, s, string(m[1]), "Accept-Encoding", "gzip")
		if file.StatusCode != 200 || !strings.Contains(file.Header.Get("Cache-Control"), "immutable") || file.Header.Get("Content-Encoding") != "gzip" {
			t.Errorf("%s: %s %v", m[1], file.Status, file.Header)
		}
	}
	for address, status := range map[string]int{
		"/nothing.json": 404, "/b/none/tree.json": 404, "/b/1.1/tree/none.json": 404, "/b/1.1/file/none.sip/0.json": 404, "/b/1.1/file/Calligraphy.sip/99999.json": 404,
		"/b/1.1/file/Calligraphy.sip/-1.json": 404, "/b/1.1/file/Calligraphy.sip/0/nothing.json": 404, "/compare/1.0...1.1.json": 404, "/q/none.json": 400, "/sql.json": 400, "/sql.json?sql=SELEC": 400,
		"/b/1.1/tree.json?sort=x": 400, "/b/1.1/tree.json?limit=100000": 400, "/b/1.1/tree.json?after=x": 400, "/b/1.1/treemap.json?by=x": 400, "/ui/x/none.js": 404,
		"/sql.json?sql=SELECT+:x": 400, "/q/history.json": 400, "/b/1.1/tree/%00.json": 404,
	} {
		if got := ask(t, s, address); got.StatusCode != status || status != 400 && !json.Valid(got.body) {
			t.Errorf("%s: %s, want %d: %.200s", address, got.Status, status, got.body)
		}
	}
	if got := ask(t, s, "/nothing", "Accept", "text/html"); got.StatusCode != 404 || !bytes.Contains(got.body, []byte("<script")) {
		t.Errorf("a page that is not there: %s", got.Status)
	}
}

// TestPacked: JSON from 1 KB on is packed for clients that take gzip, and is the same.
func TestPacked(t *testing.T) {
	catalog, _ := scanned(t)
	s := serve(t, catalog, nil)
	for address, packed := range map[string]bool{"/b/1.1/treemap.json": true, "/b/1.1/path/Nothing.json": false, "/b/1.1/problems.json": false} {
		plain, got := ask(t, s, address), ask(t, s, address, "Accept-Encoding", "gzip")
		if has := got.Header.Get("Content-Encoding") == "gzip"; has != packed || plain.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: packed is %v, of %d bytes", address, has, len(plain.body))
		}
		if !packed {
			continue
		}
		r, err := gzip.NewReader(bytes.NewReader(got.body))
		if err != nil {
			t.Fatal(err)
		}
		if whole, err := io.ReadAll(r); err != nil || !bytes.Equal(whole, plain.body) {
			t.Errorf("%s: %d bytes, not %d: %v", address, len(whole), len(plain.body), err)
		}
	}
}

func TestFolders(t *testing.T) {
	catalog, _ := scanned(t)
	s := serve(t, catalog, nil)
	var all list
	ask(t, s, "/b/1.1/tree/Calligraphy.json").json(t, &all)
	if len(all.Rows) < 3 || !slices.Equal(all.Columns[:2], []string{"kind", "name"}) {
		t.Fatalf("%+v", all)
	}
	var paged [][]any
	for next := "x"; next != ""; {
		var page list
		address := "/b/1.1/tree/Calligraphy.json?limit=2"
		if next != "x" {
			address += "&after=" + next
		}
		ask(t, s, address).json(t, &page)
		paged = append(paged, page.Rows...)
		if next = page.Next; page.Truncated != (next != "") {
			t.Errorf("truncated is %v with next %q", page.Truncated, next)
		}
	}
	if fmt.Sprint(paged) != fmt.Sprint(all.Rows) {
		t.Errorf("page by page %v, at once %v", paged, all.Rows)
	}
	var sorted list
	ask(t, s, "/b/1.1/tree/Calligraphy.json?sort=size").json(t, &sorted)
	size := func(i int) float64 { return sorted.Rows[i][3].(float64) }
	for i := 1; i < len(sorted.Rows); i++ {
		if sorted.Rows[i-1][0] == sorted.Rows[i][0] && size(i-1) < size(i) {
			t.Errorf("%v is before %v", sorted.Rows[i-1], sorted.Rows[i])
		}
	}
	var tree struct{ Root struct{ V, F float64 } }
	ask(t, s, "/b/1.1/treemap.json?by=files").json(t, &tree)
	if tree.Root.V != tree.Root.F || tree.Root.V < 10 {
		t.Errorf("%+v", tree)
	}
}

// TestHostileNames goes to every folder and file of the evil catalog by the addresses that
// the pages make.
func TestHostileNames(t *testing.T) {
	testkit.NotShort(t)
	s := serve(t, evil(t), nil)
	build := url.PathEscape(labels()[1])
	seen := map[string]bool{}
	var walk func(path string)
	walk = func(path string) {
		var folder list
		ask(t, s, "/b/"+build+"/tree.json?path="+url.QueryEscape(path)).json(t, &folder)
		for _, row := range folder.Rows {
			name := row[1].(string)
			if path != "" {
				name = path + "/" + name
			}
			if row[0] == "folder" {
				walk(name)
				continue
			}
			var file struct {
				Entry struct {
					Path string
				}
			}
			ask(t, s, fmt.Sprintf("/b/%s/file/%s/%v.json", build, url.PathEscape(row[6].(string)), row[7])).json(t, &file)
			seen[file.Entry.Path] = true
			for _, part := range []string{"history", "refs"} {
				ask(t, s, fmt.Sprintf("/b/%s/file/%s/%v/%s.json", build, url.PathEscape(row[6].(string)), row[7], part)).json(t, &struct{}{})
			}
			var places struct{ Places []any }
			ask(t, s, "/b/"+build+"/path.json?path="+url.QueryEscape(file.Entry.Path)).json(t, &places)
			if len(places.Places) == 0 {
				t.Errorf("%q is nowhere", file.Entry.Path)
			}
		}
	}
	walk("")
	for _, name := range hostile() {
		if !seen[name] {
			t.Errorf("%q was not found", name)
		}
	}
	pair := "/compare/" + url.PathEscape(strings.Join(labels(), "..."))
	var chosen struct {
		Changes int
		Rows    [][]any
	}
	ask(t, s, pair+"/choice.json?only="+url.QueryEscape("new/**")).json(t, &chosen)
	if chosen.Changes != 1 || chosen.Rows[0][1] != "new/<b>.txt" {
		t.Errorf("chosen %+v", chosen)
	}
	for i := range 2 {
		ask(t, s, fmt.Sprintf("%s/inside.json?row=%d", pair, i)).json(t, &struct{}{})
	}
	if got := ask(t, s, pair+"/inside.json?row=2"); got.StatusCode != 400 {
		t.Errorf("no such change: %s", got.Status)
	}
	var compared struct{ Rows [][]any }
	ask(t, s, "/compare/"+url.PathEscape(strings.Join(labels(), "..."))+".json").json(t, &compared)
	if len(compared.Rows) != 2 {
		t.Errorf("%d changes, want 2: %v", len(compared.Rows), compared.Rows)
	}
}

func TestWhoMayAsk(t *testing.T) {
	catalog, _ := scanned(t)
	open := serve(t, catalog, func(c *web.Config) { c.Hosts = []string{"Builds.example"} })
	closed := serve(t, catalog, withToken)
	navigation := []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}
	for _, test := range []struct {
		server  *httptest.Server
		address string
		headers []string
		status  int
	}{
		{open, "/builds.json", nil, 200},
		{open, "/builds.json", []string{"Host", "evil.example"}, 421},
		{open, "/", []string{"Host", "evil.example:7070"}, 421},
		{open, "/builds.json", []string{"Host", "builds.example:7070"}, 200},
		{open, "/builds.json", []string{"Host", "localhost"}, 200},
		{open, "/builds.json", []string{"Host", "[::1]:7070"}, 200},
		{open, "/builds.json", []string{"Host", "127.9.9.9"}, 200},
		{open, "/builds.json", []string{"Host", "127.0.0.1.evil.example"}, 421},
		{open, "/builds.json", []string{"Host", "10.0.0.1"}, 421},
		{open, "/builds.json", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{open, "/", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{open, "/builds.json", navigation, 403},
		{open, "/b/1.1/file/Calligraphy.sip/0/download", navigation, 403},
		{open, "/sql", navigation, 200},
		{open, "/builds.json", []string{"Sec-Fetch-Site", "same-origin"}, 200},
		{closed, "/builds.json", nil, 401},
		{closed, "/", nil, 200},
		{closed, "/b/1.1/file/Calligraphy.sip/0/download", nil, 401},
		{closed, "/builds.json", []string{"Authorization", "Bearer 0123456789abcdeg"}, 401},
		{closed, "/builds.json", []string{"Authorization", "Bearer 0123456789abcdef"}, 200},
		{closed, "/builds.json", []string{"Cookie", "pakdb_token=0123456789abcdef"}, 200},
		{closed, "/builds.json", []string{"Cookie", "pakdb_token="}, 401},
	} {
		if got := ask(t, test.server, test.address, test.headers...); got.StatusCode != test.status {
			t.Errorf("%s %v: %s, want %d", test.address, test.headers, got.Status, test.status)
		}
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions, "TRACE"} {
		if got := askAs(t, open, method, "/sql.json?sql=SELECT+1"); got.StatusCode != 405 {
			t.Errorf("%s: %s", method, got.Status)
		}
	}
	enter := func(body string, headers ...string) *http.Response {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, closed.URL+"/enter", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = got.Body.Close()
		return got
	}
	if got := enter(`{"token":"wrong"}`); got.StatusCode != 401 || len(got.Cookies()) != 0 {
		t.Errorf("another token: %s", got.Status)
	}
	if got := enter(`{"token":"0123456789abcdef"}`, "Sec-Fetch-Site", "cross-site"); got.StatusCode != 403 {
		t.Errorf("another site: %s", got.Status)
	}
	got := enter(`{"token":"0123456789abcdef"}`)
	if cookies := got.Cookies(); got.StatusCode != 200 || len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode {
		t.Errorf("%s %v", got.Status, cookies)
	}
}

// TestNothingCanBeWritten tries every door over HTTP.
func TestNothingCanBeWritten(t *testing.T) {
	catalog, _ := scanned(t)
	before, err := os.ReadFile(catalog)
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, catalog, nil)
	other := filepath.Join(t.TempDir(), "other.db")
	for _, attack := range schematest.Attacks(other) {
		if got := ask(t, s, "/sql.json?sql="+url.QueryEscape(attack)); got.StatusCode < 400 || got.StatusCode >= 500 {
			t.Errorf("%s: %s %.200s", attack, got.Status, got.body)
		}
		got, err := http.Get(s.URL + "/sql.csv?sql=" + url.QueryEscape(attack))
		if err != nil { // one that reads first and then writes: the rest of its answer is missing
			continue
		}
		if _ = got.Body.Close(); got.StatusCode < 400 || got.StatusCode >= 500 {
			t.Errorf("%s as CSV: %s", attack, got.Status)
		}
	}
	var rows list
	ask(t, s, "/sql.json?sql=SELECT+count(*)+FROM+entries").json(t, &rows)
	if after, err := os.ReadFile(catalog); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the catalog changed: %v", err)
	}
	if _, err := os.Stat(other); !os.IsNotExist(err) {
		t.Errorf("another file was made: %v", err)
	}
}

const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

func TestStatementsAreBounded(t *testing.T) {
	catalog, _ := scanned(t)
	s := serve(t, catalog, func(c *web.Config) { c.Limits = web.Limits{Time: 300 * time.Millisecond, Rows: 10, Queries: 2} })
	got := ask(t, s, "/sql.json?sql="+url.QueryEscape(endless))
	if got.StatusCode != 503 || !bytes.Contains(got.body, []byte("300ms")) {
		t.Errorf("an endless statement: %s %s", got.Status, got.body)
	}
	const many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT i FROM n"
	var rows list
	ask(t, s, "/sql.json?sql="+url.QueryEscape(many)).json(t, &rows)
	if len(rows.Rows) != 10 || !rows.Truncated {
		t.Errorf("%d rows, truncated %v", len(rows.Rows), rows.Truncated)
	}
	csvRows, err := csv.NewReader(bytes.NewReader(ask(t, s, "/sql.csv?sql="+url.QueryEscape(many)).body)).ReadAll()
	if err != nil || len(csvRows) != 1001 {
		t.Errorf("%d rows of CSV: %v", len(csvRows), err)
	}
	if got := ask(t, s, "/sql.json?sql=SELECT+1+AS+x", "Accept", "text/csv"); string(got.body) != "x\n1\n" || !strings.HasPrefix(got.Header.Get("Content-Type"), "text/csv") {
		t.Errorf("asked for CSV: %s %q", got.Header.Get("Content-Type"), got.body)
	}
	ask(t, s, "/sql.json?sql="+url.QueryEscape("SELECT 9007199254740993, -1, 1.5, x'00ff', NULL, 'a'")).json(t, &rows)
	if got := fmt.Sprint(rows.Rows[0]); got != "[9007199254740993 -1 1.5 00ff <nil> a]" {
		t.Errorf("values %s", got)
	}
	if _, isText := rows.Rows[0][0].(string); !isText {
		t.Error("a large integer is a number, which JavaScript rounds")
	}
}

// A page holds no more bytes of values than a server has room for, also in one row.
func TestRowsAreBounded(t *testing.T) {
	catalog, _ := scanned(t)
	s := serve(t, catalog, func(*web.Config) {})
	for _, sql := range []string{"SELECT CAST(zeroblob(40000000) AS TEXT)", "SELECT zeroblob(20000000)"} {
		if got := ask(t, s, "/sql.json?sql="+url.QueryEscape(sql)); got.StatusCode != http.StatusRequestEntityTooLarge || !bytes.Contains(got.body, []byte("substr")) {
			t.Errorf("%s: %s %.200s", sql, got.Status, got.body)
		}
	}
	var rows list
	ask(t, s, "/sql.json?sql="+url.QueryEscape("SELECT zeroblob(9000000) FROM (SELECT 1 UNION ALL SELECT 2)")).json(t, &rows)
	if len(rows.Rows) != 1 || !rows.Truncated {
		t.Errorf("%d rows, truncated %v", len(rows.Rows), rows.Truncated)
	}
}

// TestWhoLeavesLeavesNothing: a statement ends when who asked for it leaves, and others have
// its place within a second; meanwhile they are told to come again.
func TestWhoLeavesLeavesNothing(t *testing.T) {
	catalog, _ := scanned(t)
	s := serve(t, catalog, func(c *web.Config) { c.Limits = web.Limits{Time: time.Minute, Queries: 2} })
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan struct{}, 2)
	for range 2 {
		go func() {
			defer func() { left <- struct{}{} }()
			for ctx.Err() == nil { // the place may be taken by who looks whether it is
				r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/sql.json?sql="+url.QueryEscape(endless), nil)
				if err != nil {
					return
				}
				if got, err := http.DefaultClient.Do(r); err == nil {
					_ = got.Body.Close()
				}
			}
		}()
	}
	busy := func() bool { return ask(t, s, "/sql.json?sql=SELECT+1").StatusCode == http.StatusTooManyRequests }
	waitFor(t, "both statements run", busy)
	leave()
	<-left
	<-left
	waitFor(t, "a place is free", func() bool { return !busy() })
}

// TestWhoDoesNotReadHoldsNothing: a result that nobody takes ends with its time.
func TestWhoDoesNotReadHoldsNothing(t *testing.T) {
	catalog, _ := scanned(t)
	s := serve(t, catalog, func(c *web.Config) { c.Limits = web.Limits{Time: 500 * time.Millisecond, Queries: 1} })
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	const much = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, zeroblob(50000) FROM n"
	if _, err := fmt.Fprintf(conn, "GET /sql.csv?sql=%s HTTP/1.1\r\nHost: localhost\r\n\r\n", url.QueryEscape(much)); err != nil {
		t.Fatal(err)
	}
	// The beginning tells that the statement runs; to ask would take the one place there is.
	if status, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.Contains(status, " 200 ") {
		t.Fatalf("%q, %v", status, err)
	}
	waitFor(t, "its place is free", func() bool { return ask(t, s, "/sql.json?sql=SELECT+1").StatusCode != http.StatusTooManyRequests })
}

func waitFor(t *testing.T, what string, ready func() bool) {
	t.Helper()
	for range 1000 {
		if ready() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("waited in vain: %s", what)
}

// TestScanBeside: a build is there when it is complete, and not before.
func TestScanBeside(t *testing.T) {
	catalog, _ := scanned(t)
	s := serve(t, catalog, nil)
	labels := func() (all []string) {
		var builds struct{ Builds []struct{ Build string } }
		ask(t, s, "/builds.json").json(t, &builds)
		for _, b := range builds.Builds {
			all = append(all, b.Build)
		}
		return all
	}
	c, err := schema.Open(t.Context(), catalog)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	add := func(label string, names ...string) {
		b, err := schematest.Begin(t.Context(), c, label)
		if err != nil {
			t.Fatal(err)
		}
		before := len(labels())
		var entries []schema.Entry
		for _, name := range names {
			entries = append(entries, entryOf(name))
		}
		schematest.Mount(t, b, "x.pak", entries...)
		if got := labels(); len(got) != before {
			t.Errorf("before it is complete: %v", got)
		}
		if _, err := b.Finish(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := labels(); len(got) != before+1 {
			t.Errorf("after it: %v", got)
		}
	}
	files := func(label string, want int) {
		t.Helper()
		var folder list
		ask(t, s, "/b/"+label+"/tree/a.json").json(t, &folder)
		if len(folder.Rows) != want {
			t.Errorf("%s: %v", label, folder.Rows)
		}
	}
	add("2.0", "a/x.txt")
	files("2.0", 1)
	add("3.0", "a/x.txt", "a/y.txt") // a folder that was listed by then
	files("3.0", 2)
	files("2.0", 1)
	add("4.0", "a/y.txt")
	files("4.0", 1)
	files("3.0", 2)
}

// FuzzAddress: whatever is asked for, the answer is no fault of the program.
func FuzzAddress(f *testing.F) {
	s := serve(f, evil(f), func(c *web.Config) { c.Limits.Time = 100 * time.Millisecond })
	for _, seed := range []string{"/", "/b/1.1%2Fnew/tree/a", "/b/-/tree.json?build=x&path=..", "/compare/a...b...c.json?x", "/b/x/file/y/0/hex.json?offset=1", "/sql.json?sql=SELECT+1&p.a=b", "/ui/x/y.js", "/q/%40largest.csv?p.limit=1",
		"/b/1.1%2Fnew/graph.json?path=..&depth=5", "//", "/.json", "/b/%00/tree", "/b/1.1%2Fnew/tree.json?after=MS4y", "/b/1.1%2Fnew/search.json?q=%22", "/compare/1.0...%3Cold%3E...1.1%2Fnew/changes.json?kind=added&under=new"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		u, err := url.ParseRequestURI(address)
		if err != nil || u.Host != "" || !strings.HasPrefix(address, "/") {
			t.Skip()
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/", nil)
		r.URL = u
		w := httptest.NewRecorder()
		s.Config.Handler.ServeHTTP(w, r)
		if w.Code == http.StatusInternalServerError {
			t.Errorf("%s: %s", address, w.Body)
		}
	})
}
