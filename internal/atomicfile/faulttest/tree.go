package faulttest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/internal/atomicfile"
)

// Tree is the files of a folder with their contents, by paths with forward
// slashes. A folder in which nothing is has a name with a slash at its end.
type Tree map[string]string

// Files reads a folder. One that is not there has none.
func Files(t testing.TB, dir string) Tree {
	t.Helper()
	tree := Tree{}
	if _, err := os.Stat(dir); err != nil {
		return tree
	}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if list, err := os.ReadDir(name); err != nil || len(list) > 0 {
				return err
			}
			tree[rel+"/"] = ""
			return nil
		}
		b, err := os.ReadFile(name)
		tree[rel] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// Write makes the files in a folder.
func (x Tree) Write(t testing.TB, dir string) {
	t.Helper()
	for name, content := range x {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// Visible are the files that have their names. Empty folders, which a killed run
// may leave, are not among them.
func (x Tree) Visible() Tree {
	seen := Tree{}
	for name, content := range x {
		if !isTemp(name) && !strings.HasSuffix(name, "/") {
			seen[name] = content
		}
	}
	return seen
}

// Temps are the names of all others, but for what a folder remembers.
func (x Tree) Temps() (list []string) {
	for name := range x {
		if isTemp(name) && !strings.HasSuffix(name, ".json") {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

func isTemp(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), atomicfile.IsTemp)
}

// differences says how a tree differs from another one.
func (x Tree) differences(want Tree) string {
	var list []string
	for name, content := range x {
		if other, there := want[name]; !there {
			list = append(list, name+" should not be there")
		} else if content != other {
			list = append(list, fmt.Sprintf("%s has %d bytes, other than the %d", name, len(content), len(other)))
		}
	}
	for name := range want {
		if _, there := x[name]; !there {
			list = append(list, name+" is missing")
		}
	}
	slices.Sort(list)
	return strings.Join(list, "; ")
}
