package main

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestServeContents: a server for others shows contents of the folders of --read, and
// otherwise none, by pages and by SQL.
func TestServeContents(t *testing.T) {
	dir := t.TempDir()
	archive, catalog, token := filepath.Join(dir, "one.sip"), filepath.Join(dir, "pakdb.db"), filepath.Join(dir, "token")
	if err := os.WriteFile(token, []byte("0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(archive, kapgOf([]string{"a.txt"}, [][]byte{[]byte("secret text")}), 0o600); err != nil {
		t.Fatal(err)
	}
	pakdb(t, "index", "-q", "--catalog", catalog, "--build", "1", "--without", "search", archive)
	const sql = "sql.json?sql=SELECT+content_text(content)+FROM+entries"
	const page = "b/1/file/one.sip/0/text.json"
	look := func(what string, shown bool, args ...string) {
		t.Helper()
		address, end := serving(t, dir, append([]string{"--catalog", catalog, "--addr", "0.0.0.0:0", "--token-file", token}, args...)...)
		defer end()
		at, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{sql, page} {
			req, err := http.NewRequest(http.MethodGet, "http://127.0.0.1:"+at.Port()+"/"+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer 0123456789abcdef")
			got, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := io.ReadAll(got.Body)
			_ = got.Body.Close()
			if strings.Contains(string(text), "secret text") != shown {
				t.Errorf("%s: %s: %s %.300s", what, path, got.Status, text)
			}
		}
	}
	look("nothing said", false)
	look("another folder", false, "--read", t.TempDir())
	look("the folder", true, "--read", dir)
}
