package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// place is what an address leads to.
type place string

const (
	pageNone     place = ""
	pageBuilds   place = "builds"
	pageTree     place = "tree"
	pageTreemap  place = "treemap" // data alone
	pagePath     place = "path"    // leads to the file
	pageFile     place = "file"
	pageSearch   place = "search"
	pageProblems place = "problems"
	pageArchives place = "archives"
	pageGraph    place = "graph"
	pageCompare  place = "compare"
	pagePatch    place = "patch"
	pageSQL      place = "sql"
	pageQuery    place = "q"
	pageSchema   place = "schema"  // data alone
	pageExplain  place = "explain" // data alone
	pageUI       place = "ui"      // files of the program
)

// form is how an answer is written: "" is the page for people.
type form string

const (
	formPage  form = ""
	formJSON  form = "json"
	formCSV   form = "csv"
	formLines form = "jsonl"
)

// address is what the path and the parameters of a URL name.
type address struct {
	page    place
	form    form
	build   string
	path    string // of a folder, a file, or what is served of the program
	archive string
	ordinal int64
	pair    string // "old...new": labels may have dots, so the list of builds decides where to cut
	name    string // of a query
	part    string // of a file or a comparison: "hex", "inside"
	query   url.Values
}

// parseAddress reads the path of a URL as it was sent, with its escapes: a label, an archive
// or a part of a path is what lies between two slashes, whatever it has escaped in it. What
// browsers would take away, as a folder "..", is in the parameters build and path
// instead. ok is false where nothing has that address.
func parseAddress(escaped, rawQuery string) (a address, ok bool) {
	query, err := url.ParseQuery(rawQuery)
	if err != nil || len(escaped) > maxAddress {
		return a, false
	}
	a.query = query
	parts := strings.Split(strings.TrimPrefix(escaped, "/"), "/")
	last := len(parts) - 1
	for _, f := range []form{formJSON, formCSV, formLines} {
		if cut, found := strings.CutSuffix(parts[last], "."+string(f)); found && parts[0] != string(pageUI) {
			parts[last], a.form = cut, f
			break
		}
	}
	if parts[last] == "" && last > 0 { // a slash at the end means nothing
		parts = parts[:last]
	}
	for i := range parts {
		if parts[i], err = url.PathUnescape(parts[i]); err != nil || strings.ContainsRune(parts[i], 0) {
			return a, false
		}
	}
	ok = a.read(parts)
	if query.Has("path") {
		a.path = query.Get("path")
	}
	if query.Has("build") && a.build == "-" {
		a.build = query.Get("build")
	}
	return a, ok
}

// maxAddress bounds the path of a URL. A path of an entry has at most 64 KiB, of which each
// byte may take three.
const maxAddress = 256 << 10

func (a *address) read(parts []string) bool {
	switch first := place(parts[0]); {
	case len(parts) == 1 && (first == "" || first == pageBuilds):
		a.page = pageBuilds
	case first == "b" && len(parts) >= 2:
		a.build = parts[1]
		return a.readBuild(parts[2:])
	case (first == pageCompare || first == pagePatch) && (len(parts) == 2 || len(parts) == 3):
		a.page, a.pair = first, parts[1]
		a.part = strings.Join(parts[2:], "")
	case first == pageQuery && len(parts) == 2:
		a.page, a.name = first, parts[1]
	case (first == pageSQL || first == pageSchema || first == pageExplain) && len(parts) == 1:
		a.page = first
	case first == pageUI && len(parts) == 3:
		a.page, a.path = first, parts[2]
	}
	return a.page != pageNone
}

// readBuild reads what is after the label of a build.
func (a *address) readBuild(parts []string) bool {
	if len(parts) == 0 {
		a.page = pageTree
		return true
	}
	switch p := place(parts[0]); {
	case p == pageTree || p == pageTreemap || p == pagePath:
		a.page, a.path = p, strings.Join(parts[1:], "/")
	case p == pageFile && (len(parts) == 3 || len(parts) == 4):
		n, err := strconv.ParseInt(parts[2], 10, 64)
		if err != nil || n < 0 {
			return false
		}
		a.page, a.archive, a.ordinal = p, parts[1], n
		a.part = strings.Join(parts[3:], "")
	case (p == pageSearch || p == pageProblems || p == pageArchives || p == pageGraph) && len(parts) == 1:
		a.page = p
	}
	return a.page != pageNone
}

// number returns an integer of the parameters, within bounds.
func (a *address) number(name string, otherwise, least, most int64) (int64, error) {
	text := a.query.Get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		return 0, refuse(http.StatusBadRequest, "", "%s is a number from %d to %d, not %q", name, least, most, text)
	}
	return n, nil
}
