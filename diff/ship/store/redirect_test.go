package store_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"pakdb/diff/ship/store"
)

// TestRedirects: to another server, from http to https too, but not from https to http.
func TestRedirects(t *testing.T) {
	files := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("text")) })
	plain, safe := httptest.NewServer(files), httptest.NewTLSServer(files)
	defer plain.Close()
	defer safe.Close()
	client := store.NewClient(1)
	client.Transport.(*http.Transport).TLSClientConfig = safe.Client().Transport.(*http.Transport).TLSClientConfig
	for _, tt := range []struct {
		new  func(http.Handler) *httptest.Server
		to   string
		want bool
	}{
		{httptest.NewServer, plain.URL, true},
		{httptest.NewServer, safe.URL, true},
		{httptest.NewTLSServer, safe.URL, true},
		{httptest.NewTLSServer, plain.URL, false},
	} {
		first := tt.new(http.RedirectHandler(tt.to+"/file", http.StatusFound))
		s, err := store.OpenFiles(first.URL, client, os.Getenv)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := s.Open(t.Context(), store.Ask{Name: "file", N: -1})
		var none *store.NotGiven
		switch {
		case tt.want && err != nil:
			t.Errorf("%s to %s: %v", first.URL, tt.to, err)
		case !tt.want && (!errors.As(err, &none) || !strings.Contains(err.Error(), "from https to http")):
			t.Errorf("%s to %s: %v", first.URL, tt.to, err)
		}
		if err == nil {
			_ = answer.Close()
		}
		first.Close()
	}
}
