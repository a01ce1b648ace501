package unrealpak

import (
	"path"
	"strings"

	"pakdb/codecs"
)

// Expand replaces folders and wildcards among the sources by the files that they
// stand for, as UnrealPak does: "Content/*.uasset" is every .uasset below
// Content, and its destination is the folder of the line's. A destination that
// ends in a slash gets the source's name. files lists the files at or below a
// path, relative to it, sorted and with slashes: "." alone when the path is a
// file.
func Expand(lines []ResponseLine, files func(name string) ([]string, error)) ([]ResponseLine, error) {
	var all []ResponseLine
	for _, l := range lines {
		if l.Delete {
			all = append(all, l)
			continue
		}
		more, err := l.expand(files)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

func (l ResponseLine) expand(files func(string) ([]string, error)) ([]ResponseLine, error) {
	dir, pattern := l.Source, "*"
	wild := strings.ContainsAny(path.Base(l.Source), "*?")
	if wild {
		dir, pattern = path.Dir(l.Source), path.Base(l.Source)
	}
	if pattern == "*.*" { // all files, where that comes from
		pattern = "*"
	}
	found, err := files(dir)
	if err != nil {
		return nil, err
	}
	if len(found) == 1 && found[0] == "." {
		if strings.HasSuffix(l.Dest, "/") {
			l.Dest += path.Base(l.Source)
		}
		return []ResponseLine{l}, nil
	}
	to := strings.TrimSuffix(l.Dest, "/")
	if wild && (!strings.HasSuffix(l.Dest, "/") || to == l.Source) {
		to = path.Dir(l.Dest)
	}
	var all []ResponseLine
	for _, name := range found {
		if !matches(pattern, path.Base(name)) {
			continue
		}
		one := l
		one.Source, one.Dest = dir+"/"+name, to+"/"+name
		all = append(all, one)
	}
	if len(all) == 0 {
		return nil, codecs.Errorf(codecs.ErrNotFound, "line %d: no file matches %q", l.Line, l.Source)
	}
	return all, nil
}

// matches knows * and ? only; case does not count.
func matches(pattern, name string) bool {
	escaped := strings.NewReplacer(`\`, `\\`, "[", `\[`).Replace(strings.ToLower(pattern))
	ok, err := path.Match(escaped, strings.ToLower(name))
	return ok && err == nil
}

// CommonMount returns the folder that all destinations share, with a slash
// behind it, which UnrealPak makes the mount point; "" when any of them is
// relative to a mount point that it does not say.
func CommonMount(lines []ResponseLine) string {
	common := ""
	for i, l := range lines {
		if !isRooted(l.Dest) {
			return ""
		}
		dir := l.Dest[:strings.LastIndexByte(l.Dest, '/')+1]
		if i == 0 {
			common = dir
		}
		for !hasPrefixFold(dir, common) {
			common = common[:strings.LastIndexByte(strings.TrimSuffix(common, "/"), '/')+1]
		}
	}
	return common
}

// isRooted: the destination says where in the file system it is.
func isRooted(dest string) bool {
	return strings.HasPrefix(dest, "../") || strings.HasPrefix(dest, "/") || len(dest) > 2 && dest[1] == ':' && dest[2] == '/'
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// MakeRelative turns destinations into names behind the mount point. One that
// lies elsewhere is an error.
func MakeRelative(lines []ResponseLine, mount string) error {
	if mount != "" && !strings.HasSuffix(mount, "/") {
		mount += "/"
	}
	for i := range lines {
		l := &lines[i]
		switch {
		case hasPrefixFold(l.Dest, mount):
			l.Dest = l.Dest[len(mount):]
		case isRooted(l.Dest):
			return codecs.Errorf(codecs.ErrName, "line %d: %s is not below the mount point %s", l.Line, l.Dest, mount)
		}
	}
	return nil
}
