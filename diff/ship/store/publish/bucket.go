package publish

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pakdb/diff/ship/store"
	"pakdb/internal/atomicfile"
)

// Buckets: [Bucket] writes stores into buckets of S3. Of minio-go it takes the signing of
// requests alone: its client would cost 1.1 MB of the binary, for four requests.

// Bucket is a [store.Bucket]. It is safe for concurrent use.
type Bucket struct {
	store.Files
	client *http.Client
	url    func(name string, query url.Values) *url.URL
	sign   func(req *http.Request, sum string) *http.Request // sum is that of the body
	prefix string                                            // of all names
	hint   string                                            // if the server refuses a write
	sleep  func(context.Context, time.Duration) error
}

// Connections is how many requests to a bucket may be on their way at once.
const Connections = 16

// OpenBucket returns the bucket at a location, which [store.ParseBucket] reads. Nothing is
// asked of it yet.
func OpenBucket(location string, getenv func(string) string) (*Bucket, error) {
	at, err := store.ParseBucket(location, getenv)
	if err != nil {
		return nil, err
	}
	client := store.NewClient(Connections)
	hint := "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to keys that may write"
	if at.Access != "" {
		hint = "the keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY may not do that"
	}
	return &Bucket{Files: at.Files(client), client: client, url: at.URL, sign: at.Sign, prefix: at.Prefix, hint: hint, sleep: sleep}, nil
}

// Put writes a file, by one request whatever its size: parts would not be one change.
// One that breaks off is made again: if it was done the first time, the error of a
// version that is asked for is [store.ErrRaced].
func (b *Bucket) Put(ctx context.Context, name string, r io.ReadSeeker, size int64, version string) (string, error) {
	q := request{method: http.MethodPut, name: name, body: r, size: size, header: http.Header{"Content-Type": {contentType(name)}}}
	switch version {
	case "":
	case store.Absent:
		q.header.Set("If-None-Match", store.Absent)
	default:
		q.header.Set("If-Match", `"`+strings.Trim(version, `"`)+`"`)
	}
	resp, err := b.ask(ctx, &q)
	if err != nil {
		return "", err
	}
	return resp.Header.Get("ETag"), resp.Body.Close()
}

func contentType(name string) string {
	if strings.HasSuffix(name, ".json") {
		return "application/json"
	}
	return "application/octet-stream"
}

// Stat reports a file.
func (b *Bucket) Stat(ctx context.Context, name string) (store.Info, error) {
	resp, err := b.ask(ctx, &request{method: http.MethodHead, name: name})
	if err != nil {
		return store.Info{}, err
	}
	in := store.Info{Name: name, Size: resp.ContentLength}
	if in.Written, err = http.ParseTime(resp.Header.Get("Last-Modified")); err != nil {
		err = fmt.Errorf("%s: %w: the service does not say when it was written: %w", b.At(name), store.ErrCorrupt, err)
	}
	_ = resp.Body.Close()
	return in, err
}

// listing is a page of the names in a bucket.
type listing struct {
	Contents []struct {
		Key          string
		Size         int64
		LastModified time.Time
	}
	IsTruncated           bool
	NextContinuationToken string
}

// mostListing is how many bytes a page may have: 1,000 names of 1 KiB.
const mostListing = 8 << 20

// List calls use for the files of a folder, which are asked for by the thousand.
func (b *Bucket) List(ctx context.Context, folder string, use func(store.Info) error) error {
	prefix := b.prefix
	if folder != "" {
		prefix += folder + "/"
	}
	query := url.Values{"list-type": {"2"}, "prefix": {prefix}}
	for {
		page, err := b.page(ctx, query)
		if err != nil {
			return err
		}
		for _, o := range page.Contents {
			name, ok := strings.CutPrefix(o.Key, b.prefix)
			if !ok || !strings.HasPrefix(o.Key, prefix) {
				return fmt.Errorf("%s: %w: the service lists %q", b.At(folder), store.ErrCorrupt, o.Key)
			}
			if err := use(store.Info{Name: name, Size: o.Size, Written: o.LastModified}); err != nil {
				return err
			}
		}
		if !page.IsTruncated {
			return nil
		}
		if next := page.NextContinuationToken; next == "" || next == query.Get("continuation-token") {
			return fmt.Errorf("%s: %w: the service does not say how its list goes on", b.At(folder), store.ErrCorrupt)
		}
		query.Set("continuation-token", page.NextContinuationToken)
	}
}

func (b *Bucket) page(ctx context.Context, query url.Values) (page listing, err error) {
	resp, err := b.ask(ctx, &request{method: http.MethodGet, query: query})
	if err != nil {
		return page, err
	}
	err = xml.NewDecoder(io.LimitReader(resp.Body, mostListing)).Decode(&page)
	_ = resp.Body.Close()
	if err != nil {
		return page, fmt.Errorf("%s: the list of its files: %w", b.At(""), err)
	}
	return page, nil
}

// Remove removes a file, which need not be there.
func (b *Bucket) Remove(ctx context.Context, name string) error {
	resp, err := b.ask(ctx, &request{method: http.MethodDelete, name: name})
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// A bucket has no lock, so that any number of publishers may be at work. What they
// write never changes and has a name of its own: hashes, and numbers of packs that are
// given out once. What changes is replaced only as it was read: the list of builds, and
// the number of the next pack.

// remote is a store in a bucket, of which a folder holds what is being made.
type remote struct {
	store.Bucket
	ctx     context.Context
	scratch *atomicfile.ScratchDir
	next    int // number of a pack
	end     int // before which numbers are this publisher's
}

// openRemote opens the bucket, and a folder for what is being made.
func openRemote(ctx context.Context, location string) (*remote, *atomicfile.Dir, error) {
	b, err := OpenBucket(location, os.Getenv)
	if err != nil {
		return nil, nil, err
	}
	return openScratch(ctx, b)
}

func openScratch(ctx context.Context, b store.Bucket) (*remote, *atomicfile.Dir, error) {
	scratch, err := atomicfile.NewScratchDir("publish")
	if err != nil {
		return nil, nil, err
	}
	out, err := atomicfile.Open(ctx, scratch.Path())
	if err != nil {
		return nil, nil, errors.Join(err, scratch.Close())
	}
	return &remote{Bucket: b, ctx: ctx, scratch: scratch}, out, nil
}

// smallPart is the size of frames of lists and recipes. Most of a pack of these is
// read, in no order: it is fetched as a whole.
const smallPart = 8 << 10

// Open answers parts of packs of lists from a copy in the scratch folder.
func (r *remote) Open(ctx context.Context, p store.Ask) (*store.Answer, error) {
	if !strings.HasPrefix(p.Name, "p/") || p.N < 0 || p.N > smallPart {
		return r.Bucket.Open(ctx, p)
	}
	here := store.Folder(r.scratch.Path())
	if _, err := os.Stat(here.At(p.Name)); err == nil {
		return here.Open(ctx, p)
	}
	b, _, err := store.NewReader(ctx, r.Bucket).File(p.Name)
	if err != nil {
		return nil, err
	}
	if err := r.keep(here.At(p.Name), b); err != nil {
		return nil, err
	}
	return here.Open(ctx, p)
}

func (r *remote) keep(file string, b []byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	f, err := atomicfile.Create(r.ctx, file, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Discard()) }()
	if _, err := f.Write(b); err != nil {
		return err
	}
	return f.Place()
}

// staleAfter is how old a file that is there already may be that no build may have: an
// older one is written again, so that a later prune sees that it is wanted. The memo is the one
// file that changes, and the last one's stays: none has less than the one that it read.
const staleAfter = time.Hour

// put writes a file whose name says what it is.
func (r *remote) put(name string, b []byte) error {
	_, err := r.Put(r.ctx, name, bytes.NewReader(b), int64(len(b)), store.Absent)
	if !errors.Is(err, store.ErrRaced) {
		return err
	}
	if in, err := r.Stat(r.ctx, name); err == nil && name != MemoName && time.Since(in.Written) < staleAfter {
		return nil
	}
	_, err = r.Put(r.ctx, name, bytes.NewReader(b), int64(len(b)), "")
	return err
}

// upload writes a file that was made in the scratch folder, which loses it.
func (r *remote) upload(out *atomicfile.Dir, name string) (err error) {
	f, err := out.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close(), out.Remove(name)) }()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	_, err = r.Put(r.ctx, name, f, st.Size(), store.Absent)
	if errors.Is(err, store.ErrRaced) {
		return nil
	}
	return err
}

const (
	counterName = ".next" // the number of the next pack that nobody has
	numbers     = 16      // that a publisher takes at once
	mostTries   = 100     // of a change while others make changes too
)

// number returns a number that no other publisher gets; last is the largest that is
// known to be taken.
func (r *remote) number(last int) (int, error) {
	from := store.NewReader(r.ctx, r.Bucket)
	for try := 0; r.next == r.end; try++ {
		n := 1
		b, version, err := from.File(counterName)
		if errors.Is(err, fs.ErrNotExist) {
			version = store.Absent
		} else if err != nil {
			return 0, err
		} else if err := json.Unmarshal(b, &n); err != nil || n < 1 {
			return 0, fmt.Errorf("%s: %w: not a number of a pack", r.At(counterName), store.ErrCorrupt)
		}
		n = max(n, last+1)
		b = fmt.Appendf(nil, "%d\n", n+numbers)
		_, err = r.Put(r.ctx, counterName, bytes.NewReader(b), int64(len(b)), version)
		if err == nil {
			r.next, r.end = n, n+numbers
		} else if !errors.Is(err, store.ErrRaced) || try == mostTries {
			return 0, err
		}
	}
	r.next++
	return r.next - 1, nil
}

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
	req, err := http.NewRequestWithContext(ctx, q.method, b.url(q.name, q.query).String(), body)
	if err != nil {
		return nil, err
	}
	if req.ContentLength = q.size; q.size == 0 {
		req.Body = http.NoBody // 0 is not known, of other bodies
	}
	for key, values := range q.header {
		req.Header[key] = values
	}
	return b.client.Do(b.sign(req, sum))
}

// refused says what an answer of the service means, and closes it.
func (b *Bucket) refused(resp *http.Response) error {
	var said struct{ Code, Message string }
	_ = xml.NewDecoder(io.LimitReader(resp.Body, mostError)).Decode(&said) // some say nothing
	_ = resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusNotFound && said.Code != store.NoBucket:
		return fs.ErrNotExist
	case resp.StatusCode == http.StatusPreconditionFailed || resp.StatusCode == http.StatusConflict:
		return store.ErrRaced
	}
	text := strings.TrimSpace(fmt.Sprintf("the service says %s %s %s", resp.Status, said.Code, said.Message))
	return &refusal{text, resp.StatusCode, b.hint}
}

// refusal is the error for a request that the service does not carry out.
type refusal struct {
	text   string
	status int
	hint   string
}

func (e *refusal) Error() string { return e.text }

// Hint says what to do, where keys may not do it.
func (e *refusal) Hint() string {
	if e.status == http.StatusForbidden || e.status == http.StatusUnauthorized {
		return e.hint
	}
	return ""
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
