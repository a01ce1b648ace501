package store

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pakdb/diff/patch"
)

// Remote reads a store: a folder, or what a web server makes of one. It is safe
// for concurrent use.
type Remote struct {
	dir    string   // of a folder
	base   *url.URL // of a server
	client *http.Client
	limit  *limiter
	key    *patch.PublicKey
	clock  clock

	requests atomic.Int64
	fetched  atomic.Int64
}

// RemoteOptions for [OpenRemote].
type RemoteOptions struct {
	Rate   int64            // bytes a second at most, 0: no limit
	Client *http.Client     // nil: one with timeouts for connecting and for silence
	Key    *patch.PublicKey // manifests must be signed by its owner; nil: no matter by whom
}

// OpenRemote opens the store at a URL, http or https, or at a folder.
func OpenRemote(location string, opt RemoteOptions) (*Remote, error) {
	r := &Remote{limit: newLimiter(opt.Rate), client: opt.Client, key: opt.Key, clock: clock{time.Now, sleep}}
	if r.client == nil {
		dialer := &net.Dialer{Timeout: silence}
		r.client = &http.Client{Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
			TLSHandshakeTimeout: silence, ResponseHeaderTimeout: silence, MaxIdleConnsPerHost: workers,
		}}
	}
	if !strings.Contains(location, "://") {
		st, err := os.Stat(location)
		if err == nil && !st.IsDir() {
			err = fmt.Errorf("%s: %w: it is no folder", location, ErrLocation)
		}
		r.dir = location
		return r, err
	}
	u, err := url.Parse(location)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%q: %w: it is neither a folder nor http(s)://", location, ErrLocation)
	}
	if !strings.HasSuffix(u.Path, "/") {
		u.Path += "/"
	}
	r.base = u
	return r, nil
}

// Requests returns how many requests were made, and Fetched how many bytes came.
func (r *Remote) Requests() int64 { return r.requests.Load() }

// Fetched returns how many bytes came.
func (r *Remote) Fetched() int64 { return r.fetched.Load() }

const (
	attempts   = 8                      // in a row by which nothing comes
	firstPause = 100 * time.Millisecond // doubled after each of them
	maxPause   = time.Minute            // whatever the server asks for
	silence    = 30 * time.Second       // after which a connection counts as broken
	workers    = 4
)

// maxManifest bounds what is read as a whole.
const maxManifest = 256 << 20

// whole fetches a file.
func (r *Remote) whole(ctx context.Context, name string) ([]byte, error) {
	return r.get(ctx, name, 0, -1)
}

// get fetches n bytes at off of a file; all of it if n is negative. What fails on
// the way is asked for again, from where it broke off.
func (r *Remote) get(ctx context.Context, name string, off, n int64) (b []byte, err error) {
	pause := firstPause
	for attempt := 1; ; attempt++ {
		had := len(b)
		if b, err = r.more(ctx, name, off, n, b); err == nil {
			return b, nil
		}
		var fatal *fatalError
		if attempt == attempts || errors.As(err, &fatal) || ctx.Err() != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if n < 0 {
			b = b[:0]
		} else if len(b) > had {
			attempt, pause = 1, firstPause
		}
		wait := pause
		var busy *busyError
		if errors.As(err, &busy) {
			wait = min(max(wait, busy.after), maxPause)
		}
		if err := r.clock.sleep(ctx, wait); err != nil {
			return nil, err
		}
		pause *= 2
	}
}

// busyError is a server's that asks to be left alone for a while.
type busyError struct {
	status string
	after  time.Duration
}

func (e *busyError) Error() string { return "the server says " + e.status }

// refusal is the error for an answer without what was asked for.
func refusal(resp *http.Response, now time.Time) error {
	switch code := resp.StatusCode; {
	case code == http.StatusNotFound || code == http.StatusGone:
		return &fatalError{fmt.Errorf("not there (%s)", resp.Status)}
	case code >= 400 && code < 500 && code != http.StatusRequestTimeout && code != http.StatusTooManyRequests:
		return &fatalError{fmt.Errorf("the server says %s", resp.Status)}
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

// fatalError is what asking again does not mend.
type fatalError struct{ err error }

func (e *fatalError) Error() string { return e.err.Error() }
func (e *fatalError) Unwrap() error { return e.err }

// more fetches what is missing in b and returns what has come, also with an
// error.
func (r *Remote) more(ctx context.Context, name string, off, n int64, b []byte) ([]byte, error) {
	r.requests.Add(1)
	if r.base == nil {
		return r.fromFolder(ctx, name, off, n)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.base.JoinPath(name).String(), nil)
	if err != nil {
		return b, &fatalError{err}
	}
	from := off + int64(len(b))
	if n >= 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", from, off+n-1))
		req.Header.Set("Accept-Encoding", "identity") // else any would do
	}
	resp, err := r.client.Do(req)
	if err != nil {
		return b, err
	}
	defer func() { _ = resp.Body.Close() }()
	skip := int64(0)
	switch {
	case n >= 0 && resp.StatusCode == http.StatusPartialContent:
		var first int64
		if _, err := fmt.Sscanf(resp.Header.Get("Content-Range"), "bytes %d-", &first); err != nil || first != from {
			return b, fmt.Errorf("the server answers with another range: %q", resp.Header.Get("Content-Range"))
		}
	case resp.StatusCode == http.StatusOK:
		if n >= 0 { // a server that knows no ranges
			skip = from
		}
	case resp.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		return b, &fatalError{fmt.Errorf("%w: it ends before byte %d", ErrCorrupt, off+n)}
	default:
		return b, refusal(resp, r.clock.now())
	}
	if coding := resp.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return b, &fatalError{fmt.Errorf("the server sends it with Content-Encoding %q, and was asked for it as it is", coding)}
	}
	want := int64(maxManifest)
	if n >= 0 {
		want = n - int64(len(b))
	}
	return r.body(ctx, cancel, resp.Body, b, skip, want, n >= 0)
}

// body reads want bytes behind those to be skipped, or up to the end.
func (r *Remote) body(ctx context.Context, cancel func(), body io.Reader, b []byte, skip, want int64, exact bool) ([]byte, error) {
	watchdog := time.AfterFunc(silence, cancel)
	defer watchdog.Stop()
	buf := make([]byte, 64<<10)
	for want > 0 {
		k, err := body.Read(buf[:min(skip+want, int64(len(buf)))])
		watchdog.Reset(silence)
		passed := int(min(skip, int64(k)))
		b = append(b, buf[passed:k]...)
		skip -= int64(passed)
		want -= int64(k - passed)
		r.fetched.Add(int64(k))
		patch.Watching(ctx).Add(int64(k - passed))
		if err := r.limit.wait(ctx, k); err != nil {
			return b, err
		}
		if err == io.EOF && !exact {
			return b, nil
		}
		if err != nil && want > 0 {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return b, err
		}
	}
	if !exact {
		return b, &fatalError{fmt.Errorf("%w: larger than %d bytes", ErrCorrupt, int64(maxManifest))}
	}
	return b, nil
}

func (r *Remote) fromFolder(ctx context.Context, name string, off, n int64) (b []byte, err error) {
	f, err := os.Open(filepath.Join(r.dir, filepath.FromSlash(name)))
	if err != nil {
		return nil, &fatalError{err}
	}
	defer func() { _ = f.Close() }()
	if n < 0 {
		b, err = io.ReadAll(io.LimitReader(f, maxManifest))
	} else {
		b = make([]byte, n)
		_, err = io.ReadFull(io.NewSectionReader(f, off, n), b)
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = fmt.Errorf("%w: it ends before byte %d", ErrCorrupt, off+n)
	}
	if err != nil {
		return nil, &fatalError{err}
	}
	r.fetched.Add(int64(len(b)))
	patch.Watching(ctx).Add(int64(len(b)))
	return b, nil
}

// object fetches an object and checks that it is what its name says.
func (r *Remote) object(ctx context.Context, id string) ([]byte, error) {
	if raw, err := hex.DecodeString(id); err != nil || len(raw) != 32 {
		return nil, fmt.Errorf("%w: object %q", ErrCorrupt, id)
	}
	b, err := r.whole(ctx, objectName(id))
	if err != nil {
		return nil, err
	}
	return parseObject(b, id)
}

// manifest fetches a manifest and checks its signature.
func (r *Remote) manifest(ctx context.Context, name string) (b []byte, err error) {
	for again := range 2 { // between the two requests it may have been replaced
		if b, err = r.whole(ctx, name); err != nil || r.key == nil {
			return b, err
		}
		sig, err := r.whole(ctx, name+signed)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUnsigned, err)
		}
		if err = verify(r.key, b, string(sig), name); err == nil {
			return b, nil
		} else if again > 0 {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil, err
}

// verify checks a manifest's signature. While the manifest is replaced there are
// several, one of which fits.
func verify(key *patch.PublicKey, b []byte, sigs, name string) error {
	err := fmt.Errorf("%w: there is none", patch.ErrSignature)
	for _, sig := range signatures(sigs) {
		var comment string
		if comment, err = key.Verify(b, sig); err == nil && comment != name {
			err = fmt.Errorf("%w: it is of %s", patch.ErrSignature, comment)
		}
		if err == nil {
			return nil
		}
	}
	return err
}

// mostSignatures is how many a file of them may have: some publishers in a row
// may have been stopped between a signature and its manifest.
const mostSignatures = 8

// signatures cuts a file of them.
func signatures(text string) (list []string) {
	const head = "untrusted comment:"
	for _, one := range strings.Split("\n"+text, "\n"+head)[1:] {
		list = append(list, head+strings.TrimSuffix(one, "\n")+"\n")
	}
	return list[:min(len(list), mostSignatures)]
}

// Index returns what the store has.
func (r *Remote) Index(ctx context.Context) (*Index, error) {
	b, err := r.manifest(ctx, indexName)
	if err != nil {
		return nil, err
	}
	return parseIndex(b)
}

// Build returns the manifest of a build, without its files; the last one published
// if label is empty.
func (r *Remote) Build(ctx context.Context, label string) (*Build, error) {
	index, err := r.Index(ctx)
	if err != nil {
		return nil, err
	}
	if label == "" && len(index.Builds) > 0 {
		label = index.Builds[len(index.Builds)-1]
	}
	if !slices.Contains(index.Builds, label) {
		return nil, &noBuild{label, index.Builds}
	}
	b, err := r.manifest(ctx, buildName(label))
	if err != nil {
		return nil, err
	}
	build, err := parseBuild(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", buildName(label), err)
	}
	return build, nil
}

// files fetches a list of versions of files.
func (r *Remote) files(ctx context.Context, id string) ([]File, error) {
	b, err := r.object(ctx, id)
	if err != nil {
		return nil, err
	}
	return parseFiles(b)
}

// earlier fetches the versions of files that earlier builds had.
func (r *Remote) earlier(ctx context.Context, b *Build) (err error) {
	if b.Past != "" && b.Earlier == nil {
		b.Earlier, err = r.files(ctx, b.Past)
	}
	return err
}

// noBuild tells what there is instead.
type noBuild struct {
	label string
	have  []string
}

func (e *noBuild) Error() string {
	if len(e.have) == 0 {
		return "the store is empty"
	}
	return fmt.Sprintf("the store has no build %q; it has %s", e.label, strings.Join(e.have, ", "))
}

func (e *noBuild) Is(target error) bool { return target == ErrNoBuild }

// limiter spreads bytes over time.
type limiter struct {
	mu   sync.Mutex
	rate int64
	free time.Time // when all bytes so far have had their time
}

func newLimiter(rate int64) *limiter { return &limiter{rate: rate} }

func (l *limiter) wait(ctx context.Context, n int) error {
	if l.rate <= 0 {
		return nil
	}
	l.mu.Lock()
	now := time.Now()
	if l.free.Before(now) {
		l.free = now
	}
	l.free = l.free.Add(time.Duration(float64(n) / float64(l.rate) * float64(time.Second)))
	pause := l.free.Sub(now)
	l.mu.Unlock()
	return sleep(ctx, pause)
}

// clock is what tells the time, and lets it pass.
type clock struct {
	now   func() time.Time
	sleep func(context.Context, time.Duration) error
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}
