package query_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pakdb/codecs"
	"pakdb/internal/objects"
	"pakdb/query"
	"pakdb/schema"

	"github.com/zeebo/blake3"
)

func TestFunctions(t *testing.T) {
	db := openSmall(t)
	for expression, want := range map[string]string{
		"path_dir('Game/Maps/A.umap')":    "Game/Maps",
		"path_dir('A')":                   "",
		"path_dir('/A')":                  "/",
		"path_name('Game/Maps/A.umap')":   "A.umap",
		"path_ext('Game/Maps.x/A.UMap')":  "umap",
		"path_ext('Game.x/.hidden')":      "",
		"path_ext(NULL)":                  "<null>",
		"path_head('Game/Maps/A', 1)":     "Game",
		"path_head('Game/Maps/A', 2)":     "Game/Maps",
		"path_head('Game/Maps/A', 9)":     "Game/Maps/A",
		"path_head('/abs/x', 1)":          "/abs",
		"human_size(0)":                   "0 B",
		"human_size(1023)":                "1023 B",
		"human_size(1024)":                "1.0 KiB",
		"human_size(1572864)":             "1.5 MiB",
		"human_size(1048575)":             "1.0 MiB",
		"human_size(-1536)":               "-1.5 KiB",
		"human_size(9223372036854775807)": "8.0 EiB",
		"human_size('x')":                 "<null>",
		"human_size(avg(n)) FROM (SELECT 1024 AS n UNION SELECT 2048)": "1.5 KiB",
		"hex_id(-1)":   "ffffffffffffffff",
		"hex_id(255)":  "00000000000000ff",
		"hex_id(NULL)": "<null>",
		"'Game/A.umap' REGEXP '\\.u(map|asset)$'": "1",
		"regexp('^x', 'Game')":                    "0",
		"regexp('1', 12)":                         "1",
		"regexp(NULL, 'x')":                       "<null>",
		"'Game' GLOB 'G*'":                        "1",
		"key_of_content('00')":                    "<null>",
		"count(*) FROM x_path_key k JOIN x_path p USING (path_id) JOIN x_dir d USING (dir_id) WHERE k.key = key_of_path(d.prefix || p.name)":                    "7",
		"count(*) FROM x_content_key k JOIN x_content c USING (content_id) WHERE k.key = key_of_content(lower(hex(c.hash))) AND k.key = key_of_content(c.hash)": "7",
	} {
		if got := value(t, db, "SELECT "+expression); got != want {
			t.Errorf("%s: %s, want %s", expression, got, want)
		}
	}
}

// TestFunctionsAgreeWithCatalog: the path functions follow the catalog's rules.
func TestFunctionsAgreeWithCatalog(t *testing.T) {
	db := openSmall(t)
	if n := value(t, db, `SELECT count(*) FROM entries WHERE path_dir(path) IS NOT dir
		OR path_name(path) IS NOT name OR path_ext(path) IS NOT ext`); n != "0" {
		t.Errorf("%s entries differ", n)
	}
}

func TestContentFunctions(t *testing.T) {
	db := openSmall(t)
	for expression, want := range map[string]string{
		"content_text('" + hexOf("map a") + "')":              "map a",
		"content_text('" + hexOf("\xef\xbb\xbfhello") + "')":  "hello",
		"content_text('" + hexOf("\xff\xfeh\x00i\x00") + "')": "hi",
		"content_text('" + hexOf("\x00binary") + "')":         "<null>",
		"hex(content_blob('" + hexOf("\x00binary") + "'))":    "0062696E617279",
		"content_text('" + hexOf("unknown") + "')":            "<null>",
		"content_blob(NULL)":                                  "<null>",
		"group_concat(content_text(content), '+') FROM (SELECT content FROM entries WHERE path = 'Game/Maps/A.umap' ORDER BY build)": "map a+map a, longer",
		"count(*) FROM entries WHERE length(content_blob(content)) = size":                                                           "10",
	} {
		if got := value(t, db, "SELECT "+expression); got != want {
			t.Errorf("%s: %s, want %s", expression, got, want)
		}
	}
}

func TestContentsNeedTheScannedFile(t *testing.T) {
	path := smallCatalog(t)
	ctx := context.Background()
	content := "map b" // only in 1.48
	d := blake3.Sum256([]byte(content))
	store := objects.For(path)
	read := func() (string, error) {
		c := query.NewContents(path, registry(), store, nil)
		defer func() { _ = c.Close() }()
		b, err := c.Bytes(ctx, d, 100)
		return string(b), err
	}
	if got, err := read(); got != content || err != nil {
		t.Fatalf("from the archive: %q %v", got, err)
	}
	archive := filepath.Join(filepath.Dir(path), "1.48.tst")
	old, err := os.Stat(archive)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(archive, old.ModTime(), old.ModTime().Add(1)); err != nil {
		t.Fatal(err)
	}
	if got, err := read(); got != content || err != nil {
		t.Errorf("from an archive of another time, as a copy has: %q %v", got, err)
	}
	changed := []byte(strings.Replace(string(whole), content, "MAP B", 1))
	if err := os.WriteFile(archive, changed, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(archive, old.ModTime(), old.ModTime().Add(1)); err != nil {
		t.Fatal(err)
	}
	if _, err := read(); !errors.Is(err, query.ErrNoContent) {
		t.Errorf("changed archive: %v, want ErrNoContent", err)
	}
	if err := os.Chtimes(archive, old.ModTime(), old.ModTime()); err != nil {
		t.Fatal(err)
	}
	if _, err := read(); !errors.Is(err, objects.ErrDigest) {
		t.Errorf("changed content in an archive of the same size and time: %v, want ErrDigest", err)
	}
	if err := os.Remove(archive); err != nil {
		t.Fatal(err)
	}
	if _, err := read(); !errors.Is(err, query.ErrNoContent) {
		t.Errorf("absent archive: %v, want ErrNoContent", err)
	}
	if err := store.Put(d, strings.NewReader(content)); err != nil {
		t.Fatal(err)
	}
	if got, err := read(); got != content || err != nil {
		t.Errorf("from the store: %q %v", got, err)
	}
}

func TestContentsLimit(t *testing.T) {
	path := smallCatalog(t)
	c := query.NewContents(path, registry(), nil, nil)
	defer func() { _ = c.Close() }()
	d := blake3.Sum256([]byte(strings.Repeat("c", 2000)))
	if _, err := c.Bytes(context.Background(), d, 1999); !errors.Is(err, query.ErrTooLarge) {
		t.Errorf("%v, want ErrTooLarge", err)
	}
	if b, err := c.Bytes(context.Background(), d, 2000); len(b) != 2000 || err != nil {
		t.Errorf("%d bytes, %v", len(b), err)
	}
}

// TestContentsShareArchives reads more archives than stay open, from several
// goroutines and with readers that outlive their archive's place in the cache.
func TestContentsShareArchives(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "pakdb.db")
	cat, err := schema.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, label := range strings.Split("abcdefg", "") {
		var files []file
		for _, name := range strings.Split("1234567890", "") {
			files = append(files, file{name, strings.Repeat(label+name, 3000)})
			all = append(all, strings.Repeat(label+name, 3000))
		}
		addBuild(t, cat, dir, label, files)
	}
	if err := cat.Close(); err != nil {
		t.Fatal(err)
	}
	c := query.NewContents(path, registry(), nil, nil)
	defer func() { _ = c.Close() }()
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range all {
				content := all[(i*7+g*13)%len(all)]
				r, size, err := c.Open(context.Background(), blake3.Sum256([]byte(content)))
				if err != nil || size != int64(len(content)) {
					t.Errorf("%d bytes, %v", size, err)
					return
				}
				h := sha256.New()
				if _, err := io.Copy(h, r); err != nil || [32]byte(h.Sum(nil)) != sha256.Sum256([]byte(content)) {
					t.Errorf("other bytes, %v", err)
				}
				if err := errors.Join(r.Close(), r.Close()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// TestIdleArchivesAreClosed: an archive that nobody read for a minute is closed, and opened again
// for the next content.
func TestIdleArchivesAreClosed(t *testing.T) {
	path := smallCatalog(t)
	synctest.Test(t, func(t *testing.T) {
		var opened, closed atomic.Int32 // archives are closed by a timer
		r := registry()
		open := r.Formats[0].Open
		r.Formats[0].Open = func(ctx context.Context, src codecs.Source, o *codecs.Options) (codecs.Archive, error) {
			a, err := open(ctx, src, o)
			opened.Add(1)
			return counted{a, &closed}, err
		}
		c := query.NewContents(path, r, nil, nil)
		defer func() { _ = c.Close() }()
		for turn := range int32(3) {
			for range 2 {
				if _, err := c.Bytes(t.Context(), blake3.Sum256([]byte("map b")), 100); err != nil {
					t.Fatal(err)
				}
			}
			if o, c := opened.Load(), closed.Load(); o != turn+1 || c != turn {
				t.Errorf("turn %d: %d opened, %d closed", turn, o, c)
			}
			time.Sleep(2 * time.Minute)
			synctest.Wait()
		}
		if n := closed.Load(); n != 3 {
			t.Errorf("%d closed", n)
		}
	})
}

// counted is an archive that counts how often one was closed.
type counted struct {
	codecs.Archive
	closed *atomic.Int32
}

func (c counted) Close() error {
	c.closed.Add(1)
	return c.Archive.Close()
}
