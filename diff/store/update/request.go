package update

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"pakdb/diff/pkdelta"
	"pakdb/diff/store"
	"pakdb/internal/progress"
)

const (
	attempts   = 8                      // in a row by which nothing comes
	firstPause = 100 * time.Millisecond // doubled after each of them
	maxPause   = time.Minute            // whatever the server asks for
	silence    = 30 * time.Second       // after which a connection counts as broken
	workers    = 4
)

const (
	// wrongAnswers is how often each server is asked for what it answered wrongly: the
	// pauses between are 1.5 s in all, in which a bad edge of a network is mended or
	// another one asked. A folder is asked once: it says the same again.
	wrongAnswers = 5
	// vainAnyhow bounds the bytes that may come in vain, with as many as came right:
	// a server that answers wrongly every other time costs twice as much, one that
	// always does some requests.
	vainAnyhow = 64 << 20
)

// want is a part of a file of a store.
type want struct {
	name  string
	off   int64
	n     int64              // bytes; -1: the whole file
	most  int64              // bytes of a whole file
	check func([]byte) error // that they are right; nil: nobody knows
	fresh bool               // what caches have is not wanted
	first int                // source to ask first, modulo their number
}

func (w *want) String() string {
	if w.n < 0 {
		return w.name
	}
	return fmt.Sprintf("%s, %d bytes from %d on", w.name, w.n, w.off)
}

// asking is a want on its way.
type asking struct {
	*want
	r      *Remote
	b      []byte // what has come
	kind   string // its media type
	from   int    // source
	wrongs []int  // answers of each source
	failed int    // attempts in a row by which nothing came
	pause  time.Duration
}

// get fetches a part of a file. What breaks off is asked for again from there on;
// what is wrong is asked for anew, by turns from all sources, as often as
// [wrongAnswers] says.
func (r *Remote) get(ctx context.Context, w *want) ([]byte, error) {
	a := &asking{want: w, r: r, wrongs: make([]int, len(r.sources)), pause: firstPause, from: w.first % len(r.sources)}
	for {
		had := len(a.b)
		err := a.more(ctx)
		if err == nil && w.check != nil {
			if err = w.check(a.b); err != nil {
				err = &wrongError{err: err}
			}
		}
		if err == nil {
			return a.b, nil
		}
		if err = a.again(ctx, err, had); err != nil {
			return nil, err
		}
	}
}

// again decides whether to ask again, and waits until then. It returns the error
// if not.
func (a *asking) again(ctx context.Context, err error, had int) error {
	var wrong *wrongError
	var busy *busyError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", a.name, err)
	case errors.As(err, &wrong):
		a.describe(wrong)
		a.wrongs[a.from]++
		a.r.isWrong(len(a.b))
		if !a.elsewhere() || a.r.inVain() {
			return wrong
		}
		a.b, a.fresh = nil, true
	default:
		if a.n < 0 {
			a.b = nil
		}
		if a.failed++; len(a.b) > had {
			a.failed, a.pause = 1, firstPause
		}
		if a.failed == attempts {
			return fmt.Errorf("%s: %w", a.at(), err)
		}
		a.elsewhere()
	}
	wait := a.pause
	if errors.As(err, &busy) {
		wait = min(max(wait, busy.after), maxPause)
	}
	a.pause *= 2
	return a.r.clock.sleep(ctx, wait)
}

// at tells where the file is that was asked for.
func (a *asking) at() string { return a.r.sources[a.from].at(a.name) }

// elsewhere goes on to the next source that may be asked, which may be the same.
func (a *asking) elsewhere() bool {
	for range a.r.sources {
		a.from = (a.from + 1) % len(a.r.sources)
		if a.wrongs[a.from] < a.r.sources[a.from].tries() {
			return true
		}
	}
	return false
}

// tries is how many wrong answers a source may give to one want.
func (s *source) tries() int {
	if s.base == nil {
		return 1
	}
	return wrongAnswers
}

// wrongTries is how many all sources may.
func (r *Remote) wrongTries() (n int) {
	for i := range r.sources {
		n += r.sources[i].tries()
	}
	return n
}

// isWrong counts an answer that was wrong.
func (r *Remote) isWrong(n int) {
	r.wrong.Add(1)
	r.vain.Add(int64(n))
}

// inVain reports that too much came in vain.
func (r *Remote) inVain() bool {
	vain := r.vain.Load()
	return vain > vainAnyhow+max(0, r.fetched.Load()-vain)
}

// wrongError is the error for answers that are not what was asked for.
type wrongError struct {
	err     error  // what is wrong
	where   string // URL
	what    string // was wanted
	got     string
	answers int
}

func (e *wrongError) Error() string {
	if e.where == "" {
		return e.err.Error()
	}
	times := ""
	if e.answers > 1 {
		times = fmt.Sprintf("; asked %d times", e.answers)
	}
	return fmt.Sprintf("%s: %v; wanted %s, got %s%s", e.where, e.err, e.what, e.got, times)
}

func (e *wrongError) Unwrap() error { return e.err }

// Hint says what to do.
func (e *wrongError) Hint() string {
	var own interface{ Hint() string }
	if errors.As(e.err, &own) {
		return own.Hint()
	}
	if errors.Is(e.err, fs.ErrNotExist) {
		return "a store is a folder that pakdb publish wrote: is it this one, and complete?"
	}
	if errors.Is(e.err, pkdelta.ErrSignature) {
		return "check the key; if it is the publisher's, the server, or what is between, answers with other bytes than were published: name another copy of the store with one more --from"
	}
	return "the server, or what is between, answers with other bytes than were published: try again later, name another copy of the store with one more --from," +
		" or have its publisher run pakdb store check"
}

// describe says what was wanted and what came.
func (a *asking) describe(e *wrongError) {
	e.where, e.what, e.answers, e.got = a.at(), a.String(), 1, gotten(a.b, a.kind)
	for _, n := range a.wrongs {
		e.answers += n
	}
}

// gotten says what came.
func gotten(b []byte, kind string) string {
	if len(b) == 0 {
		return "nothing"
	}
	if kind != "" {
		kind = " of " + kind
	}
	return fmt.Sprintf("%d bytes%s that begin with %q", len(b), kind, b[:min(len(b), 24)])
}

// busyError is a server's that asks to be left alone for a while.
type busyError struct {
	status string
	after  time.Duration
}

func (e *busyError) Error() string { return "the server says " + e.status }

// refusal is the error for an answer without what was asked for. Some edges of a
// network say that a file is not there which others have.
func refusal(resp *http.Response, now time.Time) error {
	switch code := resp.StatusCode; {
	case code == http.StatusNotFound || code == http.StatusGone:
		return &wrongError{err: fmt.Errorf("not there (%s)", resp.Status)}
	case code >= 300 && code < 500 && code != http.StatusRequestTimeout && code != http.StatusTooManyRequests:
		return &wrongError{err: fmt.Errorf("the server says %s", resp.Status)}
	}
	return &busyError{resp.Status, retryAfter(resp.Header.Get("Retry-After"), now)}
}

// retryAfter is how long a server asks to be left alone: seconds, or a date.
func retryAfter(value string, now time.Time) time.Duration {
	if at, err := http.ParseTime(value); err == nil {
		return at.Sub(now)
	}
	seconds, _ := strconv.ParseUint(value, 10, 31) // the largest, of larger ones
	return time.Duration(seconds) * time.Second
}

// more fetches what is missing.
func (a *asking) more(ctx context.Context) error {
	a.r.requests.Add(1)
	if a.r.sources[a.from].base == nil {
		return a.fromFolder(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.r.sources[a.from].base.JoinPath(a.name).String(), nil)
	if err != nil {
		return &wrongError{err: err}
	}
	from := a.off + int64(len(a.b))
	if a.n >= 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", from, a.off+a.n-1))
	}
	// Else any would do; and what a transport decodes by itself has no bound.
	req.Header.Set("Accept-Encoding", "identity")
	if a.fresh {
		req.Header.Set("Cache-Control", "no-cache")
	}
	resp, err := a.r.client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	a.kind, _, _ = strings.Cut(resp.Header.Get("Content-Type"), ";")
	skip, err := a.answer(resp, from)
	if err != nil {
		return err
	}
	return a.body(ctx, cancel, resp.Body, skip)
}

// answer looks at what precedes a body, and returns how many bytes of it are
// before those that are missing.
func (a *asking) answer(resp *http.Response, from int64) (skip int64, err error) {
	switch {
	case a.n >= 0 && resp.StatusCode == http.StatusPartialContent:
		var first int64
		if _, err := fmt.Sscanf(resp.Header.Get("Content-Range"), "bytes %d-", &first); err != nil || first != from {
			return 0, fmt.Errorf("the server answers with another range: %q", resp.Header.Get("Content-Range"))
		}
	case resp.StatusCode == http.StatusOK && a.n >= 0: // a server that knows no ranges
		if skip = from; resp.ContentLength >= 0 && resp.ContentLength < a.off+a.n {
			return 0, &wrongError{err: fmt.Errorf("%w: a file of %d bytes", store.ErrCorrupt, resp.ContentLength)}
		}
	case resp.StatusCode == http.StatusOK:
		if resp.ContentLength > a.most {
			return 0, &wrongError{err: tooLong(a.most)}
		}
	case resp.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		return 0, &wrongError{err: fmt.Errorf("%w: it ends before byte %d", store.ErrCorrupt, a.off+a.n)}
	default:
		return 0, refusal(resp, a.r.clock.now())
	}
	if coding := resp.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return 0, &wrongError{err: fmt.Errorf("the server sends it with Content-Encoding %q, and was asked for it as it is", coding)}
	}
	return skip, nil
}

func tooLong(most int64) error { return fmt.Errorf("%w: larger than %d bytes", store.ErrCorrupt, most) }

// body reads what is missing behind the bytes to be skipped: up to the end, of a
// whole file.
func (a *asking) body(ctx context.Context, cancel func(), body io.Reader, skip int64) error {
	want := a.most + 1
	if a.n >= 0 {
		want = a.n - int64(len(a.b))
		a.room(want)
	}
	watchdog := time.AfterFunc(silence, cancel)
	defer watchdog.Stop()
	buf := make([]byte, 64<<10)
	for want > 0 {
		k, err := body.Read(buf[:min(skip+want, int64(len(buf)))])
		watchdog.Reset(silence)
		passed := int(min(skip, int64(k)))
		a.b = append(a.b, buf[passed:k]...)
		skip -= int64(passed)
		want -= int64(k - passed)
		a.r.came(ctx, k, k-passed)
		if err := a.r.limit.wait(ctx, k); err != nil {
			return err
		}
		if err == io.EOF && a.n < 0 {
			return nil
		}
		if err != nil && want > 0 {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
	}
	if a.n < 0 {
		return &wrongError{err: tooLong(a.most)}
	}
	return nil
}

// room makes room for n bytes that nobody may have sent yet: for as many as one
// request has at most, the rest as it comes.
func (a *asking) room(n int64) {
	if a.b == nil {
		a.b = make([]byte, 0, min(n, maxRange))
	}
}

// came counts bytes.
func (r *Remote) came(ctx context.Context, all, wanted int) {
	r.fetched.Add(int64(all))
	progress.Of(ctx).Add(int64(wanted))
}

func (a *asking) fromFolder(ctx context.Context) error {
	f, err := os.Open(a.at())
	if err != nil {
		return &wrongError{err: err}
	}
	defer func() { _ = f.Close() }()
	if a.n < 0 {
		a.b, err = io.ReadAll(io.LimitReader(f, a.most+1))
		if err == nil && int64(len(a.b)) > a.most {
			err = tooLong(a.most)
		}
	} else {
		a.b = make([]byte, a.n)
		_, err = io.ReadFull(io.NewSectionReader(f, a.off, a.n), a.b)
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = fmt.Errorf("%w: it ends before byte %d", store.ErrCorrupt, a.off+a.n)
	}
	a.r.came(ctx, len(a.b), len(a.b))
	if err != nil {
		return &wrongError{err: err}
	}
	return nil
}
