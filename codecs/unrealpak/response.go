// These functions read the lists of files that UnrealPak takes:
// response files, and order files. It finds the files of their lines,
// and says in which order and under which names they are packed.

package unrealpak

import (
	"bufio"
	"bytes"
	"cmp"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"pakdb/codecs"
	"pakdb/internal/bin"
)

// ResponseLine is one line of a response file:
//
//	"source" "dest" -compress -encrypt -delete
//
// Source may hold wildcards, which the caller expands. Dest that ends in a
// slash is a folder; without one it is the source. Paths have forward slashes.
type ResponseLine struct {
	Line                      int // from 1
	Source, Dest              string
	Compress, Encrypt, Delete bool
}

// OrderLine is one line of an -order= file: "path" number. A line without a
// number takes its own.
type OrderLine struct {
	Path  string // forward slashes, lower case
	Order uint64
}

// maxLine bounds a line of both files.
const maxLine = 256 << 10

// Parse reads a response file. Empty lines are passed over; an unknown
// option or a quote without an end is an error that names the line.
func Parse(r io.Reader) ([]ResponseLine, error) {
	var lines []ResponseLine
	err := eachLine(r, func(n int, words []string) error {
		line := ResponseLine{Line: n}
		var paths []string
		for _, w := range words {
			if err := line.word(w, &paths); err != nil {
				return err
			}
		}
		switch len(paths) {
		case 1:
			line.Source, line.Dest = paths[0], paths[0]
		case 2:
			line.Source, line.Dest = paths[0], paths[1]
		default:
			return codecs.Errorf(codecs.ErrCorrupt, "%d paths; one or two wanted", len(paths))
		}
		lines = append(lines, line)
		return nil
	})
	return lines, err
}

func (l *ResponseLine) word(w string, paths *[]string) error {
	if !strings.HasPrefix(w, "-") {
		*paths = append(*paths, slashes(strings.Trim(w, `"`)))
		return nil
	}
	switch strings.ToLower(w) {
	case "-compress":
		l.Compress = true
	case "-encrypt":
		l.Encrypt = true
	case "-delete":
		l.Delete = true
	default:
		return codecs.Errorf(codecs.ErrCorrupt, "unknown option %s", w)
	}
	return nil
}

// ParseOrder reads an order file.
func ParseOrder(r io.Reader) ([]OrderLine, error) {
	var lines []OrderLine
	err := eachLine(r, func(n int, words []string) error {
		line := OrderLine{Path: strings.ToLower(slashes(strings.Trim(words[0], `"`))), Order: uint64(n)}
		if len(words) > 1 {
			order, err := strconv.ParseUint(words[1], 10, 64)
			if err != nil {
				return codecs.Errorf(codecs.ErrCorrupt, "%q is no order number", words[1])
			}
			line.Order = order
		}
		lines = append(lines, line)
		return nil
	})
	return lines, err
}

// Arrange sorts response lines as UnrealPak packs them: by order number, those
// without one after, then by destination, delete records last.
func Arrange(lines []ResponseLine, order []OrderLine) {
	numbers := make(map[string]uint64, len(order))
	for _, o := range order {
		if _, twice := numbers[o.Path]; !twice {
			numbers[o.Path] = o.Order
		}
	}
	number := func(l ResponseLine) uint64 {
		if n, ok := numbers[strings.ToLower(l.Dest)]; ok {
			return n
		}
		return 1<<64 - 1
	}
	slices.SortStableFunc(lines, func(a, b ResponseLine) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(number(a), number(b)),
			cmp.Compare(strings.ToLower(a.Dest), strings.ToLower(b.Dest)))
	})
}

// eachLine splits every line that is not empty into words, quoted or not. The text is
// UTF-8, or UTF-16 with a byte order mark.
func eachLine(r io.Reader, fn func(n int, words []string) error) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if text = bin.Text(text); bytes.IndexByte(text, 0) >= 0 {
		return &codecs.FormatError{Format: "unrealpak", Off: -1, Err: codecs.Errorf(codecs.ErrCorrupt, "NUL bytes; UTF-16 needs a byte order mark")}
	}
	s := bufio.NewScanner(bytes.NewReader(text))
	s.Buffer(nil, maxLine)
	n := 1
	for ; s.Scan(); n++ {
		var words []string
		if words, err = splitWords(s.Text()); err == nil && len(words) > 0 {
			err = fn(n, words)
		}
		if err != nil {
			break
		}
	}
	if err == nil {
		err = s.Err()
	}
	if err != nil {
		return &codecs.FormatError{Format: "unrealpak", Field: "line " + strconv.Itoa(n), Off: -1, Err: err}
	}
	return nil
}

// splitWords keeps the quotes, so that a quoted "-x" stays a path.
func splitWords(line string) ([]string, error) {
	var words []string
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		end := strings.IndexAny(line, " \t")
		if line[0] == '"' {
			if end = strings.IndexByte(line[1:], '"') + 2; end == 1 {
				return nil, codecs.Errorf(codecs.ErrCorrupt, "quote without an end")
			}
		} else if end < 0 {
			end = len(line)
		}
		words, line = append(words, line[:end]), line[end:]
	}
	return words, nil
}

func slashes(s string) string { return strings.ReplaceAll(s, `\`, "/") }

// rank puts delete records after all others.
func rank(l ResponseLine) int {
	if l.Delete {
		return 1
	}
	return 0
}

// Expand replaces folders and wildcards among the sources by the files that they
// mean, as UnrealPak does: "Content/*.uasset" is every .uasset below
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
// after it, which UnrealPak makes the mount point; "" when any of them is
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

// MakeRelative turns destinations into names below the mount point. One that
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
