package place

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"pakdb/diff/ship/store"
)

const silence = 30 * time.Second // after which a connection counts as broken

// NewClient returns a client that gives up servers which say nothing, and follows none from
// https to http: whoever is between could change what comes then.
func NewClient(connections int) *http.Client {
	dialer := &net.Dialer{Timeout: silence}
	return &http.Client{CheckRedirect: staysSafe, Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: silence, ResponseHeaderTimeout: silence, MaxIdleConnsPerHost: connections,
	}}
}

// Open returns the files of a store at a location: a folder, which must be there, a
// URL, or a bucket. The error wraps [store.ErrLocation] if it is none of them. getenv
// tells the keys of buckets; without any they are asked as everybody may.
func Open(location string, client *http.Client, getenv func(string) string) (store.Files, error) {
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
			err = fmt.Errorf("%s: %w: it is no folder", location, store.ErrLocation)
		}
		return store.Folder(location), err
	}
	u, err := url.Parse(location)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%q: %w: it is neither a folder nor http(s):// nor s3://", location, store.ErrLocation)
	}
	if !strings.HasSuffix(u.Path, "/") {
		u.Path += "/"
	}
	return &server{client: client, url: func(name string) *url.URL { return u.JoinPath(name) }}, nil
}
