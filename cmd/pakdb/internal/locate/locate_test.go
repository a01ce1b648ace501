package locate_test

import (
	"context"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pakdb/cmd/pakdb/internal/locate"
	"pakdb/codecs"
	"pakdb/diff"
	"pakdb/internal/stored"
)

// catalog has builds by label, and what a game sees of them.
type catalog struct {
	builds map[string][]diff.BuildFile
	labels []string
	seen   map[string]string // archive by BUILD:PATH
	err    error
}

func (c *catalog) Labels(context.Context) ([]string, error) { return c.labels, c.err }

func (c *catalog) Files(_ context.Context, build string) ([]diff.BuildFile, error) {
	return c.builds[build], c.err
}

func (c *catalog) Seen(_ context.Context, build, entry string) (archive, path string, err error) {
	archive, ok := c.seen[build+":"+entry]
	if !ok {
		return "", "", diff.ErrNoFile
	}
	return archive, entry, nil
}

// registry knows archives of the format "pak", and files that are none.
func registry() *codecs.Registry {
	return &codecs.Registry{Formats: []*codecs.Format{
		{Name: "pak"},
		{Name: "loose", Mounting: &codecs.Mounting{Loose: true}},
	}}
}

func sample() *catalog {
	paks := []diff.BuildFile{{Name: "Paks/Game.pak", Format: "pak"}, {Name: "Paks/Game_0_P.pak", Format: "pak"},
		{Name: "DLC/a/Extra.pak", Format: "pak"}, {Name: "DLC/b/Extra.pak", Format: "pak"}, {Name: "Config/a.ini", Format: "loose"}}
	return &catalog{
		labels: []string{"1.0", "1.0:hotfix", "C", "file", "folder", "both"},
		builds: map[string][]diff.BuildFile{"1.0": paks, "1.0:hotfix": paks[:1], "C": paks, "file": paks, "folder": paks, "both": paks},
		seen:   map[string]string{"1.0:Config/Game.ini": "Paks/Game_0_P.pak", "1.0:Lost.ini": "Paks/Lost.pak"},
	}
}

// in runs a test in a folder with files and folders.
func in(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, name := range []string{"file", "Game.pak"} {
		if err := os.WriteFile(name, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("folder", 0o700); err != nil {
		t.Fatal(err)
	}
}

// show writes what a name stands for.
func show(n *locate.Name) string {
	text := "path " + n.Path
	if n.Build != "" {
		text = "build " + n.Build
	}
	if n.One {
		text += " archive " + n.Files[0].Name
	}
	if n.Entry != "" {
		text += " entry " + n.Entry
	}
	if n.Note != "" {
		text += " +note"
	}
	return text
}

func TestResolve(t *testing.T) {
	in(t)
	for _, tt := range []struct{ text, want string }{
		{"Game.pak", "path Game.pak"},
		{"Game.pak:Config/a.ini", "path Game.pak entry Config/a.ini"},
		{"Game.pak:", "path Game.pak:"},
		{"nothing", "path nothing"},
		{"nothing:at/all", "path nothing:at/all"},
		{"1.0", "build 1.0"},
		{"1.0:", "build 1.0"},
		{"1.0:hotfix", "build 1.0:hotfix"},
		{"1.0:hotfix:Game.pak", "build 1.0:hotfix archive Paks/Game.pak"},
		{"1.0:Paks/Game.pak", "build 1.0 archive Paks/Game.pak"},
		{"1.0:game.PAK", "build 1.0 archive Paks/Game.pak"},
		{`1.0:Paks\Game.pak`, "build 1.0 archive Paks/Game.pak"},
		{"1.0:a/Extra.pak", "build 1.0 archive DLC/a/Extra.pak"},
		{"1.0:ame.pak", "build 1.0 entry ame.pak"},
		{"1.0:Game.pak!Config/Game.ini", "build 1.0 archive Paks/Game.pak entry Config/Game.ini"},
		{"1.0:Game.pak!/Config/Game.ini", "build 1.0 archive Paks/Game.pak entry Config/Game.ini"},
		{"1.0:Game.pak!/Mods/A.umod!/System/A.u", "build 1.0 archive Paks/Game.pak entry Mods/A.umod!/System/A.u"},
		{"1.0:Mods/A.umod!/System/A.u", "build 1.0 entry Mods/A.umod!/System/A.u"},
		{"1.0:Config/a.ini", "build 1.0 entry Config/a.ini"}, // no archive
		{"1.0:*.ini", "build 1.0 entry *.ini"},
		{`C:\x`, `path C:\x`},
		{"C:/x", "path C:/x"},
		{"C:x", "build C entry x"},
		{"file", "path file +note"},
		{"file:", "build file"},
		{"file:Game.pak", "build file archive Paks/Game.pak"},
		{"folder", "build folder"},
		{"", "path "},
		{":", "path :"},
	} {
		r := locate.Resolver{Catalog: sample(), Registry: registry()}
		n, err := r.Resolve(t.Context(), tt.text)
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
		} else if got := show(n); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.text, got, tt.want)
		}
	}
}

func TestResolvePreferences(t *testing.T) {
	in(t)
	for _, tt := range []struct {
		text                        string
		files, folders, buildsFirst string
	}{
		{"file", "path file +note", "path file +note", "build file"},
		{"folder", "build folder", "path folder +note", "build folder"},
		{"1.0", "build 1.0", "build 1.0", "build 1.0"},
		{"Game.pak", "path Game.pak", "path Game.pak", "path Game.pak"},
	} {
		for _, c := range []struct {
			want string
			r    locate.Resolver
		}{
			{tt.files, locate.Resolver{}},
			{tt.folders, locate.Resolver{Folders: true}},
			{tt.buildsFirst, locate.Resolver{BuildsFirst: true}},
		} {
			c.r.Catalog, c.r.Registry = sample(), registry()
			n, err := c.r.Resolve(t.Context(), tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := show(n); got != c.want {
				t.Errorf("%q: %s, want %s", tt.text, got, c.want)
			}
		}
	}
}

func TestResolveFails(t *testing.T) {
	in(t)
	r := locate.Resolver{Catalog: sample(), Registry: registry()}
	_, err := r.Resolve(t.Context(), "1.0:Extra.pak")
	var several *locate.SeveralError
	if !errors.Is(err, locate.ErrSeveral) || !errors.As(err, &several) || several.Hint() != "name one of DLC/a/Extra.pak, DLC/b/Extra.pak" {
		t.Errorf("two archives of one name: %v", err)
	}
	broken := &catalog{err: errors.New("the catalog is damaged")}
	r.Catalog = broken
	for _, text := range []string{"file", "folder"} {
		if n, err := r.Resolve(t.Context(), text); err != nil || n.Path != text {
			t.Errorf("%q needs no catalog: %v", text, err)
		}
	}
	if _, err := r.Resolve(t.Context(), "1.0"); !errors.Is(err, broken.err) {
		t.Errorf("a build of a damaged catalog: %v", err)
	}
}

func TestNarrow(t *testing.T) {
	in(t)
	r := locate.Resolver{Catalog: sample(), Registry: registry()}
	for _, tt := range []struct{ text, want string }{
		{"1.0:Config/Game.ini", "build 1.0 archive Paks/Game_0_P.pak entry Config/Game.ini"},
		{"1.0:Game.pak!Config/Game.ini", "build 1.0 archive Paks/Game.pak entry Config/Game.ini"},
		{"1.0", "build 1.0"},
		{"Game.pak", "path Game.pak"},
		{"1.0:Nowhere.ini", ""},
		{"1.0:Lost.ini", ""}, // the build has no such archive
	} {
		n, err := r.Resolve(t.Context(), tt.text)
		if err != nil {
			t.Fatal(err)
		}
		err = r.Narrow(t.Context(), n)
		switch {
		case tt.want == "" && !errors.Is(err, diff.ErrNoFile):
			t.Errorf("%q: %v, want ErrNoFile", tt.text, err)
		case tt.want != "" && (err != nil || show(n) != tt.want):
			t.Errorf("%q: %s, %v; want %s", tt.text, show(n), err, tt.want)
		}
	}
}

// indexed writes a file and returns what the catalog has of it.
func indexed(t *testing.T, name, content string) diff.BuildFile {
	t.Helper()
	location := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(location, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(location)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := stored.Sample(strings.NewReader(content), st.Size())
	if err != nil {
		t.Fatal(err)
	}
	return diff.BuildFile{Name: "Paks/" + name, Location: location, Format: "pak", Size: st.Size(), ModTime: st.ModTime().UnixNano(),
		Quick: hex.EncodeToString(sum[:])}
}

func TestOpen(t *testing.T) {
	later := time.Now().Add(time.Hour)
	write := func(t *testing.T, location, content string) {
		t.Helper()
		if err := errors.Join(os.WriteFile(location, []byte(content), 0o600), os.Chtimes(location, later, later)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name    string
		change  func(t *testing.T, location string)
		class   error
		touched int
	}{
		{"as it was", func(*testing.T, string) {}, nil, 0},
		{"another time", func(t *testing.T, l string) { write(t, l, "content") }, nil, 1},
		{"other bytes", func(t *testing.T, l string) { write(t, l, "CONTENT") }, locate.ErrChanged, 0},
		{"longer", func(t *testing.T, l string) { write(t, l, "content!") }, locate.ErrChanged, 0},
		{"gone", func(t *testing.T, l string) {
			if err := os.Remove(l); err != nil {
				t.Fatal(err)
			}
		}, fs.ErrNotExist, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := indexed(t, "Game.pak", "content")
			tt.change(t, b.Location)
			hashed := b
			sum, err := stored.Hash(t.Context(), strings.NewReader("content"), b.Size)
			if err != nil {
				t.Fatal(err)
			}
			hashed.Digest = hex.EncodeToString(sum[:])
			if touched, err := check(hashed); !errors.Is(err, tt.class) || len(touched) > 0 {
				t.Errorf("with a hash of all bytes: %v, sampled %v; want %v", err, touched, tt.class)
			}
			touched, err := check(b)
			if !errors.Is(err, tt.class) || len(touched) != tt.touched {
				t.Fatalf("%v, touched %v; want %v, %d", err, touched, tt.class, tt.touched)
			}
			if err != nil && !strings.Contains(err.Error(), b.Location) {
				t.Errorf("%v does not name %s", err, b.Location)
			}
		})
	}
}

func check(b diff.BuildFile) (touched []string, err error) {
	f, err := locate.Open("1.0", []diff.BuildFile{b}, registry())
	if err != nil {
		return nil, err
	}
	touched, err = f.Check(context.Background())
	return touched, errors.Join(err, f.Close())
}

func TestMissingError(t *testing.T) {
	err := error(&locate.MissingError{Build: "1.0", Name: "Game.pak", Location: "/games/Game.pak"})
	if want := `Game.pak of build "1.0" is no longer where it was indexed: /games/Game.pak`; err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestIsPattern(t *testing.T) {
	for text, want := range map[string]bool{"a/b.c": false, "a/": true, "*.c": true, "a?": true, "[a]": true, "{a,b}": true, "": false} {
		if got := locate.IsPattern(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func FuzzResolve(f *testing.F) {
	for _, s := range []string{"1.0:Game.pak!/a", "C:\\x", "1.0::", "!:!", "1.0:!"} {
		f.Add(s)
	}
	r := locate.Resolver{Catalog: sample(), Registry: registry()}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := r.Resolve(t.Context(), text)
		if err != nil {
			return
		}
		if (n.Path == "") == (n.Build == "") && text != "" {
			t.Errorf("%q is neither or both of a path and a build: %+v", text, n)
		}
		if n.Text != text || n.One && len(n.Files) != 1 {
			t.Errorf("%q: %+v", text, n)
		}
	})
}
