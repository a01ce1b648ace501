package indexer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pakdb/internal/regular"
)

// file is one file to scan.
type file struct {
	path string // as opened
	name string // relative to the root it was found under, with slashes
	size int64
	mod  int64 // Unix nanoseconds
}

// ErrNoFiles means that the paths given lead to no file at all.
var ErrNoFiles = errors.New("no files")

// walk lists the files at and below the paths, patterns expanded: in the order of the
// paths, and below a folder in that of [regular.Walk]. Files and folders of which skip is
// true are left out: the catalog must not index itself. passed is called for each path
// that is no file and is passed over; it may be nil.
func walk(ctx context.Context, paths []string, skip func(fs.FileInfo) bool, passed func(error)) ([]file, error) {
	var files []file
	seen := map[string]bool{}
	roots, err := Expand(paths)
	if err != nil {
		return nil, err
	}
	for _, root := range roots {
		found, odd, err := regular.Walk(ctx, root, regular.Read, skip)
		if errors.Is(err, regular.ErrNotRegular) {
			if slices.Contains(paths, root) {
				return nil, fmt.Errorf("%w: %s is not a regular file", ErrNoFiles, root)
			}
			odd, err = []*regular.Odd{{Path: root, Err: regular.ErrNotRegular}}, nil // a pattern may match one
		}
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			abs, err := filepath.Abs(f.Path)
			if err != nil {
				return nil, err
			}
			if !seen[abs] {
				seen[abs] = true
				files = append(files, file{abs, f.Name, f.Info.Size(), f.Info.ModTime().UnixNano()})
			}
		}
		for _, err := range odd {
			if passed != nil {
				passed(err)
			}
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%w in %s", ErrNoFiles, strings.Join(paths, ", "))
	}
	uniqueNames(files)
	return files, nil
}

// Expand replaces patterns by what they match, sorted, for shells that do not;
// a path that exists is never taken for a pattern. A pattern that is none is a
// [filepath.ErrBadPattern], one that matches nothing an [fs.ErrNotExist].
func Expand(paths []string) ([]string, error) {
	var out []string
	for _, p := range paths {
		if _, err := os.Stat(p); err == nil || !strings.ContainsAny(p, "*?[") {
			out = append(out, p)
			continue
		}
		found, err := filepath.Glob(p)
		if err == nil && len(found) == 0 {
			err = fs.ErrNotExist
		}
		if err != nil {
			return nil, fmt.Errorf("pattern %q: %w", p, err)
		}
		out = append(out, found...)
	}
	return out, nil
}

// uniqueNames distinguishes files of one name by their folders.
func uniqueNames(files []file) {
	for depth := 1; depth < 64; depth++ {
		byName := map[string][]int{}
		for i, f := range files {
			byName[f.name] = append(byName[f.name], i)
		}
		if len(byName) == len(files) {
			return
		}
		for _, same := range byName {
			if len(same) == 1 {
				continue
			}
			for _, i := range same {
				files[i].name = longer(files[i])
			}
		}
	}
}

// longer returns the name with one more folder in front.
func longer(f file) string {
	path := filepath.ToSlash(f.path)
	rest, ok := strings.CutSuffix(path, "/"+f.name)
	if !ok {
		return path
	}
	return rest[strings.LastIndexByte(rest, '/')+1:] + "/" + f.name
}

// DefaultLabel names a build after what is scanned: the folder, the folder that
// holds the files, or a lone file without its extension.
func DefaultLabel(paths []string) string {
	if len(paths) == 0 {
		return ""
	}
	first, err := filepath.Abs(paths[0])
	if err != nil {
		return ""
	}
	st, err := os.Stat(first)
	switch {
	case err == nil && st.IsDir():
		return filepath.Base(first)
	case err == nil && len(paths) == 1:
		return strings.TrimSuffix(filepath.Base(first), filepath.Ext(first))
	}
	return filepath.Base(filepath.Dir(first))
}
