package store

import (
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/s3utils"
	"github.com/minio/minio-go/v7/pkg/signer"
)

const silence = 30 * time.Second // after which a connection counts as broken

// NewClient returns a client that gives up servers which say nothing, and follows none from
// https to http: anyone between could change the answer then.
func NewClient(connections int) *http.Client {
	dialer := &net.Dialer{Timeout: silence}
	return &http.Client{CheckRedirect: staysSafe, Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: silence, ResponseHeaderTimeout: silence, MaxIdleConnsPerHost: connections,
	}}
}

// OpenFiles returns the files of a store at a location: a folder, which must be there, a
// URL, or a bucket. The error wraps [ErrLocation] if it is none of them. getenv
// has the keys of buckets; without any, requests are not signed.
func OpenFiles(location string, client *http.Client, getenv func(string) string) (Files, error) {
	if IsBucket(location) {
		b, err := ParseBucket(location, getenv)
		if err != nil {
			return nil, err
		}
		return b.Files(client), nil
	}
	if !strings.Contains(location, "://") {
		st, err := os.Stat(location)
		if err == nil && !st.IsDir() {
			err = fmt.Errorf("%s: %w: it is no folder", location, ErrLocation)
		}
		return Folder(location), err
	}
	u, err := url.Parse(location)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%q: %w: it is neither a folder nor http(s):// nor s3://", location, ErrLocation)
	}
	if !strings.HasSuffix(u.Path, "/") {
		u.Path += "/"
	}
	return &server{client: client, url: func(name string) *url.URL { return u.JoinPath(name) }}, nil
}

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
func (s *server) Open(ctx context.Context, p Ask) (*Answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url(p.Name).String(), nil)
	if err != nil {
		return nil, &NotGiven{Err: err}
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
		return nil, &NotGiven{Err: errUnsafe}
	} else if err != nil {
		return nil, err
	}
	a := &Answer{ReadCloser: resp.Body, Size: resp.ContentLength, Version: resp.Header.Get("ETag")}
	a.Kind, _, _ = strings.Cut(resp.Header.Get("Content-Type"), ";")
	if a.Skip, err = s.skipped(resp, p); err != nil {
		_ = resp.Body.Close()
		return nil, err
	}
	return a, nil
}

// skipped looks at what precedes a body, and returns how many bytes of it are before
// those that were asked for.
func (s *server) skipped(resp *http.Response, p Ask) (skip int64, err error) {
	ranged := p.N >= 0 || p.Off > 0
	switch {
	case ranged && resp.StatusCode == http.StatusPartialContent:
		var first int64
		if _, err := fmt.Sscanf(resp.Header.Get("Content-Range"), "bytes %d-", &first); err != nil || first != p.Off {
			return 0, fmt.Errorf("the server answers with another range: %q", resp.Header.Get("Content-Range"))
		}
	case resp.StatusCode == http.StatusOK: // of a range: a server that knows none
		if skip = p.Off; p.N >= 0 && resp.ContentLength >= 0 && resp.ContentLength < p.Off+p.N {
			return 0, &NotGiven{Err: fmt.Errorf("%w: a file of %d bytes", ErrCorrupt, resp.ContentLength)}
		}
	case resp.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		return 0, &NotGiven{Err: fmt.Errorf("%w: it ends before byte %d", ErrCorrupt, p.Off+max(p.N, 0))}
	default:
		return 0, s.refusal(resp)
	}
	if coding := resp.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return 0, &NotGiven{Err: fmt.Errorf("the server sends it with Content-Encoding %q, and was asked for it as it is", coding)}
	}
	return skip, nil
}

// refusal is the error for an answer without what was asked for. Some edges of a
// network say that a file is not there which others have.
func (s *server) refusal(resp *http.Response) error {
	switch code := resp.StatusCode; {
	case code == http.StatusNotFound && s.bucket && absent(resp) == NoBucket:
		return &NotGiven{Err: fmt.Errorf("%s: there is no such bucket (%s)", s.At(""), NoBucket)}
	case code == http.StatusNotFound || code == http.StatusGone:
		return &NotGiven{Err: fmt.Errorf("not there (%s)", resp.Status), Absent: true}
	case code >= 300 && code < 500 && code != http.StatusRequestTimeout && code != http.StatusTooManyRequests:
		return &NotGiven{Err: fmt.Errorf("the server says %s", resp.Status)}
	}
	return busy(resp)
}

// NoBucket is the error code of S3 for a missing bucket.
const NoBucket = "NoSuchBucket"

// absent returns what a service of S3 says is not there.
func absent(resp *http.Response) string {
	var said struct{ Code string }
	_ = xml.NewDecoder(io.LimitReader(resp.Body, 64<<10)).Decode(&said) // some say nothing
	return said.Code
}

// busy is the error for a server that asks to be left alone: for seconds, or until a
// date.
func busy(resp *http.Response) *Busy {
	after := resp.Header.Get("Retry-After")
	if at, err := http.ParseTime(after); err == nil {
		return &Busy{Status: resp.Status, Until: at}
	}
	seconds, _ := strconv.ParseUint(after, 10, 31) // the largest, of larger ones
	return &Busy{Status: resp.Status, After: time.Duration(seconds) * time.Second}
}

const bucketScheme = "s3://"

// IsBucket reports that a location is that of a bucket.
func IsBucket(location string) bool { return strings.HasPrefix(location, bucketScheme) }

// IsWeb reports that a location is that of a web server.
func IsWeb(location string) bool {
	return strings.HasPrefix(location, "http://") || strings.HasPrefix(location, "https://")
}

// BucketLocation is what a location s3://BUCKET/PREFIX?endpoint=URL&region=NAME says, and
// the keys to it.
type BucketLocation struct {
	Name     string
	Prefix   string // of all names, "" or with a slash at the end
	Endpoint *url.URL
	Region   string
	Access   string // key; "": none, everybody may read
	Secret   string
	Session  string
}

// ParseBucket reads a location. Without an endpoint it is Amazon's of the region, and
// without a scheme that is https. Keys are never of a location: getenv has them, as
// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, and the region as
// AWS_REGION.
func ParseBucket(location string, getenv func(string) string) (*BucketLocation, error) {
	bad := func(what string) error {
		return fmt.Errorf("%q: %w: %s; it is s3://BUCKET/PREFIX?endpoint=URL", location, ErrLocation, what)
	}
	u, err := url.Parse(location)
	if err != nil || u.Scheme != "s3" || u.Fragment != "" {
		return nil, bad("not the location of a bucket")
	}
	if u.User != nil {
		return nil, fmt.Errorf("%w: keys are no part of a location: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", ErrLocation)
	}
	if err := s3utils.CheckValidBucketNameStrict(u.Host); err != nil {
		return nil, bad(err.Error())
	}
	b := &BucketLocation{Name: u.Host, Access: getenv("AWS_ACCESS_KEY_ID"), Secret: getenv("AWS_SECRET_ACCESS_KEY"), Session: getenv("AWS_SESSION_TOKEN")}
	if (b.Access == "") != (b.Secret == "") {
		return nil, bad("one of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY is set, without the other")
	}
	for key := range u.Query() {
		if key != "endpoint" && key != "region" {
			return nil, bad(fmt.Sprintf("what is %q", key))
		}
	}
	if b.Prefix = strings.Trim(u.Path, "/"); b.Prefix != "" {
		b.Prefix += "/"
	}
	b.Region = cmp.Or(u.Query().Get("region"), getenv("AWS_REGION"), "us-east-1")
	endpoint := cmp.Or(u.Query().Get("endpoint"), "https://s3."+b.Region+".amazonaws.com")
	if !strings.Contains(endpoint, "://") {
		endpoint = "https://" + endpoint
	}
	b.Endpoint, err = url.Parse(endpoint)
	if err != nil || b.Endpoint.Scheme != "http" && b.Endpoint.Scheme != "https" || b.Endpoint.Host == "" || strings.Trim(b.Endpoint.Path, "/") != "" || b.Endpoint.User != nil {
		return nil, bad("the endpoint is no http(s)://HOST")
	}
	return b, nil
}

// At returns where a file is.
func (b *BucketLocation) At(name string) string { return bucketScheme + b.Name + "/" + b.Prefix + name }

// URL returns where a file is, or the bucket, of which something is asked.
func (b *BucketLocation) URL(name string, query url.Values) *url.URL {
	u := *b.Endpoint
	u.Path = "/" + b.Name
	if name != "" {
		u.Path += "/" + b.Prefix + name
	}
	u.RawPath = s3utils.EncodePath(u.Path) // services take a plus sign for a space
	u.RawQuery = query.Encode()
	return &u
}

// noBytes is the SHA-256 of a request without a body.
const noBytes = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// Sign signs a request, whose body has that SHA-256, if there are keys.
func (b *BucketLocation) Sign(req *http.Request, sum string) *http.Request {
	if b.Access == "" {
		return req
	}
	req.Header.Set("X-Amz-Content-Sha256", sum)
	return signer.SignV4(*req, b.Access, b.Secret, b.Session, b.Region)
}

// Files returns the files of a store in the bucket, for reading.
func (b *BucketLocation) Files(client *http.Client) Files {
	return &server{
		client: client, said: b.At, bucket: true,
		url:  func(name string) *url.URL { return b.URL(name, nil) },
		sign: func(req *http.Request) *http.Request { return b.Sign(req, noBytes) },
	}
}

// Doubt returns a warning about contents of a location that cannot be verified, "" for none. signed: only
// what the owner of a key has signed is taken. Folders and this machine are not doubted.
func Doubt(location string, signed bool) string {
	u, err := url.Parse(location)
	if err != nil || !strings.Contains(location, "://") {
		return ""
	}
	if endpoint := u.Query().Get("endpoint"); IsBucket(location) && strings.Contains(endpoint, "://") {
		if u, err = url.Parse(endpoint); err != nil {
			return ""
		}
	}
	if IsHere(u.Hostname()) {
		return ""
	}
	where := u.Scheme + "://" + u.Host
	switch {
	case u.Scheme == "http" && !signed:
		return where + ": others on the network can change the data: use https, and --trust"
	case u.Scheme == "http":
		return where + ": others on the network can see the data, and hold back new builds: use https"
	case !signed:
		return where + ": anyone who can write to the store can change the game: --trust accepts only builds that its owner signed"
	}
	return ""
}

// IsHere reports whether a host is this machine.
func IsHere(host string) bool {
	if strings.EqualFold(host, "localhost") || strings.HasSuffix(strings.ToLower(host), ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
