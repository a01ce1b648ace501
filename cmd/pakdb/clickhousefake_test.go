package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// fakeClickHouse answers what "pakdb push" asks of a server, and keeps the files of rows as
// they were sent. The real engine is in the tests of query/clickhouse, and in those with
// PAKDB_NODE.
type fakeClickHouse struct {
	mu     sync.Mutex
	blocks map[string]block // by token
	log    []shown
}

// block is a file of rows.
type block struct {
	view, push, build, hash string
	rows                    int64
}

// shown is a row of pakdb_builds, with what was there of its push when it came.
type shown struct {
	push, build, digest string
	row, rows           string
}

func newFakeClickHouse(t *testing.T) (f *fakeClickHouse, address string) {
	t.Helper()
	f = &fakeClickHouse{blocks: map[string]block{}}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	return f, "clickhouse" + strings.TrimPrefix(server.URL, "http") + "/game"
}

// chserve is such a server until it is killed:
//
//	chserve FILE   its address is written to the file once it answers
func chserve() {
	err := serveAt(os.Args[1], "clickhouse://", &fakeClickHouse{blocks: map[string]block{}})
	fmt.Fprintln(os.Stderr, "chserve:", err)
	os.Exit(1)
}

func (f *fakeClickHouse) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // its sender was killed
	}
	answer, err := f.answer(r.URL.Query().Get("query"), body, r.URL.Query().Get)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		answer = err.Error()
	}
	_, _ = io.WriteString(w, answer)
}

var ofView = regexp.MustCompile(`^(INSERT INTO|SELECT count\(\) FROM|DELETE FROM) pakdb_(\w+) `)

func (f *fakeClickHouse) answer(sql string, data []byte, param func(string) string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if sql == "" {
		sql = string(data)
	}
	m := ofView.FindStringSubmatch(sql)
	switch {
	case strings.HasPrefix(sql, "CREATE "), strings.HasPrefix(sql, "ALTER TABLE "), strings.HasPrefix(sql, "EXPLAIN AST "):
		return "", nil
	case sql == "SELECT 1 FORMAT TabSeparated":
		return "1\n", nil
	case sql == "SELECT build FROM builds ORDER BY created_at, build":
		text := `["build"]` + "\n" + `["String"]` + "\n"
		for _, label := range slices.Sorted(maps.Keys(f.live())) {
			text += fmt.Sprintf("[%q]\n", label)
		}
		return text, nil
	case strings.HasPrefix(sql, "SELECT max(version)"), strings.HasPrefix(sql, "SELECT count() FROM system."):
		return "0\n", nil
	case strings.HasPrefix(sql, "SELECT digest FROM pakdb_live"):
		return f.live()[param("param_build")].digest + "\n", nil
	case m == nil:
		return "", fmt.Errorf("Code: 62. DB::Exception: the fake does not know %s", sql)
	case m[1] == "INSERT INTO" && m[2] == "builds":
		return "", f.show(data)
	case m[1] == "INSERT INTO":
		return "", f.insert(m[2], data, param)
	case strings.Contains(sql, "WHERE push = "):
		n := int64(0)
		for _, b := range f.blocks {
			if b.view == m[2] && b.push == param("param_push") {
				n += b.rows
			}
		}
		return strconv.FormatInt(n, 10) + "\n", nil
	}
	return f.clean(m[2], m[1] == "DELETE FROM", param), nil
}

// live returns the last push of each build.
func (f *fakeClickHouse) live() map[string]shown {
	last := map[string]shown{}
	for _, s := range f.log {
		last[s.build] = s
	}
	return last
}

func (f *fakeClickHouse) insert(view string, data []byte, param func(string) string) error {
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return fmt.Errorf("Code: 636. DB::Exception: %w", err)
	}
	f.blocks[param("insert_deduplication_token")] = block{view, param("param_push"), param("param_build"), fmt.Sprintf("%x", sha256.Sum256(data)), file.NumRows()}
	return nil
}

func (f *fakeClickHouse) show(data []byte) error {
	var row map[string]any
	if err := json.Unmarshal(data, &row); err != nil {
		return err
	}
	s := shown{push: fmt.Sprint(row["push"]), build: fmt.Sprint(row["build"]), digest: fmt.Sprint(row["digest"])}
	if fmt.Sprint(row["dropped"]) == "1" {
		f.log = slices.DeleteFunc(f.log, func(o shown) bool { return o.build == s.build })
		return nil
	}
	if slices.ContainsFunc(f.log, func(o shown) bool { return o.push == s.push }) {
		return nil
	}
	delete(row, "push")
	s.row = fmt.Sprint(row)
	s.rows = f.rowsOf(s.push)
	f.log = append(f.log, s)
	return nil
}

// rowsOf identifies the rows of a push.
func (f *fakeClickHouse) rowsOf(push string) string {
	var all []string
	for _, b := range f.blocks {
		if b.push == push {
			all = append(all, fmt.Sprint(b.view, " ", b.rows, " ", b.hash))
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// clean counts, or deletes, the files of a build that are seen no more.
func (f *fakeClickHouse) clean(view string, remove bool, param func(string) string) string {
	n := int64(0)
	for token, b := range f.blocks {
		known := slices.ContainsFunc(f.log, func(s shown) bool { return s.push == b.push })
		if b.view == view && b.build == param("param_build") && f.live()[b.build].push != b.push && (known || b.push < param("param_old")) {
			n += b.rows
			if remove {
				delete(f.blocks, token)
			}
		}
	}
	return strconv.FormatInt(n, 10) + "\n"
}

// rows returns what each build shows.
func (f *fakeClickHouse) rows() map[string]string {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := map[string]string{}
	for build, s := range f.live() {
		all[build] = s.row + "\n" + f.rowsOf(s.push)
	}
	return all
}
