package export

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/zeebo/blake3"

	"pakdb/internal/atomicfile"
	"pakdb/internal/terminal"
	"pakdb/query"
	"pakdb/schema"
)

// The password for ClickHouse comes from one of these variables; the second names a file.
const (
	passwordVariable     = "PAKDB_CLICKHOUSE_PASSWORD"
	passwordFileVariable = "PAKDB_CLICKHOUSE_PASSWORD_FILE"
)

const (
	scheme      = "clickhouse://"
	addressHint = scheme + "user@host:8123/database, with ?secure=1 for HTTPS"
)

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

// Server is a database of ClickHouse, by HTTP. It is safe for concurrent use.
type Server struct {
	user, host, database string
	secure               bool // by HTTPS
	password             string
	http                 *http.Client
}

// NewServer reads clickhouse://[user@]host[:port][/database][?secure=1] and sends nothing
// yet. The user is "default" and so is the database, the port 8123, or 8443 for HTTPS. A
// password in the address is refused, since others see command lines. Errors are of class
// [query.ErrUsage].
func NewServer(text string) (*Server, error) {
	u, err := url.Parse(text)
	if err != nil || !strings.HasPrefix(text, scheme) || u.Hostname() == "" || u.Fragment != "" {
		return nil, query.Usagef(addressHint, "this is no address of ClickHouse")
	}
	if _, has := u.User.Password(); has {
		return nil, query.Usagef("set "+passwordVariable+", or "+passwordFileVariable+" to the name of a file", "the password must not be in the address: others see command lines")
	}
	s := &Server{user: cmp.Or(u.User.Username(), "default"), database: cmp.Or(strings.TrimPrefix(u.Path, "/"), "default")}
	if !identifier.MatchString(s.database) {
		return nil, query.Usagef(addressHint, "database %q: letters, digits and _ are allowed", s.database)
	}
	port := "8123"
	switch u.RawQuery {
	case "":
	case "secure=1":
		s.secure, port = true, "8443"
	default:
		return nil, query.Usagef(addressHint, "%s: nothing but secure=1 may follow the question mark", scheme+u.Host)
	}
	s.host = net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), port))
	transport := http.DefaultTransport.(*http.Transport).Clone()
	s.http = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // the password is for this server
	}}
	return s, s.readPassword()
}

func (s *Server) readPassword() error {
	s.password = os.Getenv(passwordVariable)
	if file := os.Getenv(passwordFileVariable); s.password == "" && file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("%s: %w", passwordFileVariable, err)
		}
		s.password = strings.TrimRight(string(text), "\r\n")
	}
	if strings.ContainsFunc(s.password, unicode.IsControl) { // which no header can have
		return query.Usagef("a file has the password alone, in one line", "the password has a line break, or another control character")
	}
	return nil
}

// Exposed reports that a password goes over the network as it is.
func (s *Server) Exposed() bool {
	host, _, _ := net.SplitHostPort(s.host)
	ip := net.ParseIP(host)
	return s.password != "" && !s.secure && host != "localhost" && (ip == nil || !ip.IsLoopback())
}

// String returns the address without a password.
func (s *Server) String() string { return scheme + s.user + "@" + s.host + "/" + s.database }

// Close gives up idle connections.
func (s *Server) Close() { s.http.CloseIdleConnections() }

// post sends a statement, with data after it if that is not nil, and returns the body of the
// answer, which the caller closes.
func (s *Server) post(ctx context.Context, sql string, values url.Values, data io.Reader) (io.ReadCloser, error) {
	u := url.URL{Scheme: "http", Host: s.host, Path: "/"}
	if s.secure {
		u.Scheme = "https"
	}
	all := url.Values{"database": {s.database}}
	maps.Copy(all, values)
	if data != nil {
		all.Set("query", sql)
	} else {
		data = strings.NewReader(sql)
	}
	u.RawQuery = all.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), data)
	if err != nil {
		return nil, err
	}
	req.Header.Set("X-ClickHouse-User", s.user)
	if s.password != "" {
		req.Header.Set("X-ClickHouse-Key", s.password)
	}
	resp, err := s.http.Do(req)
	if err != nil {
		var in *url.Error
		if errors.As(err, &in) {
			err = in.Err // without the address, which has the whole request in it
		}
		return nil, query.Hinted(nil, fmt.Errorf("%s: %w", s, err), noServerHint)
	}
	if resp.StatusCode == http.StatusOK {
		return resp.Body, nil
	}
	return nil, s.refused(resp)
}

// run sends a statement whose answer is short, and returns that.
func (s *Server) run(ctx context.Context, sql string, values url.Values, data io.Reader) (string, error) {
	body, err := s.post(ctx, sql, values, data)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(body, 1<<20))
	return strings.TrimSpace(string(text)), errors.Join(err, body.Close())
}

// refused returns the error of an answer that refuses a statement: its first line.
func (s *Server) refused(resp *http.Response) error {
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 16<<10))
	_ = resp.Body.Close()
	line, _, _ := strings.Cut(strings.TrimSpace(string(bytes.ToValidUTF8(text, []byte("?")))), "\n")
	line = terminal.Printable(line)
	code, _ := strconv.Atoi(resp.Header.Get("X-ClickHouse-Exception-Code"))
	if code == 0 {
		return query.Hinted(nil, fmt.Errorf("%s: HTTP status %d: %s", s, resp.StatusCode, line), noServerHint)
	}
	var class error
	if resp.StatusCode == http.StatusBadRequest || resp.StatusCode == http.StatusNotFound {
		class = query.ErrUsage // the statement is to blame, or what its user may do
	}
	hint := ""
	switch {
	case code == codeUnknownDatabase:
		hint = "make the database on the server first: CREATE DATABASE " + s.database
	case code == codeUnknownTable:
		hint = "pakdb push BUILD --to " + s.String() + " makes the views"
	case resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden:
		hint = passwordVariable + " has the password of user " + s.user + "; docs/engines.md lists the rights that it needs"
	}
	return query.Hinted(class, errors.New("ClickHouse: "+line), hint)
}

// Codes of ClickHouse.
const (
	codeUnknownTable    = 60
	codeUnknownDatabase = 81
)

const noServerHint = "is the server there, and is that the port of its HTTP interface: 8123, or 8443 for HTTPS?"

// columnsOf lists columns and their types as ClickHouse has them, each followed by after.
func columnsOf(v *schema.View, after string) string {
	var list []string
	for _, c := range v.Columns {
		list = append(list, fmt.Sprintf("`%s` Nullable(%s)%s", c.Name, typeOf(&c).server, after))
	}
	return strings.Join(list, ", ")
}

// Prepare makes the tables and views that the database lacks. A build is a partition of each
// table. Views show the builds that pakdb_builds has.
func (s *Server) Prepare(ctx context.Context) error {
	var tables, views []string
	for _, v := range Views() {
		key := slices.IndexFunc(v.Columns, func(c schema.ViewColumn) bool { return c.Name == "path" })
		tables = append(tables, fmt.Sprintf("CREATE TABLE IF NOT EXISTS pakdb_%s (build String, %s) ENGINE = MergeTree PARTITION BY build ORDER BY `%s` SETTINGS allow_nullable_key = 1",
			v.Name, columnsOf(v, " CODEC(ZSTD)"), v.Columns[max(key, 0)].Name))
		views = append(views, fmt.Sprintf("CREATE OR REPLACE VIEW %s AS SELECT * FROM pakdb_%[1]s WHERE build IN (SELECT build FROM pakdb_builds)", v.Name))
	}
	return s.do(ctx, slices.Concat(tables, views, []string{"CREATE OR REPLACE VIEW contents AS " + contentsSQL})...)
}

// do sends statements that have no answer, up to the first that fails.
func (s *Server) do(ctx context.Context, statements ...string) error {
	for _, statement := range statements {
		if _, err := s.run(ctx, statement, nil, nil); err != nil {
			return err
		}
	}
	return nil
}

// literal returns a text in the SQL of ClickHouse.
func literal(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}

// Push copies a build of a catalog to a server that [Server.Prepare] prepared, and returns
// the number of its rows. It sends the files that [Build] writes to tables of their own, counts
// their rows, and then moves the partition of each. Meanwhile views do not show the build. The
// next push removes the tables of an interrupted one.
func (s *Server) Push(ctx context.Context, db *sql.DB, build string) (rows int64, err error) {
	scratch, err := atomicfile.NewScratchDir("push")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, scratch.Close()) }()
	m, err := Build(ctx, db, scratch.Path(), build, Options{})
	if err != nil {
		return 0, err
	}
	folder, err := folderOf(build)
	if err != nil {
		return 0, err
	}
	of := blake3.Sum256([]byte(build))
	beside := func(v *schema.View) string { return "pakdb_new_" + hex.EncodeToString(of[:8]) + "_" + v.Name }
	for _, v := range Views() {
		n, err := s.send(ctx, v, beside(v), build, filepath.Join(scratch.Path(), v.Name, folder), m.Views[v.Name])
		if err != nil {
			return 0, fmt.Errorf("%s of build %s: %w", v.Name, build, err)
		}
		rows += n
	}
	// Views show no build that pakdb_builds lacks, which is first to lose it and last to get it.
	if err := s.Drop(ctx, build); err != nil {
		return 0, err
	}
	move := func(v *schema.View) error {
		return s.do(ctx, "ALTER TABLE "+beside(v)+" MOVE PARTITION "+literal(build)+" TO TABLE pakdb_"+v.Name, "DROP TABLE "+beside(v))
	}
	var last *schema.View
	for _, v := range Views() {
		if v.Name == "builds" {
			last = v
		} else if err := move(v); err != nil {
			return 0, err
		}
	}
	return rows, move(last)
}

// send fills a new table with the files of a view, and returns the number of rows.
func (s *Server) send(ctx context.Context, v *schema.View, table, build, dir string, files []File) (rows int64, err error) {
	if err := s.do(ctx, "DROP TABLE IF EXISTS "+table, "CREATE TABLE "+table+" AS pakdb_"+v.Name); err != nil {
		return 0, err
	}
	insert := "INSERT INTO " + table + " SELECT {build:String} AS build, * FROM input('" + columnsOf(v, "") + "') FORMAT Parquet"
	for _, part := range files {
		if rows += part.Rows; part.Rows == 0 {
			continue
		}
		f, err := os.Open(filepath.Join(dir, part.Name))
		if err != nil {
			return 0, err
		}
		_, err = s.run(ctx, insert, url.Values{"param_build": {parameter(build)}}, struct{ io.Reader }{f}) // which the client does not close
		if err := errors.Join(err, f.Close()); err != nil {
			return 0, err
		}
	}
	count, err := s.run(ctx, "SELECT count() FROM "+table+" FORMAT TabSeparated", nil, nil)
	if err == nil && count != strconv.FormatInt(rows, 10) {
		err = fmt.Errorf("the server has %q rows of %d: push the build again", count, rows)
	}
	return rows, err
}

// Drop removes a build from the views, then its rows.
func (s *Server) Drop(ctx context.Context, build string) error {
	drop := func(view string) string { return "ALTER TABLE pakdb_" + view + " DROP PARTITION " + literal(build) }
	statements := []string{drop("builds")}
	for _, v := range Views() {
		statements = append(statements, drop(v.Name))
	}
	return s.do(ctx, statements...)
}

// Ask sends a statement that reads, as it is. parameters are values of {name:Type} in it,
// memory the bytes that it may take, 0 for what the server allows. columns is called once, row
// for each row, whose values are nil, int64, float64 or string.
func (s *Server) Ask(ctx context.Context, statement string, parameters map[string]string, memory int64, columns func([]string) error, row func([]driver.Value) error) (err error) {
	values := url.Values{
		"readonly":       {"2"}, // it reads, and settings may be given
		"default_format": {"JSONCompactEachRowWithNamesAndTypes"}, "output_format_json_quote_64bit_integers": {"0"}, "output_format_json_quote_denormals": {"1"},
		"cancel_http_readonly_queries_on_client_close": {"1"},
	}
	for name, v := range parameters {
		values.Set("param_"+name, parameter(v))
	}
	if memory > 0 {
		values.Set("max_memory_usage", strconv.FormatInt(memory, 10))
	}
	if until, ok := ctx.Deadline(); ok {
		values.Set("max_execution_time", strconv.Itoa(int(math.Ceil(max(time.Until(until).Seconds(), 1)))))
	}
	body, err := s.post(ctx, statement, values, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, body.Close()) }()
	dec := json.NewDecoder(body)
	dec.UseNumber()
	var names []string
	for n := 0; ; n++ {
		var list []any
		into := any(&list)
		if n == 0 {
			into = &names
		}
		if err := dec.Decode(into); errors.Is(err, io.EOF) && n != 1 {
			return nil
		} else if err != nil {
			return errors.Join(ctx.Err(), s.broken(n, io.MultiReader(dec.Buffered(), body)))
		}
		switch n {
		case 0:
			err = columns(names)
		case 1: // the types
		default:
			err = row(cells(list))
		}
		if err != nil {
			return err
		}
	}
}

// broken returns the error of an answer that goes on with something else than rows.
func (s *Server) broken(n int, rest io.Reader) error {
	text, _ := io.ReadAll(io.LimitReader(rest, 300))
	if n == 0 {
		return query.Usagef("leave FORMAT out", "%s: the answer is not rows: %s", s, terminal.Printable(string(text)))
	}
	return fmt.Errorf("%s: the answer breaks off after %d rows: %s", s, max(n-2, 0), terminal.Printable(string(text)))
}

// cells returns values of JSON as SQLite would have them. Lists are their JSON.
func cells(list []any) []driver.Value {
	row := make([]driver.Value, len(list))
	for i, v := range list {
		switch v := v.(type) {
		case nil:
		case string:
			row[i] = v
		case bool:
			row[i] = int64(0)
			if v {
				row[i] = int64(1)
			}
		case json.Number:
			row[i] = number(v)
		default:
			text, _ := json.Marshal(v) // of what was JSON
			row[i] = string(text)
		}
	}
	return row
}

// number returns an integer, or what is none as a real; an integer of more than 64 bits is
// its text.
func number(v json.Number) driver.Value {
	if n, err := v.Int64(); err == nil {
		return n
	}
	if f, err := v.Float64(); err == nil && strings.ContainsAny(v.String(), ".eE") {
		return f
	}
	return v.String()
}

// Builds returns the labels of the builds on the server, the oldest first.
func (s *Server) Builds(ctx context.Context) (labels []string, err error) {
	err = s.Ask(ctx, "SELECT build FROM builds ORDER BY created_at, build", nil, 0, func([]string) error { return nil }, func(row []driver.Value) error {
		labels = append(labels, fmt.Sprint(row[0]))
		return nil
	})
	return labels, err
}

// parameter returns a value of a parameter as a request has it: what would end it or begin
// an escape is escaped.
func parameter(text string) string {
	return strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`, "\x00", `\0`).Replace(text)
}
