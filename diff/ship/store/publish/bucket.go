package publish

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/place"
)

// Buckets: [Bucket] writes stores into buckets of S3. Of minio-go it takes the signing of
// requests alone: its client would cost 1.1 MB of the binary, for four requests.

// Bucket is a [store.Bucket]. It is safe for concurrent use.
type Bucket struct {
	store.Files
	at     *place.Bucket
	client *http.Client
	sleep  func(context.Context, time.Duration) error
}

// Connections is how many requests to a bucket may be on their way at once.
const Connections = 16

// OpenBucket returns the bucket at a location, which [place.ParseBucket] reads. Nothing is
// asked of it yet.
func OpenBucket(location string, getenv func(string) string) (*Bucket, error) {
	at, err := place.ParseBucket(location, getenv)
	if err != nil {
		return nil, err
	}
	client := place.NewClient(Connections)
	return &Bucket{Files: at.Files(client), at: at, client: client, sleep: sleep}, nil
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

// Stat tells of a file.
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
	prefix := b.at.Prefix
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
			name, ok := strings.CutPrefix(o.Key, b.at.Prefix)
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
