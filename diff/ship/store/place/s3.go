package place

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/minio/minio-go/v7/pkg/s3utils"
	"github.com/minio/minio-go/v7/pkg/signer"

	"pakdb/diff/ship/store"
)

const scheme = "s3://"

// IsBucket reports that a location is that of a bucket.
func IsBucket(location string) bool { return strings.HasPrefix(location, scheme) }

// Bucket is what a location s3://BUCKET/PREFIX?endpoint=URL&region=NAME says, and
// the keys to it.
type Bucket struct {
	Name     string
	Prefix   string // of all names, "" or with a slash at the end
	Endpoint *url.URL
	Region   string
	Access   string // key; "": none, everybody may read
	Secret   string
	Session  string
}

// ParseBucket reads a location. Without an endpoint it is Amazon's of the region, and
// without a scheme that is https. Keys are never of a location: getenv tells them, as
// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, and the region as
// AWS_REGION.
func ParseBucket(location string, getenv func(string) string) (*Bucket, error) {
	bad := func(what string) error {
		return fmt.Errorf("%q: %w: %s; it is s3://BUCKET/PREFIX?endpoint=URL", location, store.ErrLocation, what)
	}
	u, err := url.Parse(location)
	if err != nil || u.Scheme != "s3" || u.Fragment != "" {
		return nil, bad("not the location of a bucket")
	}
	if u.User != nil {
		return nil, fmt.Errorf("%w: keys are no part of a location: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", store.ErrLocation)
	}
	if err := s3utils.CheckValidBucketNameStrict(u.Host); err != nil {
		return nil, bad(err.Error())
	}
	b := &Bucket{Name: u.Host, Access: getenv("AWS_ACCESS_KEY_ID"), Secret: getenv("AWS_SECRET_ACCESS_KEY"), Session: getenv("AWS_SESSION_TOKEN")}
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

// At tells where a file is.
func (b *Bucket) At(name string) string { return scheme + b.Name + "/" + b.Prefix + name }

// URL returns where a file is, or the bucket, of which something is asked.
func (b *Bucket) URL(name string, query url.Values) *url.URL {
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
func (b *Bucket) Sign(req *http.Request, sum string) *http.Request {
	if b.Access == "" {
		return req
	}
	req.Header.Set("X-Amz-Content-Sha256", sum)
	return signer.SignV4(*req, b.Access, b.Secret, b.Session, b.Region)
}

// Files returns the files of a store in the bucket, for reading.
func (b *Bucket) Files(client *http.Client) store.Files {
	return &server{
		client: client, said: b.At, bucket: true,
		url:  func(name string) *url.URL { return b.URL(name, nil) },
		sign: func(req *http.Request) *http.Request { return b.Sign(req, noBytes) },
	}
}
