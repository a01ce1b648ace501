package clickhouse

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"pakdb/internal/terminal"
	"pakdb/query/portable"
)

// Client sends requests to one database. It is safe for concurrent use.
type Client struct {
	address *Address
	http    *http.Client
	pause   time.Duration // before the first repetition
	tries   int           // of each request
	memory  int64         // bytes that a statement of a user may take; 0: as the server says
}

// NewClient returns a client. Nothing is sent yet.
func NewClient(address *Address) *Client {
	transport := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSHandshakeTimeout: 10 * time.Second,
		MaxIdleConnsPerHost: 4,
		IdleConnTimeout:     30 * time.Second,
	}
	return &Client{
		address: address,
		http: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // the password is for this server
		}},
		pause: 200 * time.Millisecond,
		tries: attempts,
	}
}

// TryTwice has the client make a request again once where it makes it five times again else:
// someone waits for the answer.
func (c *Client) TryTwice() { c.tries = 2 }

// LimitMemory bounds what the server may take for a statement of a user, in bytes.
func (c *Client) LimitMemory(bytes int64) { c.memory = bytes }

// Address returns the address of the database, without the password.
func (c *Client) Address() string { return c.address.String() }

// Close gives up idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Error is what the server said.
type Error struct {
	Status int
	Code   int // of ClickHouse; 0: none was stated
	Text   string

	address *Address
}

// ErrAway is the class of errors of a server that gave no answer.
var ErrAway = errors.New("the server gives no answer")

// away puts an error into the class [ErrAway].
type away struct{ error }

func (e away) Unwrap() error { return e.error }

// Hint says what to look at.
func (e away) Hint() string {
	return "is the server there, and is that the port of its HTTP interface: 8123, or 8443 for HTTPS?"
}

// Is puts it into the class.
func (e away) Is(target error) bool { return target == ErrAway }

// Is reports whether the error is that a statement took too long, as the context says it.
func (e *Error) Is(target error) bool {
	return target == context.DeadlineExceeded && e.Code == codeTimeout
}

// Statement reports whether it is the statement that the server refused: what it says, what it
// names, or what its user may do. Else the server could not run it.
func (e *Error) Statement() bool {
	switch e.Code {
	case 0, codeTimeout, codeTooManyQueries, codeSocketTimeout, codeNetwork, codeTooManyParts, codeKeeper, codeMemory:
		return false
	}
	return !e.Login()
}

// Login reports whether the server does not let the user in.
func (e *Error) Login() bool {
	switch e.Code {
	case codeUnknownUser, codeWrongPassword, codeRequiredPassword, codeAuthentication:
		return true
	}
	return false
}

// NotThere reports whether the database, or a table of it, is not there.
func (e *Error) NotThere() bool { return e.Code == codeUnknownTable || e.Code == codeUnknownDatabase }

// Error returns the first line of what the server said.
func (e *Error) Error() string {
	text, _, _ := strings.Cut(strings.TrimSpace(e.Text), "\n")
	if e.Code == 0 && !strings.HasPrefix(text, "Code: ") { // of a proxy, perhaps
		return strings.TrimSuffix(fmt.Sprintf("%s: HTTP status %d: %s", e.address, e.Status, terminal.Printable(text)), ": ")
	}
	return "ClickHouse: " + terminal.Printable(text)
}

// Hint returns what to do about it, "" if there is nothing to say.
func (e *Error) Hint() string {
	switch {
	case e.Login():
		return "set " + PasswordVariable + " to the password of user " + e.address.User + ", or " + PasswordFileVariable + " to a file that has it"
	case e.Code == codeUnknownDatabase:
		return "make the database on the server first: CREATE DATABASE " + e.address.Database
	case e.Code == codeUnknownTable:
		return "pakdb push BUILD --to " + e.address.String() + " makes the views of docs/portable.md: " + strings.Join(portable.Names(), ", ")
	case e.Code == codeAccessDenied:
		return "docs/portable.md says what its user must be allowed to do"
	case e.Code == 0 && e.Status < http.StatusInternalServerError:
		return away{}.Hint()
	}
	return ""
}

// Codes of ClickHouse.
const (
	codeUnknownTable     = 60
	codeUnknownDatabase  = 81
	codeTimeout          = 159
	codeUnknownUser      = 192
	codeWrongPassword    = 193
	codeRequiredPassword = 194
	codeTooManyQueries   = 202
	codeSocketTimeout    = 209
	codeNetwork          = 210
	codeMemory           = 241
	codeTooManyParts     = 252
	codeAccessDenied     = 497
	codeAuthentication   = 516
	codeKeeper           = 999
)

// passing reports whether the same request may do better a little later.
func passing(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
	}
	switch e.Code {
	case codeTooManyQueries, codeSocketTimeout, codeNetwork, codeTooManyParts, codeKeeper:
		return true
	}
	return e.Code == 0 && (e.Status == http.StatusBadGateway || e.Status == http.StatusServiceUnavailable || e.Status == http.StatusGatewayTimeout)
}

// request is one request. It must do no harm to make it twice.
type request struct {
	sql    string
	values url.Values // settings and parameters
	// data opens what is inserted, which is sent in place of the SQL; nil: nothing.
	data func() (io.ReadCloser, int64, error)
}

const (
	attempts  = 6
	maxReply  = 1 << 20 // of an answer that is not rows of a user
	maxErrors = 16 << 10
)

// do sends a request, again where that may help, and returns the body of the answer, which
// the caller closes.
func (c *Client) do(ctx context.Context, r request) (io.ReadCloser, error) {
	pause := c.pause
	for n := 1; ; n++ {
		body, err := c.once(ctx, r)
		if err == nil || n == c.tries || !passing(err) {
			return body, err
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), err)
		case <-time.After(pause/2 + rand.N(pause)):
		}
		pause *= 2
	}
}

func (c *Client) once(ctx context.Context, r request) (io.ReadCloser, error) {
	values := url.Values{"database": {c.address.Database}}
	for key, v := range r.values {
		values[key] = v
	}
	body := io.NopCloser(strings.NewReader(r.sql))
	size := int64(len(r.sql))
	if r.data != nil {
		values.Set("query", r.sql)
		var err error
		if body, size, err = r.data(); err != nil {
			return nil, err
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address.url(values), body)
	if err != nil {
		return nil, errors.Join(err, body.Close())
	}
	req.ContentLength = size
	req.Header.Set("X-ClickHouse-User", c.address.User)
	if c.address.password != "" {
		req.Header.Set("X-ClickHouse-Key", c.address.password)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err // without the address, which has the whole request in it
		}
		return nil, away{fmt.Errorf("%s: %w", c.address, err)}
	}
	if resp.StatusCode == http.StatusOK {
		return resp.Body, nil
	}
	text, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrors))
	_ = resp.Body.Close()
	code, _ := strconv.Atoi(resp.Header.Get("X-ClickHouse-Exception-Code"))
	return nil, &Error{resp.StatusCode, code, string(bytes.ToValidUTF8(text, []byte("?"))), c.address}
}

// reachable is how long a server may take until it says that it is there.
const reachable = 30 * time.Second

// Reach fails unless ClickHouse answers at the address, lets the user in and has the database.
// It waits for half a minute at most: statements may take long, and a server that hangs is
// found out before.
func (c *Client) Reach(ctx context.Context) error { return c.reach(ctx, reachable) }

func (c *Client) reach(ctx context.Context, most time.Duration) error {
	waiting, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	answer, err := c.run(waiting, request{sql: "SELECT 1 FORMAT TabSeparated"})
	switch {
	case ctx.Err() == nil && waiting.Err() != nil:
		return away{fmt.Errorf("%s: no answer in %s", c.address, most)}
	case err != nil:
		return err
	case strings.TrimSpace(answer) != "1":
		return away{fmt.Errorf("%s: what answers there is not ClickHouse", c.address)}
	}
	return nil
}

// run sends a request whose answer is short, and returns it.
func (c *Client) run(ctx context.Context, r request) (string, error) {
	body, err := c.do(ctx, r)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(body, maxReply+1))
	if err := errors.Join(err, body.Close()); err != nil {
		return "", fmt.Errorf("%s: %w", c.address, err)
	}
	if len(text) > maxReply {
		return "", fmt.Errorf("%s: an answer of more than %d bytes", c.address, maxReply)
	}
	return string(text), nil
}

// parameter returns a value of a parameter as a request has it: what would end it or begin
// an escape is escaped.
func parameter(text string) string {
	return strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`, "\x00", `\0`).Replace(text)
}
