package publish

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"

	"pakdb/diff/ship/store"
	"pakdb/internal/atomicfile"
)

// upload is a web server that takes files by PUT, as WebDAV does. It has no versions: one
// writer at a time.
type upload struct{ *Bucket }

// openUpload opens the server at a URL, and a folder for what is on its way. The token is
// sent to that server alone.
func openUpload(ctx context.Context, location, token string) (*remote, *atomicfile.Dir, error) {
	u, err := url.Parse(location)
	if err != nil {
		return nil, nil, fmt.Errorf("%q: %w: %w", location, store.ErrLocation, err)
	}
	if token != "" && u.Scheme != "https" && !store.IsHere(u.Hostname()) {
		return nil, nil, fmt.Errorf("%s: %w: others on the network could read the token: use https", u.Redacted(), store.ErrLocation)
	}
	client := store.NewClient(Connections)
	if token != "" {
		client.Transport = &bearer{client.Transport, u.Scheme + u.Host, token}
	}
	files, err := store.OpenFiles(location, client, os.Getenv)
	if err != nil {
		return nil, nil, err
	}
	return openScratch(ctx, upload{&Bucket{
		Files: files, client: client, sleep: sleep,
		url:  func(name string, _ url.Values) *url.URL { return u.JoinPath(name) },
		sign: func(req *http.Request, _ string) *http.Request { return req },
		hint: "the server takes files from those who may write: --token-file FILE sends a token; or is PUT not allowed there?",
	}})
}

// bearer sends a token to one server.
type bearer struct {
	http.RoundTripper
	to, token string
}

// RoundTrip implements [http.RoundTripper].
func (b *bearer) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme+req.URL.Host == b.to {
		req = req.Clone(req.Context())
		req.Header.Set("Authorization", "Bearer "+b.token)
	}
	return b.RoundTripper.RoundTrip(req)
}

// Open asks for a part of a file.
func (u upload) Open(ctx context.Context, p store.Ask) (*store.Answer, error) {
	a, err := u.Bucket.Open(ctx, p)
	var none *store.NotGiven
	if errors.As(err, &none) && !none.Absent {
		err = &store.NotGiven{Err: &refusal{none.Error(), http.StatusForbidden, u.hint}}
	}
	return a, err
}

// Put writes a file, whatever its version, and asks how large it is then.
func (u upload) Put(ctx context.Context, name string, r io.ReadSeeker, size int64, _ string) (string, error) {
	put := func() (string, error) {
		if _, err := r.Seek(0, io.SeekStart); err != nil {
			return "", err
		}
		return u.Bucket.Put(ctx, name, r, size, "")
	}
	noFolder := func(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, store.ErrRaced) } // of WebDAV
	version, err := put()
	if noFolder(err) {
		u.folders(ctx, path.Dir(name))
		version, err = put()
	}
	if noFolder(err) {
		err = fmt.Errorf("%s: %w", u.At(name), &refusal{"the server takes no files there by PUT", http.StatusForbidden, u.hint})
	}
	if err != nil {
		return "", err
	}
	in, err := u.Stat(ctx, name)
	if err == nil && in.Size != size {
		err = fmt.Errorf("%s: %w: the server has %d bytes of %d", u.At(name), store.ErrCorrupt, in.Size, size)
	}
	return version, err
}

// folders makes the folder of the store, and one in it. What fails is known by the next file.
func (u upload) folders(ctx context.Context, dir string) {
	at := ""
	for _, name := range append([]string{""}, strings.Split(dir, "/")...) {
		at = path.Join(at, name)
		if resp, err := u.ask(ctx, &request{method: "MKCOL", name: at + "/"}); err == nil {
			_ = resp.Body.Close()
		}
	}
}

// Stat reports how large a file is.
func (u upload) Stat(ctx context.Context, name string) (store.Info, error) {
	resp, err := u.ask(ctx, &request{method: http.MethodHead, name: name})
	if err != nil {
		return store.Info{}, err
	}
	return store.Info{Name: name, Size: resp.ContentLength}, resp.Body.Close()
}

// List is not possible: nothing but a copy writes to such a store.
func (u upload) List(context.Context, string, func(store.Info) error) error {
	return fmt.Errorf("%s: %w: a web server does not list its files", u.At(""), errors.ErrUnsupported)
}
