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
)

// Client sends requests to one database. It is safe for concurrent use.
type Client struct {
	address *Address
	http    *http.Client
	pause   time.Duration // before the first repetition
	tries   int           // of each request
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

// Address returns the address of the database, without the password.
func (c *Client) Address() string { return c.address.String() }

// Close gives up idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Error is what the server said.
type Error struct {
	Status int
	Code   int // of ClickHouse; 0: none was stated
	Text   string
}

// ErrAway is the class of errors of a server that gave no answer.
var ErrAway = errors.New("the server gives no answer")

// away puts an error into the class [ErrAway].
type away struct{ error }

func (e away) Unwrap() error        { return e.error }
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
	if text == "" {
		text = "HTTP status " + strconv.Itoa(e.Status)
	}
	return "ClickHouse: " + terminal.Printable(text)
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
	return nil, &Error{resp.StatusCode, code, string(bytes.ToValidUTF8(text, []byte("?")))}
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
