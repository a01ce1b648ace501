package regular_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/internal/regular"
)

// plant makes a tree: "name" is a file, "name/" a folder, "name -> target" a link.
func plant(t *testing.T, items ...string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, item := range items {
		name, target, isLink := strings.Cut(item, " -> ")
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		var err error
		switch {
		case isLink:
			if err := os.Symlink(filepath.FromSlash(target), name); err != nil {
				t.Skip("no symbolic links here:", err)
			}
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(name, 0o700)
		default:
			err = os.WriteFile(name, []byte(name), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func names(files []regular.File) string {
	var list []string
	for _, f := range files {
		list = append(list, f.Name)
	}
	return strings.Join(list, " ")
}

func texts(odd []*regular.Odd) (list []string) {
	for _, err := range odd {
		text := filepath.ToSlash(err.Error())
		if at, dir, found := strings.Cut(text, ": /"); found { // where the tree lies
			text = at + ": " + filepath.Base(dir)
		}
		list = append(list, text)
	}
	return list
}

func TestWalk(t *testing.T) {
	const in, dangling, circle = "a symbolic link out of the folder", "a symbolic link to nothing", "a symbolic link that leads in a circle"
	for _, tt := range []struct {
		name    string
		tree    []string
		files   [4]string // by Read, Ship, ShipAll, Own; "-" is refused
		refused []string  // by Ship
		passed  []string  // by Read
	}{
		{"files and folders", []string{"root/b", "root/a/c", "root/a.b", "root/empty/"},
			[4]string{"a/c a.b b", "a/c a.b b", "a/c a.b b", "a/c a.b b"}, nil, nil},
		{"what is not finished", []string{"root/.pakdb-x", "root/.pakdb-update/y", "root/z"},
			[4]string{"z", "z", "z", "z"}, nil, nil},
		{"a link to a file inside", []string{"root/a", "root/b -> a", "root/c/d -> ../a"},
			[4]string{"a b c/d", "a b c/d", "a b c/d", "a"}, nil, nil},
		{"a link to a folder inside", []string{"root/a/x", "root/b -> a"},
			[4]string{"a/x b/x", "a/x b/x", "a/x b/x", "a/x"}, nil, nil},
		{"a link to a link", []string{"root/a/x", "root/b -> a", "root/c -> b"},
			[4]string{"a/x b/x c/x", "a/x b/x c/x", "a/x b/x c/x", "a/x"}, nil, nil},
		{"a link below a link", []string{"root/a/x", "root/b/l -> ../a", "root/c -> b"},
			[4]string{"a/x b/l/x c/l/x", "a/x b/l/x c/l/x", "a/x b/l/x c/l/x", "a/x"}, nil, nil},
		{"out and back", []string{"out/l -> ../root/a", "root/a", "root/b -> ../out/l"},
			[4]string{"a b", "a b", "a b", "a"}, nil, nil},
		{"to a file outside", []string{"out/x", "root/a -> ../out/x"},
			[4]string{"a", "-", "a", ""}, []string{"root/a: " + in + ": x"}, nil},
		{"to a folder outside", []string{"out/x", "root/a -> ../out"},
			[4]string{"a/x", "-", "a/x", ""}, []string{"root/a: " + in + ": out"}, nil},
		{"to a folder whose name begins alike", []string{"root2/x", "root/a -> ../root2"},
			[4]string{"a/x", "-", "a/x", ""}, []string{"root/a: " + in + ": root2"}, nil},
		{"to nothing", []string{"root/x", "root/a -> nowhere"},
			[4]string{"x", "-", "-", "x"}, []string{"root/a: " + dangling + ": nowhere"}, []string{"root/a: " + dangling + ": nowhere"}},
		{"to itself", []string{"root/x", "root/a -> a"},
			[4]string{"x", "-", "-", "x"}, []string{"root/a: " + circle}, []string{"root/a: " + circle}},
		{"to each other", []string{"root/x", "root/a -> b", "root/b -> a"},
			[4]string{"x", "-", "-", "x"}, []string{"root/a: " + circle, "root/b: " + circle}, []string{"root/a: " + circle, "root/b: " + circle}},
		{"to its own folder", []string{"root/x", "root/d/l -> ."},
			[4]string{"x", "-", "-", "x"}, []string{"root/d/l: " + circle + ": d"}, []string{"root/d/l: " + circle + ": d"}},
		{"to the root", []string{"root/x", "root/d/l -> .."},
			[4]string{"x", "-", "-", "x"}, []string{"root/d/l: " + circle + ": root"}, []string{"root/d/l: " + circle + ": root"}},
		{"to a folder above the root", []string{"root/x", "root/l -> ../.."},
			[4]string{"x", "-", "-", "x"}, nil, nil},
		{"two folders that lead to each other", []string{"root/a/x", "root/a/l -> ../b", "root/b/y", "root/b/l -> ../a"},
			[4]string{"a/l/y a/x b/l/x b/y", "-", "-", "a/x b/y"}, []string{"root/a/l/l: " + circle + ": a", "root/b/l/l: " + circle + ": b"},
			[]string{"root/a/l/l: " + circle + ": a", "root/b/l/l: " + circle + ": b"}},
		{"all that is refused", []string{"out/x", "root/a -> nowhere", "root/b -> ../out/x", "root/c -> c", "root/d"},
			[4]string{"b d", "-", "-", "d"}, []string{"root/a: " + dangling + ": nowhere", "root/b: " + in + ": x", "root/c: " + circle},
			[]string{"root/a: " + dangling + ": nowhere", "root/c: " + circle}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			plant(t, tt.tree...)
			for p, want := range tt.files {
				files, passed, err := regular.Walk(t.Context(), "root", regular.Policy(p), nil)
				var refused *regular.RefusedError
				if errors.As(err, &refused) != (want == "-") || err != nil && want != "-" {
					t.Fatalf("policy %d: %v, want %q", p, err, want)
				}
				if want != "-" && names(files) != want {
					t.Errorf("policy %d: %q, want %q", p, names(files), want)
				}
				for _, f := range files {
					if st, err := os.Stat(f.Path); err != nil || !os.SameFile(st, f.Info) {
						t.Errorf("%s: %v", f.Path, err)
					}
				}
				if regular.Policy(p) == regular.Read && tt.name != "to a folder above the root" && !slices.Equal(texts(passed), tt.passed) {
					t.Errorf("passed over %q, want %q", texts(passed), tt.passed)
				}
				if regular.Policy(p) == regular.Ship && tt.refused != nil && !slices.Equal(texts(refused.List), tt.refused) {
					t.Errorf("refused %q, want %q", texts(refused.List), tt.refused)
				}
			}
		})
	}
}

// TestWalkOfDoublingLinks: of 2^40 paths through 40 folders, each of two links to the next,
// few are walked, and each folder that more lead to is named once.
func TestWalkOfDoublingLinks(t *testing.T) {
	tree := []string{"root/20/x"}
	for i := range 20 {
		tree = append(tree, fmt.Sprintf("root/%02d/a -> ../%02d", i, i+1), fmt.Sprintf("root/%02d/b -> ../%02d", i, i+1))
	}
	plant(t, tree...)
	files, passed, err := regular.Walk(t.Context(), "root", regular.Read, nil)
	if err != nil || len(files) > 21*65 || len(files) < 2 {
		t.Errorf("%d files, %v", len(files), err)
	}
	folders := map[string]bool{}
	for _, p := range passed {
		if to := p.Error(); !errors.Is(p, regular.ErrMany) || folders[to[strings.LastIndex(to, ":"):]] {
			t.Error(p)
		} else {
			folders[to[strings.LastIndex(to, ":"):]] = true
		}
	}
	if len(folders) < 8 || len(folders) > 21 {
		t.Errorf("%d folders are named", len(folders))
	}
	if _, _, err := regular.Walk(t.Context(), "root", regular.Ship, nil); !errors.Is(err, regular.ErrMany) {
		t.Errorf("shipping: %v", err)
	}
}

func TestWalkOfOneFile(t *testing.T) {
	plant(t, "a/b", "l -> a/b", "folder -> a")
	for root, want := range map[string]string{"a/b": "b", "l": "l", "folder": "b"} {
		for p := regular.Read; p <= regular.Own; p++ {
			files, _, err := regular.Walk(t.Context(), root, p, nil)
			if err != nil || names(files) != want {
				t.Errorf("%s: %q, %v", root, names(files), err)
			}
		}
	}
	if _, _, err := regular.Walk(t.Context(), "none", regular.Read, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := regular.Walk(ctx, "a", regular.Read, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// The hint is for those alone who have links out of the folder.
func TestHintOfRefused(t *testing.T) {
	plant(t, "out/x", "root/a -> ../out/x", "alone/a -> a")
	for root, want := range map[string]bool{"root": true, "alone": false} {
		_, _, err := regular.Walk(t.Context(), root, regular.Ship, nil)
		var refused *regular.RefusedError
		if !errors.As(err, &refused) || strings.Contains(refused.Hint(), "--follow-outside") != want {
			t.Errorf("%s: %v", root, err)
		}
	}
}

func TestWalkSkips(t *testing.T) {
	plant(t, "root/a/x", "root/b", "root/c -> a", "root/d -> b")
	own := []string{"root/a", "root/b"}
	skip := func(st fs.FileInfo) bool {
		return slices.ContainsFunc(own, func(name string) bool {
			o, err := os.Stat(name)
			return err == nil && os.SameFile(o, st)
		})
	}
	files, _, err := regular.Walk(t.Context(), "root", regular.Read, skip)
	if err != nil || len(files) > 0 {
		t.Errorf("%q, %v", names(files), err)
	}
}
