package indexer

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
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

// walk lists the files under the paths: files as they are, folders with all
// that is below them, patterns expanded. Files come in the order of the paths,
// those of a folder sorted by name. Files and folders of which skip is true are
// left out: the catalog must not index itself. Anything but regular files is
// passed over.
func walk(paths []string, skip func(fs.FileInfo) bool) ([]file, error) {
	var files []file
	seen := map[string]bool{}
	add := func(path, name string, st fs.FileInfo) {
		abs, err := filepath.Abs(path)
		if err != nil || seen[abs] || skip(st) || !st.Mode().IsRegular() {
			return
		}
		seen[abs] = true
		files = append(files, file{abs, filepath.ToSlash(name), st.Size(), st.ModTime().UnixNano()})
	}
	roots, err := Expand(paths)
	if err != nil {
		return nil, err
	}
	for _, root := range roots {
		st, err := os.Stat(root)
		if err != nil {
			return nil, err
		}
		if !st.IsDir() {
			if !st.Mode().IsRegular() && slices.Contains(paths, root) { // a pattern may match one
				return nil, fmt.Errorf("%w: %s is not a regular file", ErrNoFiles, root)
			}
			add(root, filepath.Base(root), st)
			continue
		}
		if err := walkFolder(root, skip, add); err != nil {
			return nil, err
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%w in %s", ErrNoFiles, strings.Join(paths, ", "))
	}
	uniqueNames(files)
	return files, nil
}

// FilesBelow returns the regular files below a folder, at any depth, in the order in
// which [Index] reads them: sorted by path. Links to files are files; folders behind
// links are not entered, but for the folder itself.
func FilesBelow(folder string) (paths []string, err error) {
	all := func(fs.FileInfo) bool { return false }
	err = walkFolder(folder, all, func(path, _ string, st fs.FileInfo) {
		if st.Mode().IsRegular() {
			paths = append(paths, path)
		}
	})
	return paths, err
}

func walkFolder(root string, skip func(fs.FileInfo) bool, add func(path, name string, st fs.FileInfo)) error {
	real, err := behindLink(root)
	if err != nil {
		return err
	}
	return filepath.WalkDir(real, func(path string, d fs.DirEntry, err error) error {
		if isGone(err) && path != real {
			return nil
		}
		if err != nil {
			return err
		}
		st, err := os.Stat(path) // follows links to files; folders behind links are not entered
		if isGone(err) {
			return nil
		}
		if err != nil {
			return err
		}
		if d.IsDir() {
			if skip(st) {
				return fs.SkipDir
			}
			return nil
		}
		name, err := filepath.Rel(real, path)
		if err != nil {
			return err
		}
		add(filepath.Join(root, name), name, st)
		return nil
	})
}

// behindLink returns the folder that root leads to if it is a link: WalkDir
// would not enter it.
func behindLink(root string) (string, error) {
	st, err := os.Lstat(root)
	if err != nil || st.Mode()&fs.ModeSymlink == 0 {
		return root, err
	}
	return filepath.EvalSymlinks(root)
}

// isGone tells files that were removed meanwhile, and links to nowhere or in
// circles: there is nothing to scan, and nothing amiss.
func isGone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ELOOP) }

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

// uniqueNames tells files of one name apart by the folders they lie in.
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
