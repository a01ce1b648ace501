package publish

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"time"

	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/place"
)

// request is what is asked of the service.
type request struct {
	method string
	name   string     // of a file; "": the bucket
	query  url.Values // of the bucket
	header http.Header
	body   io.ReadSeeker // nil: none
	size   int64
}

const (
	attempts   = 6 // of a request that breaks off, or that the service has no time for
	firstPause = 200 * time.Millisecond
	maxPause   = 30 * time.Second
	mostError  = 64 << 10 // bytes of what a service says of an error
)

// ask makes a request, and again if that may help.
func (b *Bucket) ask(ctx context.Context, q *request) (*http.Response, error) {
	sum, err := q.sum()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.At(q.name), err)
	}
	for try, pause := 1, firstPause; ; try, pause = try+1, min(2*pause, maxPause) {
		resp, err := b.once(ctx, q, sum)
		if err == nil && resp.StatusCode < 300 {
			return resp, nil
		}
		again := err != nil
		if err == nil {
			again = resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusRequestTimeout
			err = b.refused(resp)
		}
		if !again || try == attempts || ctx.Err() != nil {
			return nil, fmt.Errorf("%s: %w", b.At(q.name), errors.Join(ctx.Err(), err))
		}
		if err := b.sleep(ctx, pause); err != nil {
			return nil, err
		}
	}
}

// sum returns the SHA-256 of the body, which is signed with the rest.
func (q *request) sum() (string, error) {
	h := sha256.New()
	if q.body != nil {
		if n, err := io.Copy(h, q.body); err != nil || n != q.size {
			return "", errors.Join(fmt.Errorf("%d bytes to be written, not %d", n, q.size), err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func (b *Bucket) once(ctx context.Context, q *request, sum string) (*http.Response, error) {
	var body io.Reader
	if q.body != nil {
		if _, err := q.body.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		body = io.NopCloser(q.body) // the client would close a file
	}
	req, err := http.NewRequestWithContext(ctx, q.method, b.at.URL(q.name, q.query).String(), body)
	if err != nil {
		return nil, err
	}
	if req.ContentLength = q.size; q.size == 0 {
		req.Body = http.NoBody // 0 is not known, of other bodies
	}
	for key, values := range q.header {
		req.Header[key] = values
	}
	return b.client.Do(b.at.Sign(req, sum))
}

// refused says what an answer of the service means, and closes it.
func (b *Bucket) refused(resp *http.Response) error {
	var said struct{ Code, Message string }
	_ = xml.NewDecoder(io.LimitReader(resp.Body, mostError)).Decode(&said) // some say nothing
	_ = resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusNotFound && said.Code != place.NoBucket:
		return fs.ErrNotExist
	case resp.StatusCode == http.StatusPreconditionFailed || resp.StatusCode == http.StatusConflict:
		return store.ErrRaced
	}
	err := fmt.Errorf("the service says %s %s %s", resp.Status, said.Code, said.Message)
	if resp.StatusCode == http.StatusForbidden || resp.StatusCode == http.StatusUnauthorized {
		return &denied{err, b.at.Access != ""}
	}
	return err
}

// denied is the error for keys that may not do it.
type denied struct {
	error
	keys bool
}

func (e *denied) Unwrap() error { return e.error }

// Hint says what to do.
func (e *denied) Hint() string {
	if e.keys {
		return "the keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY may not do that"
	}
	return "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to keys that may write"
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
