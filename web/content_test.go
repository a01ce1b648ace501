package web_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pakdb/codecs/all"
	"pakdb/indexer"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
	"pakdb/web"
)

func TestContents(t *testing.T) {
	catalog, dir := scanned(t)
	s := serve(t, catalog, nil)
	file := func(part string) *answer { return ask(t, s, "/b/1.1/file/text.txt/0/"+part) }
	var text struct {
		Text, Encoding string
		Truncated      bool
	}
	file("text.json").json(t, &text)
	if text.Text != "hello ü" || text.Encoding != "UTF-8" || text.Truncated {
		t.Errorf("%+v", text)
	}
	var hex struct {
		Bytes string
		Size  int
	}
	file("hex.json?offset=6").json(t, &hex)
	if hex.Bytes != "c3bc" || hex.Size != 8 {
		t.Errorf("%+v", hex)
	}
	if got := file("hex.json?offset=8"); got.StatusCode != 416 {
		t.Errorf("behind the end: %s", got.Status)
	}
	got := ask(t, s, "/b/1.1/file/page.html/0/download")
	if h := got.Header; string(got.body) != "<script>alert(1)</script>" || h.Get("Content-Type") != "application/octet-stream" || !strings.HasPrefix(h.Get("Content-Disposition"), "attachment") || h.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%s %v", got.body, h)
	}
	if got := file("picture"); got.StatusCode != 404 {
		t.Errorf("a picture of a text: %s", got.Status)
	}
	var meaning struct{ Children []any }
	ask(t, s, "/b/1.1/file/Calligraphy.sip/0/meaning.json").json(t, &meaning)
	outside := serve(t, catalog, func(c *web.Config) {
		if err := c.Contents.Only(t.TempDir()); err != nil {
			t.Fatal(err)
		}
	})
	if got := ask(t, outside, "/b/1.1/file/text.txt/0/text.json"); got.StatusCode != 404 || bytes.Contains(got.body, []byte("hello")) {
		t.Errorf("what lies elsewhere: %s %s", got.Status, got.body)
	}
	none := serve(t, catalog, func(c *web.Config) { c.Contents = nil })
	if got := ask(t, none, "/b/1.1/file/text.txt/0/download"); got.StatusCode != 403 {
		t.Errorf("contents that are not shown: %s", got.Status)
	}
	if err := os.WriteFile(filepath.Join(dir, "text.txt"), []byte("HELLO \xc3\xbc"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := file("text.json"); got.StatusCode != 404 || bytes.Contains(got.body, []byte("HELLO")) {
		t.Errorf("a file that changed: %s %s", got.Status, got.body)
	}
}

// TestUnknownFormats: what no inspector knows is shown as text if it is one, else as bytes.
func TestUnknownFormats(t *testing.T) {
	dir := t.TempDir()
	want := map[string]string{"words.what": "text hex download", "wide.what": "text hex download", "odd.weird": "hex download", "latin.weird": "hex download"}
	for name, body := range map[string]string{"words.what": "plain wörds\r\n", "wide.what": "\xff\xfew\x00", "odd.weird": "abc\x00def", "latin.weird": "w\xf6rds"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := serve(t, schematest.Write(t, func(c *schema.Catalog) {
		if _, err := indexer.Run(t.Context(), indexer.Options{Catalog: c, Registry: all.Registry(), Label: "1", Paths: []string{dir}}); err != nil {
			t.Fatal(err)
		}
	}), nil)
	for name, want := range want {
		var file struct{ Shows []string }
		if ask(t, s, "/b/1/file/"+name+"/0.json").json(t, &file); strings.Join(file.Shows, " ") != want {
			t.Errorf("%s shows %q, want %s", name, file.Shows, want)
		}
	}
}
