package place

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"pakdb/diff/ship/store"
)

// server is a web server with the files of a store.
type server struct {
	client *http.Client
	url    func(name string) *url.URL
	said   func(name string) string          // how a file is called; nil: by its URL
	sign   func(*http.Request) *http.Request // nil: everybody may read
	bucket bool                              // of S3, which says why a file is not there
}

// errUnsafe is the error for a server that sends clients from https to http.
var errUnsafe = errors.New("the server redirects from https to http")

// staysSafe looks at a redirection, as [http.Client] asks.
func staysSafe(req *http.Request, via []*http.Request) error {
	switch {
	case len(via) >= 10:
		return errors.New("stopped after 10 redirects")
	case via[len(via)-1].URL.Scheme == "https" && req.URL.Scheme != "https":
		return errUnsafe
	}
	return nil
}

// At returns the URL of a file, without passwords.
func (s *server) At(name string) string {
	if s.said != nil {
		return s.said(name)
	}
	return s.url(name).Redacted()
}

// Steady is false: another edge of a network may answer the next time.
func (s *server) Steady() bool { return false }

// Open asks for a part of a file.
func (s *server) Open(ctx context.Context, p store.Ask) (*store.Answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url(p.Name).String(), nil)
	if err != nil {
		return nil, &store.NotGiven{Err: err}
	}
	switch {
	case p.N >= 0:
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", p.Off, p.Off+p.N-1))
	case p.Off > 0:
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", p.Off))
	}
	// Else any would do; and what a transport decodes by itself has no bound.
	req.Header.Set("Accept-Encoding", "identity")
	if p.Fresh {
		req.Header.Set("Cache-Control", "no-cache")
	}
	if s.sign != nil {
		req = s.sign(req)
	}
	resp, err := s.client.Do(req)
	if errors.Is(err, errUnsafe) {
		return nil, &store.NotGiven{Err: errUnsafe}
	} else if err != nil {
		return nil, err
	}
	a := &store.Answer{ReadCloser: resp.Body, Size: resp.ContentLength, Version: resp.Header.Get("ETag")}
	a.Kind, _, _ = strings.Cut(resp.Header.Get("Content-Type"), ";")
	if a.Skip, err = s.skipped(resp, p); err != nil {
		_ = resp.Body.Close()
		return nil, err
	}
	return a, nil
}

// skipped looks at what precedes a body, and returns how many bytes of it are before
// those that were asked for.
func (s *server) skipped(resp *http.Response, p store.Ask) (skip int64, err error) {
	ranged := p.N >= 0 || p.Off > 0
	switch {
	case ranged && resp.StatusCode == http.StatusPartialContent:
		var first int64
		if _, err := fmt.Sscanf(resp.Header.Get("Content-Range"), "bytes %d-", &first); err != nil || first != p.Off {
			return 0, fmt.Errorf("the server answers with another range: %q", resp.Header.Get("Content-Range"))
		}
	case resp.StatusCode == http.StatusOK: // of a range: a server that knows none
		if skip = p.Off; p.N >= 0 && resp.ContentLength >= 0 && resp.ContentLength < p.Off+p.N {
			return 0, &store.NotGiven{Err: fmt.Errorf("%w: a file of %d bytes", store.ErrCorrupt, resp.ContentLength)}
		}
	case resp.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		return 0, &store.NotGiven{Err: fmt.Errorf("%w: it ends before byte %d", store.ErrCorrupt, p.Off+max(p.N, 0))}
	default:
		return 0, s.refusal(resp)
	}
	if coding := resp.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return 0, &store.NotGiven{Err: fmt.Errorf("the server sends it with Content-Encoding %q, and was asked for it as it is", coding)}
	}
	return skip, nil
}

// refusal is the error for an answer without what was asked for. Some edges of a
// network say that a file is not there which others have.
func (s *server) refusal(resp *http.Response) error {
	switch code := resp.StatusCode; {
	case code == http.StatusNotFound && s.bucket && absent(resp) == NoBucket:
		return &store.NotGiven{Err: fmt.Errorf("%s: there is no such bucket (%s)", s.At(""), NoBucket)}
	case code == http.StatusNotFound || code == http.StatusGone:
		return &store.NotGiven{Err: fmt.Errorf("not there (%s)", resp.Status), Absent: true}
	case code >= 300 && code < 500 && code != http.StatusRequestTimeout && code != http.StatusTooManyRequests:
		return &store.NotGiven{Err: fmt.Errorf("the server says %s", resp.Status)}
	}
	return busy(resp)
}

// NoBucket is what a service of S3 says of a bucket that is not there.
const NoBucket = "NoSuchBucket"

// absent returns what a service of S3 says is not there.
func absent(resp *http.Response) string {
	var said struct{ Code string }
	_ = xml.NewDecoder(io.LimitReader(resp.Body, 64<<10)).Decode(&said) // some say nothing
	return said.Code
}

// busy is the error for a server that asks to be left alone: for seconds, or until a
// date.
func busy(resp *http.Response) *store.Busy {
	after := resp.Header.Get("Retry-After")
	if at, err := http.ParseTime(after); err == nil {
		return &store.Busy{Status: resp.Status, Until: at}
	}
	seconds, _ := strconv.ParseUint(after, 10, 31) // the largest, of larger ones
	return &store.Busy{Status: resp.Status, After: time.Duration(seconds) * time.Second}
}
