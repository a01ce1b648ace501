package export

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"pakdb/internal/terminal"
	"pakdb/query"
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
	for key, v := range values {
		all[key] = v
	}
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
		return nil, &serverError{server: s, err: err}
	}
	if resp.StatusCode == http.StatusOK {
		return resp.Body, nil
	}
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 16<<10))
	_ = resp.Body.Close()
	e := &serverError{server: s, status: resp.StatusCode, text: string(bytes.ToValidUTF8(text, []byte("?")))}
	e.code, _ = strconv.Atoi(resp.Header.Get("X-ClickHouse-Exception-Code"))
	return nil, e
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

// serverError is an answer that refuses a statement, or the reason why there is none.
type serverError struct {
	server *Server
	err    error // there is no answer
	status int
	code   int // of ClickHouse; 0: none
	text   string
}

// Codes of ClickHouse.
const (
	codeUnknownTable    = 60
	codeUnknownDatabase = 81
)

// Error returns the first line of the answer.
func (e *serverError) Error() string {
	text, _, _ := strings.Cut(strings.TrimSpace(e.text), "\n")
	switch {
	case e.err != nil:
		return fmt.Sprintf("%s: %v", e.server, e.err)
	case e.code == 0:
		return fmt.Sprintf("%s: HTTP status %d: %s", e.server, e.status, terminal.Printable(text))
	}
	return "ClickHouse: " + terminal.Printable(text)
}

// Unwrap returns the reason why there is no answer.
func (e *serverError) Unwrap() error { return e.err }

// Is puts an error of the statement, or of what its user may do, into the class of errors
// that statements on a catalog have.
func (e *serverError) Is(target error) bool {
	return target == query.ErrUsage && e.code != 0 && (e.status == http.StatusBadRequest || e.status == http.StatusNotFound)
}

// Hint says what to do about the error, "" for nothing.
func (e *serverError) Hint() string {
	switch {
	case e.code == 0:
		return "is the server there, and is that the port of its HTTP interface: 8123, or 8443 for HTTPS?"
	case e.code == codeUnknownDatabase:
		return "make the database on the server first: CREATE DATABASE " + e.server.database
	case e.code == codeUnknownTable:
		return "pakdb push BUILD --to " + e.server.String() + " makes the views"
	case e.status == http.StatusUnauthorized || e.status == http.StatusForbidden:
		return passwordVariable + " has the password of user " + e.server.user + "; docs/engines.md lists the rights that it needs"
	}
	return ""
}
